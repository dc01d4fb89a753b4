import { leaveOut } from "#base/flow/degraded.ts"
import { ModelOutage } from "../models/servers/availability.ts"
import type { Reranker } from "../reranker.ts"
import { mayBeIn } from "../text/analysis/stop-words.ts"
import { isWrittenIn } from "../text/scripts.ts"
import type { Candidate, Source } from "./candidates.ts"
import { isSayable } from "./choose.ts"
import { placeOf, type Statement } from "./statements/statements.ts"
import type { Valued } from "./values.ts"

/** Reads a question together with statements as {@link pairTexts} writes them: `models/statement-reranker-en`. */
export type StatementReranker = Pick<Reranker, "scores">

/** What the reranker's logit counts beside a value, learned together with its weights: 0.136, rounded. */
const LOGIT = 0.14
/** The best of the statements that are embedded; each takes some 10 ms of processor time. */
const MOST_READ = 16
/** Around the statement, in tokens that no text has. */
const MARKS = { begin: "[unused1]", end: "[unused2]" }
const IN_MARKS = /\[unused[12]\]/g
/** Characters of each part that are read: about as many tokens as the model was trained on. */
const READ = { headings: 70, beside: 110, statement: 400 }
const HEADINGS = 2
/** Of the pages that it was trained on. */
const LANGUAGE = { code: "en", scripts: ["Latin"] }

/**
 * Values the best statements anew by what a model makes of each where it stands, best first. Null when there was no time for it, no model is
 * to be had, or the question or one of the pages is not in English, as far as one can tell.
 *
 * @param all statements of the pages, among which those that stand before and behind are found
 */
export async function reranked(
  question: string,
  candidates: readonly Valued[],
  {
    all,
    hits,
    reranker,
    signal,
  }: {
    readonly all: readonly Candidate[]
    readonly hits: readonly Pick<Source, "language">[]
    readonly reranker: StatementReranker
    readonly signal: AbortSignal | undefined
  },
): Promise<Valued[] | null> {
  // One that cannot be said would be the measure of the others, and leave nothing to say.
  const best = candidates.filter(({ statement }) => isSayable(statement)).slice(0, MOST_READ)
  const isForeign = best.some(({ statement }) => hits[statement.source]!.language !== LANGUAGE.code)
  if (isForeign || !isWrittenIn(LANGUAGE.scripts, question) || !mayBeIn(LANGUAGE.code, question)) return null
  try {
    const scores = await reranker.scores(question, pairTexts(best, all), signal)
    return best
      .map((one, i) => ({ ...one, value: one.value + LOGIT * logitOf(scores[i]!) }))
      .sort((a, b) => b.value - a.value)
  } catch (error) {
    if (!signal?.aborted && !(error instanceof ModelOutage)) throw error
    leaveOut("answer_reranker")
    return null
  }
}

/** What the model reads of each statement together with the question; `all` as for {@link reranked}. */
export function pairTexts(candidates: readonly Candidate[], all: readonly Candidate[]): string[] {
  const at = new Map(all.map(({ statement }) => [placeOf(statement), statement]))
  return candidates.map(({ statement }) =>
    statementPair(statement, at.get(placeOf(statement, -1)), at.get(placeOf(statement, 1))),
  )
}

/** A statement in marks, below its headings and between its neighbours. */
function statementPair(
  { headings, leads, text }: Statement,
  before: Statement | undefined,
  behind: Statement | undefined,
): string {
  const above = headings.slice(-HEADINGS).join(" > ").slice(-READ.headings)
  const said = [...leads, text].join(" ").slice(0, READ.statement)
  const [earlier, later] = [
    (before?.text ?? "").slice(-READ.beside),
    (behind?.text ?? "").slice(0, READ.beside),
  ]
  return `${unmarked(`${above} : ${earlier}`)} ${MARKS.begin} ${unmarked(said)} ${MARKS.end} ${unmarked(later)}`
}

const unmarked = (text: string): string => text.replaceAll(IN_MARKS, " ")

/** The inverse of the sigmoid; scores of exactly 0 or 1 are those of a logit beyond what a double tells from them. */
function logitOf(score: number): number {
  const inside = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, score))
  return Math.log(inside / (1 - inside))
}
