import { randomUUID } from "node:crypto"

import type { Embedder, Engine, Hit } from "#engine"
import { extractAnswer } from "#engine/answer-extraction/extract-answer.ts"

import type { Emit, Step, StepName } from "./report/events.ts"
import type { Evidence, Question, Source } from "./sources/evidence.ts"
import { type PageMemory, SeenPages } from "./sources/held-pages.ts"
import { attachedHits, sourceOfHit } from "./sources/sources.ts"
import { gaps, questionsOf, subtopics } from "./plan.ts"
import { type ResearchRequest, searchRules } from "./request.ts"

/** How far a task goes. Each question is one search at the deepest depth and one reading of what it found. */
export interface Effort {
  /** Subtopics in each round after the first. */
  readonly rounds: readonly number[]
  /** Questions for what is still missing at the end. */
  readonly gaps: number
  /** Pages of a search that are read for statements. */
  readonly pagesRead: number
}

export const EFFORTS: Readonly<Record<ResearchRequest["model"], Effort>> = {
  mini: { rounds: [4], gaps: 2, pagesRead: 6 },
  pro: { rounds: [8, 6], gaps: 4, pagesRead: 10 },
}

const PAGES_FOUND = 12
const PASSAGES_OF_PAGE = 5

export interface InvestigationParts {
  readonly engine: Pick<Engine, "search">
  readonly embedder: Pick<Embedder, "embed">
  readonly pages: PageMemory
  /** Plans questions instead of the rules of `plan.ts`; null, or an empty list from it, leaves it to those. */
  readonly planner:
    | ((input: string, hits: readonly Hit[], count: number) => Promise<readonly Question[]>)
    | null
  readonly emit: Emit
  /** Called when a question is done: what is known now can be gone on with. */
  readonly onProgress: () => void
  readonly signal: AbortSignal
}

/**
 * Looks into a request until its effort is spent: first the questions it asks itself, then, round by round, the subtopics
 * that the pages found bring up, at last what the input names and nothing found speaks of. Goes on where `evidence` ends.
 */
export async function investigate(
  request: ResearchRequest,
  evidence: Evidence,
  parts: InvestigationParts,
): Promise<void> {
  const { emit } = parts
  const effort = EFFORTS[request.model]
  const done = evidence.questions.length
  const seen = new SeenPages()
  const ask = async (questions: readonly Question[], name: StepName, about: string) => {
    // Questions that were done before a restart are planned alike, and known by their text.
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
    const part: Step = {
      name: "WebSearch",
      id: stepId(),
      about: `Searching for ${question.text}`,
      parent: parent.id,
    }
    const nested = parent.name === "ResearchSubtopic"
    if (nested) emit({ kind: "call", step: { ...part, queries: [question.text] } })
    const hits = await find(request, question.text, parts)
    seen.add(hits)
    const found = [...(await attachedHits(request.files, question.text)), ...hits].slice(0, effort.pagesRead)
    const { made: sources, unread } = await parts.pages.read(found, async (read) => {
      await collect(question, read, evidence, parts)
      return read.map(sourceOfHit)
    })
    evidence.unread += unread
    if (nested) emit({ kind: "response", step: { ...part, sources } })
    evidence.searches++
    parts.onProgress()
    return sources
  }

  const planning: Step = { name: "Planning", id: stepId(), about: "Initializing research plan" }
  emit({ kind: "call", step: planning })
  const own = questionsOf(request.input)
  emit({
    kind: "response",
    step: { ...planning, about: `Research plan: ${own.length} questions to begin with` },
  })
  await ask(own, "WebSearch", `Executing ${own.length} search queries`)
  if (seen.ranked.length === 0 && done > 0) seen.add(await find(request, request.input, parts))
  for (const [round, count] of effort.rounds.entries()) {
    const { ranked } = seen
    const planned = round === 0 ? await planFromModel(request.input, ranked, count, parts) : []
    const known = evidence.questions
    const questions =
      planned.length > 0
        ? planned
        : await subtopics(request.input, ranked, { count, known, names: round > 0 })
    const name = request.model === "pro" ? "ResearchSubtopic" : "WebSearch"
    await ask(questions, name, `Looking into ${questions.length} subtopics`)
  }
  const missing = gaps(request.input, evidence.terms(), evidence.questions, effort.gaps)
  await ask(missing, "WebSearch", `Looking for what is still missing`)
}

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
): Promise<readonly Hit[]> {
  const { hits } = await engine.search(
    {
      text,
      depth: "advanced",
      limit: PAGES_FOUND,
      passagesPerPage: PASSAGES_OF_PAGE,
      ...searchRules(request),
    },
    { signal },
  )
  return hits
}

/** Takes what the pages state on a question into the evidence. */
async function collect(
  question: Question,
  hits: readonly Hit[],
  evidence: Evidence,
  { embedder, signal }: InvestigationParts,
): Promise<void> {
  const statements = await extractAnswer(question.text, hits, { length: "long", embedder, signal })
  signal.throwIfAborted()
  const place = evidence.questions.push(question) - 1
  for (const { text, source, kind } of statements) {
    // Code that no sentence announces: a report cannot say what it is for.
    if (kind !== "code") evidence.add(place, text, sourceOfHit(hits[source]!))
  }
}

const unique = (sources: readonly Source[]): Source[] => [
  ...new Map(sources.map((source) => [source.url, source])).values(),
]

const stepId = (): string => `fc_${randomUUID()}`
