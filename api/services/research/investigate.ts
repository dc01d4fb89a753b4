import { randomUUID } from "node:crypto"

import type { Embedder, Engine, Hit, SearchResult } from "#engine"
import { answeringUnits } from "#engine/answer-extraction/extract-answer.ts"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { analyse } from "#engine/text/analysis/analyse.ts"

import type { Emit, Step, StepName } from "./report/events.ts"
import { pagedTexts, pageSaying } from "./sources/cited-pages.ts"
import type { Evidence, Question, Source } from "./sources/evidence.ts"
import { type PageMemory, SeenPages } from "./sources/held-pages.ts"
import { attachedHits, sourceOfHit } from "./sources/sources.ts"
import { type Part, partOf, planOf } from "./plan/parts.ts"
import { followUps, isTopic, subtopics } from "./plan/subtopics.ts"
import { choose } from "./report/choose-units.ts"
import { LENGTHS } from "./report/report-length.ts"
import { type ResearchRequest, searchRules } from "./request.ts"

/** The extent of a task. Each question takes one search at the greatest depth, whose results are read once. */
export interface Effort {
  /** Number of subtopics of an input that only names a subject, and of a model's plan. */
  readonly subtopics: number
  /** Number of follow-up questions in each round. */
  readonly rounds: readonly number[]
  /** Whether answered parts are followed up as well as unanswered ones. */
  readonly deeper: boolean
  /** Number of pages per search that are read for units. */
  readonly pagesRead: number
}

export const EFFORTS: Readonly<Record<ResearchRequest["model"], Effort>> = {
  mini: { subtopics: 3, rounds: [4], deeper: false, pagesRead: 10 },
  pro: { subtopics: 5, rounds: [8, 6], deeper: true, pagesRead: 12 },
}

const PAGES_FOUND = 12
const PASSAGES_OF_PAGE = 8
/** Number of units that one question adds to the evidence. */
const UNITS_OF_QUESTION = 8

export interface InvestigationParts {
  readonly engine: Pick<Engine, "search">
  /** Judges units if there is no unit reader. */
  readonly embedder: Pick<Embedder, "embed">
  readonly unitReader: UnitReader | null
  readonly pages: PageMemory
  /** Plans questions instead of the rules of `plan/`; if this is `null` or returns an empty list, those rules apply. */
  readonly planner:
    | ((input: string, hits: readonly Hit[], count: number) => Promise<readonly Question[]>)
    | null
  readonly emit: Emit
  /** Called when a question is done, so that a restart can continue with the findings so far. */
  readonly onProgress: () => Promise<void>
  readonly signal: AbortSignal
}

/** The questions that were investigated, for the report. */
export interface Looked {
  /** The parts of the task. */
  readonly parts: readonly Part[]
  /** Further topics that were investigated. */
  readonly beside: readonly Part[]
}

/**
 * Investigates a request until its effort is spent: first the parts of the task; then the subtopics of a model's plan,
 * or, for an input that only names a subject, those that the pages found suggest; then, round by round, follow-ups to
 * the parts' answers. Continues where `evidence` ends.
 */
export async function investigate(
  request: ResearchRequest,
  evidence: Evidence,
  parts: InvestigationParts,
): Promise<Looked> {
  const { emit } = parts
  const effort = EFFORTS[request.model]
  const length = LENGTHS[request.outputLength]
  const done = evidence.questions.length
  const seen = new SeenPages()
  const own = planOf(request.input)
  const beside = (): Part[] =>
    evidence.questions
      .filter(({ text, follows }) => follows === undefined && !own.some((part) => part.text === text))
      .map(asPart)
  const ask = async (questions: readonly Question[], name: StepName, about: string) => {
    // Questions that were answered before a restart are planned again with the same text, which is how they are
    // recognised.
    const open = questions.filter(({ text }) => !evidence.questions.some((known) => known.text === text))
    if (open.length === 0) return
    const step: Step = { name, id: stepId(), about, queries: open.map(({ text }) => text) }
    emit({ kind: "call", step })
    const found: Source[] = []
    for (const question of open) found.push(...(await lookInto(question, step)))
    const { queries: _queries, ...ended } = step
    emit({ kind: "response", step: { ...ended, sources: unique(found) } })
  }
  const lookInto = async (question: Question, parent: Step): Promise<Source[]> => {
    parts.signal.throwIfAborted()
    const step: Step = {
      name: "WebSearch",
      id: stepId(),
      about: `Searching for ${question.text}`,
      parent: parent.id,
    }
    const nested = parent.name === "ResearchSubtopic"
    if (nested) emit({ kind: "call", step: { ...step, queries: [question.text] } })
    const { hits, rarity } = await find(request, question.text, parts)
    seen.add(hits)
    const asked = question.follows ?? question.text
    const part = [...own, ...beside()].find(({ text }) => text === asked) ?? asPart(question)
    const found = [...(await attachedHits(request.files, question.text)), ...hits].slice(0, effort.pagesRead)
    const { made: sources, unread } = await parts.pages.read(found, async (read) => {
      await collect({ question, part, rarity }, read, evidence, parts)
      return read.map(sourceOfHit)
    })
    evidence.unread += unread
    if (nested) emit({ kind: "response", step: { ...step, sources } })
    evidence.searches++
    await parts.onProgress()
    return sources
  }

  const planning: Step = { name: "Planning", id: stepId(), about: "Initializing research plan" }
  emit({ kind: "call", step: planning })
  emit({
    kind: "response",
    step: { ...planning, about: `Research plan: ${own.length} questions to begin with` },
  })
  await ask(own, "WebSearch", `Executing ${own.length} search queries`)
  if (seen.ranked.length === 0 && done > 0) seen.add((await find(request, request.input, parts)).hits)
  const about = request.model === "pro" ? "ResearchSubtopic" : "WebSearch"
  const planned = await planFromModel(request.input, seen.ranked, effort.subtopics, parts)
  const { questions: known } = evidence
  // Pages that are merely close to a question, or to a subject that no page covers, are not enough for a report.
  const isWide = own.length === 1 && isTopic(request.input) && evidence.answersTo(own[0]!).length > 0
  const more =
    planned.length > 0 || !isWide
      ? planned
      : await subtopics(request.input, seen.ranked, { count: effort.subtopics, known })
  await ask(more, about, `Looking into ${more.length} subtopics`)
  for (const count of effort.rounds) {
    const found = choose(own, evidence, length).map(({ part, units }) => ({
      part,
      headings: units.map(({ headings }) => headings),
    }))
    const { questions: known } = evidence
    const nearest = seen.ranked[0]?.title ?? null
    const open = followUps(found, nearest, { count, known, deeper: effort.deeper })
    await ask(open, about, `Looking into ${open.length} follow-up questions`)
  }
  return { parts: own, beside: beside() }
}

/** A question that was investigated in addition to the parts of the task. */
const asPart = (question: Question): Part => ({ ...partOf(question.text), ...question })

async function planFromModel(
  input: string,
  hits: readonly Hit[],
  count: number,
  { planner }: InvestigationParts,
): Promise<readonly Question[]> {
  return planner ? await planner(input, hits.slice(0, PAGES_FOUND), count) : []
}

async function find(
  request: ResearchRequest,
  text: string,
  { engine, signal }: InvestigationParts,
): Promise<Pick<SearchResult, "hits" | "rarity">> {
  return await engine.search(
    {
      text,
      depth: "advanced",
      limit: PAGES_FOUND,
      passagesPerPage: PASSAGES_OF_PAGE,
      ...searchRules(request),
    },
    { signal },
  )
}

/** A question, the part of the report that it is asked for, and how rare its words are. */
interface Asked {
  readonly question: Question
  readonly part: Part
  /** How rare the search words are. */
  readonly rarity: SearchResult["rarity"]
}

/** Adds the units of the answering pages to the evidence. */
async function collect(
  { question, part, rarity }: Asked,
  hits: readonly Hit[],
  evidence: Evidence,
  { embedder, unitReader, signal }: InvestigationParts,
): Promise<void> {
  const known = evidence.questions.find(({ text }) => text === part.text)
  const rarities = known?.rarities ?? [...(rarity ?? [])]
  const units = await answeringUnits(part.question, hits, {
    embedder,
    reader: unitReader,
    signal,
    compared: part.compared,
    context: part.context,
    rarity: new Map(rarities),
  })
  signal.throwIfAborted()
  const { text, label, follows } = question
  evidence.questions.push({ text, label, ...(follows === undefined ? { rarities } : { follows }) })
  const sources = hits.map(sourceOfHit)
  const pages = sources.map((source, at) => ({ ...source, score: hits[at]!.score }))
  evidence.lookedAt(pages, termsOfPages(hits))
  const place = evidence.questions.findIndex(({ text }) => text === part.text)
  for (const unit of units.slice(0, UNITS_OF_QUESTION)) {
    const page = pageSaying(unit.text, pagedTexts(hits[unit.source]!))
    evidence.add(place, unit, sources[unit.source]!, page)
  }
}

/** The terms in the titles and passages found. */
const termsOfPages = (hits: readonly Hit[]): ReadonlySet<string> =>
  new Set(
    hits.flatMap(({ title, passages }) =>
      analyse([title, ...passages.map(({ text }) => text)].join("\n"), null),
    ),
  )

const unique = (sources: readonly Source[]): Source[] => [
  ...new Map(sources.map((source) => [source.url, source])).values(),
]

const stepId = (): string => `fc_${randomUUID()}`
