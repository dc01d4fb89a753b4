import { randomUUID } from "node:crypto"

import type { Engine, Hit } from "#engine"

import type { Emit, Step, StepName } from "./report/events.ts"
import type { Evidence, Question, Source } from "./sources/evidence.ts"
import type { Nearness } from "./sources/nearness.ts"
import { type StatedText, statedBy } from "./sources/stated.ts"
import { type PageMemory, SeenPages } from "./sources/held-pages.ts"
import { attachedHits, sourceOfHit } from "./sources/sources.ts"
import { partOf, type Plan, planOf } from "./plan/parts.ts"
import { followUps, subtopics } from "./plan/subtopics.ts"
import { choose } from "./report/choose-findings.ts"
import { type ResearchRequest, searchRules } from "./request.ts"

/** How far a task goes. Each question is one search at the deepest depth and one reading of what it found. */
export interface Effort {
  /** Subtopics of an input that asks but one thing, and of a model's plan. */
  readonly subtopics: number
  /** Questions in each round that follow from what was found. */
  readonly rounds: readonly number[]
  /** Whether parts that are answered are followed up, too, or those alone that are not. */
  readonly deeper: boolean
  /** Pages of a search that are read for statements. */
  readonly pagesRead: number
}

export const EFFORTS: Readonly<Record<ResearchRequest["model"], Effort>> = {
  mini: { subtopics: 3, rounds: [2], deeper: false, pagesRead: 10 },
  pro: { subtopics: 5, rounds: [8, 6], deeper: true, pagesRead: 12 },
}

const PAGES_FOUND = 12
const PASSAGES_OF_PAGE = 8
/** Statements that one question takes into the evidence: each is embedded, at some 10 ms of processor time. */
const STATEMENTS_OF_QUESTION = 120

export interface InvestigationParts {
  readonly engine: Pick<Engine, "search">
  readonly nearness: Nearness
  readonly pages: PageMemory
  /** Plans questions instead of the rules of `plan.ts`; null, or an empty list from it, leaves it to those. */
  readonly planner:
    | ((input: string, hits: readonly Hit[], count: number) => Promise<readonly Question[]>)
    | null
  readonly emit: Emit
  /** Called when a question is done: what is known now can be gone on with. */
  readonly onProgress: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Looks into a request until its effort is spent: first the whole of it and its parts, then the subtopics of a model's plan, or
 * those that the pages found bring up when the input asks but one thing, then, round by round, what follows from the parts'
 * answers. Goes on where `evidence` ends.
 *
 * @returns the parts of the report: those of the task, and the subtopics that were asked for beside them
 */
export async function investigate(
  request: ResearchRequest,
  evidence: Evidence,
  parts: InvestigationParts,
): Promise<Plan> {
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
    await parts.onProgress()
    return sources
  }

  const planning: Step = { name: "Planning", id: stepId(), about: "Initializing research plan" }
  emit({ kind: "call", step: planning })
  const plan = planOf(request.input)
  const names = plan.parts.flatMap(({ name, text, label }) =>
    name === null ? [] : [{ text: name, label, follows: text }],
  )
  const own = [plan.whole, ...plan.parts, ...names]
  emit({
    kind: "response",
    step: { ...planning, about: `Research plan: ${own.length} questions to begin with` },
  })
  await ask(own, "WebSearch", `Executing ${own.length} search queries`)
  if (seen.ranked.length === 0 && done > 0) seen.add(await find(request, request.input, parts))
  const about = request.model === "pro" ? "ResearchSubtopic" : "WebSearch"
  const planned = await planFromModel(request.input, seen.ranked, effort.subtopics, parts)
  const { questions: known } = evidence
  const more =
    planned.length > 0 || plan.parts.length > 0
      ? planned
      : await subtopics(request.input, seen.ranked, { count: effort.subtopics, known })
  await ask(more, about, `Looking into ${more.length} subtopics`)
  for (const count of effort.rounds) {
    const answered = await choose(partsOf(plan, evidence), evidence, {
      length: request.outputLength,
      ...parts,
    })
    const found = answered.map(({ part, chosen }) => ({
      part,
      headings: chosen.map(({ finding }) => finding.stated?.headings ?? []),
    }))
    const { questions: known } = evidence
    const nearest = seen.ranked[0]?.title ?? null
    const open = followUps(found, nearest, { count, known, deeper: effort.deeper })
    await ask(open, about, `Looking into ${open.length} questions that follow`)
  }
  return partsOf(plan, evidence)
}

function partsOf(plan: Plan, { questions }: Evidence): Plan {
  const own = new Set([plan.whole, ...plan.parts].map(({ text }) => text))
  const others = questions.filter(({ text, follows }) => follows === undefined && !own.has(text))
  const first = plan.parts.length > 0 ? plan.parts : [partOf(plan.whole.text)]
  return {
    ...plan,
    parts: [
      ...first,
      ...others.map((one) => ({ ...partOf(one.text), heading: one.label, label: one.label })),
    ],
  }
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

/** Takes what the pages state on a question into the evidence: the most promising by their words and by where they stand. */
async function collect(
  question: Question,
  hits: readonly Hit[],
  evidence: Evidence,
  { signal }: InvestigationParts,
): Promise<void> {
  const statements = await statedBy(question.text, hits, signal)
  signal.throwIfAborted()
  const place = evidence.questions.push(question) - 1
  const promise = ({ words, rank, stated }: StatedText) => words + stated.score + 1 / (1 + rank)
  const most = statements.toSorted((a, b) => promise(b) - promise(a)).slice(0, STATEMENTS_OF_QUESTION)
  const sources = hits.map(sourceOfHit)
  for (const [at, { url }] of sources.entries())
    evidence.met(place, url, hits[at]!.score / (hits[0]!.score || 1))
  for (const { text, source, stated } of most) evidence.add(place, text, sources[source]!, stated)
}

const unique = (sources: readonly Source[]): Source[] => [
  ...new Map(sources.map((source) => [source.url, source])).values(),
]

const stepId = (): string => `fc_${randomUUID()}`
