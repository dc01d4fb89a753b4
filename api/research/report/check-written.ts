import type { Logger } from "pino"

import type { Hit } from "#engine"

import { type ChatModel, ChatModelError } from "../../answers/chat-model.ts"
import { checkedSentences, isBorneOut } from "../../answers/check-citations.ts"
import type { Evidence, Finding, Question } from "../sources/evidence.ts"
import {
  formMessages,
  planMessages,
  readForm,
  readPlan,
  sectionMessages,
  type ShownSource,
} from "../model-prompts.ts"
import type { OutputSchema } from "./output-schema.ts"
import type { Section } from "./report.ts"
import { violations } from "./structured.ts"

/** Part of a sentence's telling words that its source must have: reports are read by those who did not see the sources. */
const SUPPORTED = 0.7
/** Tokens of a word, about, with room for citations. */
const TOKENS_OF_WORD = 2.5
const PLAN_TOKENS = 400
const FORM_TOKENS = 2000
/** A model that fails so often in a row is not asked again in this task. */
const MAX_FAILURES = 2
/** Characters of sources that one request shows. */
const MAX_SHOWN_CHARS = 24_000

export interface WriterOptions {
  readonly model: ChatModel
  /** Tokens that the replies of one task may have in all. */
  readonly tokens: number
  readonly signal: AbortSignal
  readonly log: Logger
}

/**
 * A model at work on one task, within a budget. What it writes is checked sentence by sentence against the statements it
 * was shown; what they do not bear out is left out. Each method gives null (or nothing) when the model fails, is too late,
 * has spent its tokens, or nothing of its reply holds: then the task goes on without it.
 */
export class Writer {
  readonly #options: WriterOptions
  #tokens: number
  #failures = 0

  constructor(options: WriterOptions) {
    this.#options = options
    this.#tokens = options.tokens
  }

  async plan(input: string, hits: readonly Hit[], count: number): Promise<readonly Question[]> {
    const reply = await this.#reply(planMessages(input, hits, count), PLAN_TOKENS)
    return reply === null ? [] : readPlan(reply, count)
  }

  /** The section in the model's words: its sentences as findings, each with the source that bears it out. */
  async section(input: string, section: Section, evidence: Evidence, words: number): Promise<Section | null> {
    const shown = shownFor(section.findings, evidence)
    const messages = sectionMessages(input, section.heading, shown, words)
    const reply = await this.#reply(messages, Math.ceil(words * TOKENS_OF_WORD))
    if (reply === null || /^\W*NONE\W*$/i.test(reply)) return null
    const sentences = checkedSentences(
      reply,
      shown.map(({ text }) => text),
      SUPPORTED,
    )
    if (sentences.length === 0) return null
    const findings = sentences.map(({ text, source }): Finding => ({
      text,
      sources: [shown[source]!.place],
      question: section.findings[0]!.question,
      disagrees: null,
    }))
    return { heading: section.heading, findings }
  }

  /** The form filled in; what the sources do not bear out is null. Null when the reply does not fit the form. */
  async form(input: string, schema: OutputSchema, evidence: Evidence): Promise<Filled | null> {
    const shown = shownFor(evidence.findings, evidence)
    const reply = await this.#reply(formMessages(input, schema, shown), FORM_TOKENS)
    const form = reply === null ? undefined : readForm(reply)
    if (typeof form !== "object" || form === null || violations(schema, form).length > 0) return null
    const missing: string[] = []
    const used = new Set<number>()
    const content = borneOut(form, "", shown, missing, used) as Record<string, unknown>
    return { content, missing, sources: [...used] }
  }

  async #reply(messages: Parameters<ChatModel["reply"]>[0], maxTokens: number): Promise<string | null> {
    const { model, signal, log } = this.#options
    if (this.#tokens < maxTokens || this.#failures >= MAX_FAILURES) return null
    this.#tokens -= maxTokens
    try {
      const reply = await model.reply(messages, { maxTokens, signal })
      this.#failures = 0
      return reply
    } catch (error) {
      if (!(error instanceof ChatModelError)) throw error
      this.#failures++
      log.warn({ reason: error.message }, "the model gave no reply; research continues without it")
      return null
    }
  }
}

export interface Filled {
  readonly content: Readonly<Record<string, unknown>>
  readonly missing: readonly string[]
  /** Places of the sources that bear values out. */
  readonly sources: readonly number[]
}

/** The statements by source, as many as one request may show. */
function shownFor(findings: readonly Finding[], { sources }: Evidence): ShownSource[] {
  const shown: ShownSource[] = []
  let chars = 0
  for (const [place, some] of Map.groupBy(findings, (finding) => finding.sources[0]!)) {
    const text = some.map((finding) => finding.text).join("\n")
    if (shown.length > 0 && chars + text.length > MAX_SHOWN_CHARS) break
    chars += text.length
    shown.push({ place, source: sources[place]!, text })
  }
  return shown
}

/** The values that some source bears out, the others null and named. */
function borneOut(
  value: unknown,
  path: string,
  shown: readonly ShownSource[],
  missing: string[],
  used: Set<number>,
): unknown {
  if (Array.isArray(value)) {
    return value
      .map((one, i) => borneOut(one, `${path}[${i}]`, shown, missing, used))
      .filter((one) => one !== null)
  }
  if (typeof value === "object" && value !== null) {
    const inner = Object.entries(value).map(([name, one]): [string, unknown] => [
      name,
      borneOut(one, path === "" ? name : `${path}.${name}`, shown, missing, used),
    ])
    return Object.fromEntries(inner)
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : null
  const from =
    text === null
      ? undefined
      : shown.find((one) => isBorneOut(text, `${one.source.title}\n${one.text}`, SUPPORTED))
  if (from === undefined) {
    missing.push(path)
    return null
  }
  used.add(from.place)
  return value
}
