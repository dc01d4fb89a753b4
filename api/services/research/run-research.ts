import { randomUUID } from "node:crypto"

import type { Logger } from "pino"

import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, Engine, Hit } from "#engine"
import { answeringUnits } from "#engine/answer-extraction/extract-answer.ts"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"

import { withLeads } from "../answers/cited-text.ts"
import type { ChatModel } from "../chat-models/chat-model.ts"
import { citationsOf } from "./report/citations.ts"
import type { Emit, Step } from "./report/events.ts"
import { Evidence, type EvidenceRecord, type Source } from "./sources/evidence.ts"
import { investigate, type Looked } from "./investigate.ts"
import { choose } from "./report/choose-units.ts"
import { outline } from "./report/outline.ts"
import { refusal, rendered, type Section, unreadNote } from "./report/report.ts"
import { LENGTHS } from "./report/report-length.ts"
import { type ResearchRequest, searchRules } from "./request.ts"
import type { PageMemory } from "./sources/held-pages.ts"
import { patient } from "./sources/patient-reader.ts"
import { subjectWords } from "./plan/words.ts"
import { attachedHits, sourceOfHit } from "./sources/sources.ts"
import { type Answering, fillSchema, type MissingValue } from "./report/structured.ts"
import { withoutRepeats, Writer } from "./writing/writer.ts"

export interface ResearchParts {
  /** An engine that sees only what the caller may see. */
  readonly engine: Pick<Engine, "search">
  readonly embedder: Pick<Embedder, "embed" | "traits">
  /** Judges which pieces of the pages answer a question; if `null`, pieces are chosen by other means. */
  readonly unitReader: UnitReader | null
  readonly pages: PageMemory
  /** Writes the report; if `null`, the report is made from the pages' own texts. */
  readonly chatModel: ChatModel | null
  /** Maximum number of tokens that a model may write in one task. */
  readonly modelTokens: number
}

export interface ResearchRun {
  /** The findings of an earlier run that was stopped. */
  readonly found: EvidenceRecord | null
  readonly emit: Emit
  /** Called with the findings so far, after each question. */
  readonly onProgress: (found: EvidenceRecord) => Promise<void>
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface ResearchResult {
  /** Markdown, or an object of the requested form. */
  readonly content: string | object
  /** The sources, in the order of their first citation. */
  readonly sources: readonly Source[]
  /** Values of a structured report for which nothing was found. */
  readonly missing: readonly MissingValue[]
  readonly searches: number
}

const NOT_BORNE_OUT = "No source shown to the language model supports a value."
/** Number of pages searched for one value of a structured report. */
const PAGES_FOR_VALUE = 6

/** Makes one report, from its request to its last sentence. */
export async function runResearch(
  request: ResearchRequest,
  given: ResearchParts,
  { found, emit, onProgress, signal, log }: ResearchRun,
): Promise<ResearchResult> {
  const evidence = new Evidence(found, subjectWords(request.input))
  const { chatModel: model, modelTokens: tokens } = given
  const parts = { ...given, unitReader: given.unitReader && patient(given.unitReader) }
  const passages = async (question: string) => [
    ...(await attachedHits(request.files, question)),
    ...(await passagesOn(question, request, parts.engine, signal)),
  ]
  const writer = model ? new Writer({ model, tokens, signal, log, embedder: parts.embedder, passages }) : null
  const looked = await investigate(request, evidence, {
    ...parts,
    planner: writer ? (input, hits, count) => writer.plan(input, hits, count) : null,
    emit,
    onProgress: () => onProgress(evidence.toRecord()),
    signal,
  })
  const step: Step = { name: "Generating", id: `fc_${randomUUID()}`, about: "Generating final report" }
  emit({ kind: "call", step })
  const result = request.outputSchema
    ? await structuredReport(request, request.outputSchema, evidence, parts, { writer, signal })
    : await textReport(request, looked, evidence, { writer, signal, emit, started: step })
  if (request.outputSchema) {
    // The structured report has no place for this note.
    const limits = evidence.unread > 0 ? `. ${unreadNote(evidence.unread)}` : ""
    emit({ kind: "response", step: { ...step, about: `Report generated${limits}` } })
    emit({ kind: "content", content: result.content })
  }
  if (evidence.unread > 0) {
    leaveOut("pages")
    log.warn({ pages: evidence.unread }, "some pages of a report could not be read: the memory was used up")
  }
  return { ...result, searches: evidence.searches }
}

type Report = Omit<ResearchResult, "searches">

/** Sends the report piece by piece, so that a caller can read it as it is written. */
async function textReport(
  { input, outputLength, citationFormat }: ResearchRequest,
  { parts, beside }: Looked,
  evidence: Evidence,
  {
    writer,
    signal,
    emit,
    started,
  }: { writer: Writer | null; signal: AbortSignal; emit: Emit; started: Step },
): Promise<Report> {
  const length = LENGTHS[outputLength]
  const answered = choose([...parts, ...beside], evidence, length)
  const { sections, missing } = outline(
    answered.slice(0, parts.length),
    answered.slice(parts.length),
    evidence,
  )
  const words = Math.round(length.words / Math.max(1, sections.length))
  const written = writer ? await inWords(input, sections, { writer, evidence, words, signal }) : sections
  emit({ kind: "response", step: { ...started, about: "Report generated" } })
  const citations = citationsOf(evidence.sources, citationFormat)
  const notes = { missing, unread: evidence.unread, refusal: () => refusal(evidence) }
  let content = ""
  for (const piece of rendered(input, written, citations, notes)) {
    emit({ kind: "content", content: piece })
    content += piece
  }
  return { content, sources: citations.cited, missing: [] }
}

/** The heading of the part that the model writes last but that appears first. */
const SUMMARY = "Summary"

/** The sections as the model writes them, below its summary; unchanged if the model finds nothing to say about any of them. */
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
  const written: Section[] = []
  for (const section of sections) {
    signal.throwIfAborted()
    const one = section.table ? null : await writer.section(input, section, evidence, words)
    if (one !== "nothing") written.push(one ?? section)
  }
  const rest = withoutRepeats(written)
  if (rest.length === 0 || sections.length === 1) return rest.length === 0 ? sections : rest
  const summary = await writer.summary(input, rest, evidence)
  return summary ? [{ heading: SUMMARY, asks: input, findings: summary }, ...rest] : rest
}

/** Number of pages that a section is written from. */
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
  { engine, embedder, unitReader, pages }: ResearchParts,
  { writer, signal }: { writer: Writer | null; signal: AbortSignal },
): Promise<Report> {
  const filled = await writer?.form(request.input, schema, evidence)
  if (filled) {
    const { content } = filled
    const missing = filled.missing.map((path) => ({ path, reason: NOT_BORNE_OUT }))
    return { content, missing, sources: filled.sources.map((place) => evidence.sources[place]!) }
  }
  const answer = async (question: string): Promise<Answering[]> => {
    signal.throwIfAborted()
    const { hits, rarity } = await engine.search(
      { text: question, depth: "advanced", limit: PAGES_FOR_VALUE, ...searchRules(request) },
      { signal },
    )
    evidence.searches++
    const all: Hit[] = [...(await attachedHits(request.files, question)), ...hits]
    const { made, unread } = await pages.read(all, async (read) => {
      const options = { embedder, reader: unitReader, signal, ...(rarity && { rarity }) }
      const found = await answeringUnits(question, read, options)
      signal.throwIfAborted()
      // From here on, only the sources are needed, not the page text.
      const told = read.map((hit) => ({ ...hit, markdown: "" }))
      return found.map((unit) => ({ text: withLeads(unit), hit: told[unit.source]! }))
    })
    evidence.unread += unread
    return made
  }
  const { content, missing, hits } = await fillSchema(request.input, schema, answer)
  return { content, missing, sources: hits.map(sourceOfHit) }
}
