import type { Logger } from "pino"

import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Hit } from "#engine"
import { analyseQuery } from "#engine/text/analysis/analyse.ts"
import { shownOf } from "#engine/index/page/passage.ts"
import { dice } from "#engine/text/analysis/likeness.ts"
import { passageHoldsOrder } from "#engine/text/model-orders.ts"

import { Bearing } from "../../answers/borne-out.ts"
import { withLeads } from "../../answers/cited-text.ts"
import { checkedSentences } from "../../answers/check-citations.ts"
import { isNone } from "../../answers/refusals.ts"
import {
  type ChatMessage,
  type ChatModel,
  ChatModelError,
  type Reply,
  type ReplyForm,
} from "../../chat-models/chat-model.ts"
import { tokensOf } from "../../chat-models/tokens.ts"
import type { OutputSchema } from "../report/output-schema.ts"
import type { Section } from "../report/report.ts"
import { violations } from "../report/structured.ts"
import type { Evidence, Question, ReportText, Source } from "../sources/evidence.ts"
import { pagedTexts, type PagedText, pageSaying } from "../sources/cited-pages.ts"
import { sourceOfHit } from "../sources/sources.ts"
import {
  formMessages,
  formOf,
  PLAN_FORM,
  planMessages,
  readForm,
  readPlan,
  sectionMessages,
  type ShownSource,
  summaryMessages,
} from "./model-prompts.ts"

/** Share of a sentence's distinctive words that its source must contain: people who read reports have not seen the sources. */
const SUPPORTED = 0.7
/** Approximate number of tokens per word, with room for citations. */
const TOKENS_OF_WORD = 2.5
const PLAN_TOKENS = 400
const FORM_TOKENS = 2000
const SUMMARY_WORDS = 120
/** A model that fails this many times in a row is not asked again in this task. */
const MAX_FAILURES = 2
/**
 * Maximum number of tokens from sources in one request, even if the model could read more: models overlook the middle
 * of longer texts.
 */
const MAX_SHOWN_TOKENS = 8000
/** Number of tokens in the prompt without the sources. */
const PROMPT_TOKENS = 400
const MOST_SOURCES = 10
/** Two sentences that share more than this portion of their terms, and have the same numbers, say the same thing. */
const SAME = 0.75

export interface WriterOptions {
  readonly model: ChatModel
  readonly embedder: Pick<Embedder, "embed" | "traits">
  /** Finds pages on a question, with their best passages, best first. */
  readonly passages: (question: string) => Promise<readonly Hit[]>
  /** Maximum number of tokens for all replies in one task. */
  readonly tokens: number
  readonly signal: AbortSignal
  readonly log: Logger
}

/**
 * The model's version of a section in its own words; `nothing` if the model says that the sources have nothing on it;
 * null if it failed.
 */
export type Written = Section | "nothing" | null

/**
 * A model that works on one task, within a budget. It sees passages and findings of the pages found. Each sentence it
 * writes is checked against them, and unsupported sentences are left out. Each method returns null (or `nothing`) when
 * the model fails, is too slow or has used up its tokens, or when nothing in its reply is supported; the task then
 * continues without the model.
 */
export class Writer {
  readonly #options: WriterOptions
  readonly #bearing: Bearing
  #tokens: number
  #failures = 0

  constructor(options: WriterOptions) {
    this.#options = options
    this.#tokens = options.tokens
    this.#bearing = new Bearing({ embedder: options.embedder, signal: options.signal })
  }

  async plan(input: string, hits: readonly Hit[], count: number): Promise<readonly Question[]> {
    const reply = await this.#reply(() => planMessages(input, hits, count), PLAN_TOKENS, PLAN_FORM)
    return reply === null ? [] : readPlan(reply.text, count)
  }

  /** The section in the model's words: its sentences as findings, each with its supporting source. */
  async section(input: string, section: Section, evidence: Evidence, words: number): Promise<Written> {
    const all = await this.#sources(section.findings, evidence, section.asks)
    const written = await this.#writes(
      all,
      (shown) => sectionMessages(input, section.heading, shown, words),
      Math.ceil(words * TOKENS_OF_WORD),
    )
    if (written === null) return null
    if (isNone(written.reply.text)) return "nothing"
    const findings = await this.#findings(written)
    return findings.length === 0 ? null : { ...section, findings }
  }

  /** The last pass: answers the whole task from the contents of its sections. `null` means that the summary stays as it was. */
  async summary(
    input: string,
    sections: readonly Section[],
    evidence: Evidence,
  ): Promise<readonly ReportText[] | null> {
    const said = sections.flatMap(({ findings }) => findings)
    if (said.length === 0) return null
    const all = bySource(said).map(([place, found]): ShownSource => ({
      place,
      source: evidence.sources[place]!,
      text: found.map(withLeads).join("\n"),
      paged: pagedIn(found, place),
    }))
    const written = await this.#writes(
      all,
      (shown) => summaryMessages(input, shown, SUMMARY_WORDS),
      Math.ceil(SUMMARY_WORDS * TOKENS_OF_WORD),
    )
    if (written === null || isNone(written.reply.text)) return null
    const findings = await this.#findings(written)
    return findings.length === 0 ? null : findings
  }

  /** The completed form; values without support in the sources are null. Returns null when the reply doesn't match the form. */
  async form(input: string, schema: OutputSchema, evidence: Evidence): Promise<Filled | null> {
    const all = await this.#sources(evidence.findings, evidence, input)
    const written = await this.#writes(
      all,
      (shown) => formMessages(input, schema, shown),
      FORM_TOKENS,
      formOf(schema),
    )
    if (written === null) return null
    const form = readForm(written.reply.text)
    if (typeof form !== "object" || form === null || violations(schema, form).length > 0) return null
    const missing: string[] = []
    const used = new Set<number>()
    const filling = { shown: written.shown, missing, used }
    const content = (await this.#borneOut(form, "", filling)) as Record<string, unknown>
    return { content, missing, sources: [...used] }
  }

  async #findings({ reply, shown }: WrittenFrom): Promise<ReportText[]> {
    const sentences = await checkedSentences(reply, {
      sources: shown.map(({ source, text }) => `${source.title}\n${text}`),
      bearing: this.#bearing,
      share: SUPPORTED,
    })
    return sentences.map(({ text, source }) => {
      const { place, paged } = shown[source]!
      const page = pageSaying(text, paged)
      return { text, sources: [place], ...(page && { pages: { [place]: page } }) }
    })
  }

  /** The pages that findings come from, followed by other pages found for the question; each with its passages and findings. */
  async #sources(
    findings: readonly ReportText[],
    evidence: Evidence,
    question: string,
  ): Promise<ShownSource[]> {
    const hits = await this.#options.passages(question)
    this.#options.signal.throwIfAborted()
    const byUrl = new Map(hits.map((hit) => [hit.url as string, hit]))
    const shown = bySource(findings).map(([place, found]): ShownSource => {
      const source = evidence.sources[place]!
      const hit = byUrl.get(source.url)
      const read = hit ? passagesOf(hit) : ""
      const texts = found.map(withLeads).filter((text) => !read.includes(text))
      return {
        place,
        source,
        text: [read, ...texts].filter(Boolean).join("\n"),
        paged: [...(hit ? pagedTexts(hit) : []), ...pagedIn(found, place)],
      }
    })
    for (const hit of hits) {
      const source: Source = sourceOfHit(hit)
      if (shown.some((one) => one.source.url === source.url)) continue
      shown.push({
        place: evidence.source(source),
        source,
        text: passagesOf(hit),
        paged: pagedTexts(hit),
      })
    }
    return shown.filter(({ text }) => text !== "").slice(0, MOST_SOURCES)
  }

  /** The model's text, written from as many sources as it has room for. */
  async #writes(
    sources: readonly ShownSource[],
    messages: (shown: readonly ShownSource[]) => readonly ChatMessage[],
    maxTokens: number,
    form?: ReplyForm,
  ): Promise<WrittenFrom | null> {
    let shown: readonly ShownSource[] = []
    const prompt = (room: number) => messages((shown = fitting(sources, room)))
    const reply = await this.#reply(prompt, maxTokens, form)
    return reply && { reply, shown }
  }

  async #reply(
    prompt: (room: number) => readonly ChatMessage[],
    maxTokens: number,
    form?: ReplyForm,
  ): Promise<Reply | null> {
    const { model, signal, log } = this.#options
    if (this.#tokens < maxTokens) return null
    if (this.#failures >= MAX_FAILURES) return this.#without()
    this.#tokens -= maxTokens
    try {
      const reply = await model.reply(prompt, {
        maxTokens,
        signal,
        patience: "report",
        ...(form && { form }),
      })
      this.#failures = 0
      return reply
    } catch (error) {
      if (!(error instanceof ChatModelError)) throw error
      this.#failures++
      log.warn({ reason: error.message }, "the model gave no reply; research continues without it")
      return this.#without()
    }
  }

  #without(): null {
    leaveOut("language_model")
    return null
  }

  /** Keeps the values that a source supports; the others become null and are listed. */
  async #borneOut(value: unknown, path: string, filling: Filling): Promise<unknown> {
    if (Array.isArray(value)) {
      const kept: unknown[] = []
      for (const [i, one] of value.entries()) kept.push(await this.#borneOut(one, `${path}[${i}]`, filling))
      return kept.filter((one) => one !== null)
    }
    if (typeof value === "object" && value !== null) {
      const inner: [string, unknown][] = []
      for (const [name, one] of Object.entries(value)) {
        inner.push([name, await this.#borneOut(one, path === "" ? name : `${path}.${name}`, filling)])
      }
      return Object.fromEntries(inner)
    }
    const text = typeof value === "string" || typeof value === "number" ? String(value) : null
    for (const one of text === null ? [] : filling.shown) {
      if (!(await this.#bearing.bears(text!, `${one.source.title}\n${one.text}`, SUPPORTED))) continue
      filling.used.add(one.place)
      return value
    }
    filling.missing.push(path)
    return null
  }
}

/** A reply, and the sources that the model was shown for it. */
interface WrittenFrom {
  readonly reply: Reply
  readonly shown: readonly ShownSource[]
}

interface Filling {
  readonly shown: readonly ShownSource[]
  readonly missing: string[]
  readonly used: Set<number>
}

export interface Filled {
  readonly content: Readonly<Record<string, unknown>>
  readonly missing: readonly string[]
  /** Indexes of the sources that support values. */
  readonly sources: readonly number[]
}

/** Sections without sentences that an earlier section already has; sections that become empty are left out. */
export function withoutRepeats(sections: readonly Section[]): Section[] {
  const said: { readonly terms: ReadonlySet<string>; readonly numbers: string }[] = []
  return sections
    .map((section) => ({
      ...section,
      findings: section.findings.filter(({ text }) => {
        const terms = new Set(analyseQuery(text, null).terms)
        const numbers = (text.match(/\d+(?:[.,]\d+)*/g) ?? []).sort().join()
        const isKnown = said.some((one) => one.numbers === numbers && dice(one.terms, terms) >= SAME)
        if (!isKnown) said.push({ terms, numbers })
        return !isKnown
      }),
    }))
    .filter(({ findings }) => findings.length > 0)
}

/** Texts grouped by their first source, in the order in which the sources first appear. */
const bySource = (findings: readonly ReportText[]): [number, ReportText[]][] => [
  ...Map.groupBy(findings, ({ sources }) => sources[0]!),
]

/** Texts of one source whose page number is known. */
const pagedIn = (findings: readonly ReportText[], place: number): PagedText[] =>
  findings.flatMap(({ text, pages }) => (pages?.[place] ? [{ text, at: pages[place] }] : []))

const passagesOf = ({ passages }: Hit): string =>
  passages
    // Passages hidden from the model support nothing.
    .filter((passage) => !passageHoldsOrder({ ...passage, headings: passage.headings.slice(-1) }))
    .map((passage) => [passage.headings.at(-1) ?? "", shownOf(passage)].filter(Boolean).join("\n"))
    .join("\n")

/** As many of the sources as fit into a request; always the first one, cut if it is too long. */
function fitting(sources: readonly ShownSource[], room: number): ShownSource[] {
  let left = Math.min(MAX_SHOWN_TOKENS, room - PROMPT_TOKENS)
  const taken: ShownSource[] = []
  for (const one of sources) {
    const cost = tokensOf(one.text)
    if (cost <= left) taken.push(one)
    // In the worst case, a token is three characters of Latin script, or one of Chinese.
    else if (taken.length === 0) taken.push({ ...one, text: one.text.slice(0, Math.max(0, left)) })
    left -= cost
    if (left <= 0) break
  }
  return taken
}
