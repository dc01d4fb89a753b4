import { randomUUID } from "node:crypto"

import type { Logger } from "pino"

import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Engine, Hit } from "#engine"
import { extractAnswer } from "#engine/answer-extraction/extract-answer.ts"

import type { ChatModel } from "../chat-models/chat-model.ts"
import { citationsOf } from "./report/citations.ts"
import type { Emit, Step } from "./report/events.ts"
import { Evidence, type EvidenceRecord, type Source } from "./sources/evidence.ts"
import { investigate } from "./investigate.ts"
import { choose } from "./report/choose-findings.ts"
import { outline, SUMMARY } from "./report/outline.ts"
import { refusal, rendered, type Section, unreadNote } from "./report/report.ts"
import { WORDS } from "./report/report-length.ts"
import { type ResearchRequest, searchRules } from "./request.ts"
import type { PageMemory } from "./sources/held-pages.ts"
import { Nearness } from "./sources/nearness.ts"
import type { Plan } from "./plan/parts.ts"
import { subjectWords, wordsWithout } from "./plan/words.ts"
import { attachedHits, sourceOfHit } from "./sources/sources.ts"
import { type Answering, fillSchema, type MissingValue } from "./report/structured.ts"
import { withoutRepeats, Writer } from "./writing/writer.ts"

export interface ResearchParts {
  /** Sees what the caller may see, and nothing else. */
  readonly engine: Pick<Engine, "search">
  readonly embedder: Pick<Embedder, "embed" | "traits">
  readonly pages: PageMemory
  /** Null: the report is made of the pages' own sentences. */
  readonly chatModel: ChatModel | null
  /** Tokens that a model may write in one task. */
  readonly modelTokens: number
}

export interface ResearchRun {
  /** What an earlier run found before it was stopped. */
  readonly found: EvidenceRecord | null
  readonly emit: Emit
  /** Told what is known so far, after each question. */
  readonly onProgress: (found: EvidenceRecord) => Promise<void>
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface ResearchResult {
  /** Markdown, or an object of the form that was asked for. */
  readonly content: string | object
  /** In the order of their first citation. */
  readonly sources: readonly Source[]
  /** Values of a structured report that nothing found gives. */
  readonly missing: readonly MissingValue[]
  readonly searches: number
}

const NOT_BORNE_OUT = "No source that the language model was shown bears a value out."
/** Pages that one value of a structured report is looked for in. */
const PAGES_FOR_VALUE = 6

/** Makes one report, from its request to its last sentence. */
export async function runResearch(
  request: ResearchRequest,
  parts: ResearchParts,
  { found, emit, onProgress, signal, log }: ResearchRun,
): Promise<ResearchResult> {
  const evidence = found ? new Evidence(found) : new Evidence()
  const { chatModel: model, modelTokens: tokens } = parts
  const passages = async (question: string) => [
    ...(await attachedHits(request.files, question)),
    ...(await passagesOn(question, request, parts.engine, signal)),
  ]
  const writer = model ? new Writer({ model, tokens, signal, log, embedder: parts.embedder, passages }) : null
  const nearness = new Nearness(parts.embedder)
  const plan = await investigate(request, evidence, {
    ...parts,
    nearness,
    planner: writer ? (input, hits, count) => writer.plan(input, hits, count) : null,
    emit,
    onProgress: () => onProgress(evidence.toRecord()),
    signal,
  })
  const step: Step = { name: "Generating", id: `fc_${randomUUID()}`, about: "Generating final report" }
  emit({ kind: "call", step })
  const result = request.outputSchema
    ? await structuredReport(request, request.outputSchema, evidence, parts, { writer, nearness, signal })
    : await textReport(request, plan, evidence, { writer, nearness, signal, emit, started: step })
  if (request.outputSchema) {
    // Its form has no place for it.
    const limits = evidence.unread > 0 ? `. ${unreadNote(evidence.unread)}` : ""
    emit({ kind: "response", step: { ...step, about: `Report generated${limits}` } })
    emit({ kind: "content", content: result.content })
  }
  if (evidence.unread > 0) {
    leaveOut("pages")
    log.warn({ pages: evidence.unread }, "no memory for pages of a report")
  }
  return { ...result, searches: evidence.searches }
}

type Report = Omit<ResearchResult, "searches">

/** The report piece by piece, so that a caller may read along. */
async function textReport(
  { input, outputLength, citationFormat }: ResearchRequest,
  plan: Plan,
  evidence: Evidence,
  {
    writer,
    nearness,
    signal,
    emit,
    started,
  }: { writer: Writer | null; nearness: Nearness; signal: AbortSignal; emit: Emit; started: Step },
): Promise<Report> {
  const answered = await choose(plan, evidence, { length: outputLength, nearness, signal })
  const found = outline(answered, evidence, outputLength)
  const absent = wordsWithout(input, evidence.terms())
  const sections = isOfElse(input, absent, evidence) ? [] : found.sections
  const { missing } = found
  const words = Math.round(WORDS[outputLength] / Math.max(1, sections.length))
  const written = writer ? await inWords(input, sections, { writer, evidence, words, signal }) : sections
  emit({ kind: "response", step: { ...started, about: "Report generated" } })
  const citations = citationsOf(evidence.sources, citationFormat)
  const refused = () => refusal(evidence, absent)
  const notes = { missing, unread: evidence.unread, refusal: refused }
  let content = ""
  for (const piece of rendered(input, written, citations, notes)) {
    emit({ kind: "content", content: piece })
    content += piece
  }
  return { content, sources: citations.cited, missing: [] }
}

/** Of the words that name what a task is about, so many are in no page found when its subject is not in the index. */
const ABSENT = { least: 2, share: 0.4 }
const ENGLISH = /\b(?:the|of|and|is|are|in|on|for|how|what)\b/gi

/** Whether a task is about something else than all pages found. English only: pages in another language have other words. */
function isOfElse(input: string, absent: readonly string[], { findings }: Evidence): boolean {
  const isEnglish = (text: string) => (text.match(ENGLISH) ?? []).length >= 2
  const english = findings.filter(({ text }) => isEnglish(text)).length
  return (
    absent.length >= ABSENT.least &&
    absent.length >= ABSENT.share * subjectWords(input).length &&
    isEnglish(input) &&
    english >= findings.length / 3
  )
}

/** The sections as the model writes them; last the first one, which sums the others up. */
async function inWords(
  input: string,
  sections: readonly Section[],
  {
    writer,
    evidence,
    words,
    signal,
  }: { writer: Writer; evidence: Evidence; words: number; signal: AbortSignal },
): Promise<readonly Section[]> {
  const [first, ...others] = sections
  if (!first) return []
  // A comparison alone begins with its table.
  const lead = first.table || others.length === 0 ? null : first
  const written: Section[] = []
  for (const section of lead ? others : sections) {
    signal.throwIfAborted()
    const one = section.table ? null : await writer.section(input, section, evidence, words)
    if (one !== "nothing") written.push(one ?? section)
  }
  const rest = withoutRepeats(written)
  if (others.length === 0) return rest
  const summary = await writer.summary(input, lead ? [...rest, lead] : rest, evidence)
  if (summary) return [{ heading: SUMMARY, findings: summary }, ...rest]
  return lead ? [lead, ...rest] : rest
}

/** Pages that a section is written from. */
const PAGES_FOR_SECTION = 8
const PASSAGES_OF_PAGE = 3

async function passagesOn(
  question: string,
  request: ResearchRequest,
  engine: ResearchParts["engine"],
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const { hits } = await engine.search(
    {
      text: question,
      depth: "advanced",
      limit: PAGES_FOR_SECTION,
      passagesPerPage: PASSAGES_OF_PAGE,
      withMarkdown: false,
      ...searchRules(request),
    },
    { signal },
  )
  return hits
}

async function structuredReport(
  request: ResearchRequest,
  schema: NonNullable<ResearchRequest["outputSchema"]>,
  evidence: Evidence,
  { engine, embedder, pages }: ResearchParts,
  { writer, nearness, signal }: { writer: Writer | null; nearness: Nearness; signal: AbortSignal },
): Promise<Report> {
  const filled = await writer?.form(request.input, schema, evidence)
  if (filled) {
    const { content } = filled
    const missing = filled.missing.map((path) => ({ path, reason: NOT_BORNE_OUT }))
    return { content, missing, sources: filled.sources.map((place) => evidence.sources[place]!) }
  }
  const answer = async (question: string, about: string): Promise<Answering[]> => {
    signal.throwIfAborted()
    const { hits } = await engine.search(
      { text: question, depth: "advanced", limit: PAGES_FOR_VALUE, ...searchRules(request) },
      { signal },
    )
    evidence.searches++
    const all: Hit[] = [...(await attachedHits(request.files, question)), ...hits]
    const { made, unread } = await pages.read(all, async (read) => {
      const found = await extractAnswer(question, read, { length: "evidence", embedder, signal })
      signal.throwIfAborted()
      // No more of the page than its source is told by.
      const told = read.map((hit) => ({ ...hit, markdown: "" }))
      await nearness.know([about, ...found.map(({ text }) => text)], signal)
      return found.map(({ text, source }) => ({
        text,
        hit: told[source]!,
        nearness: nearness.between(about, text),
      }))
    })
    evidence.unread += unread
    return made
  }
  const { content, missing, hits } = await fillSchema(request.input, schema, answer)
  return { content, missing, sources: hits.map(sourceOfHit) }
}
