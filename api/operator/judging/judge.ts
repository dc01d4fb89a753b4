import { countedDegraded, Degraded, degradedText } from "#base/flow/degraded.ts"
import type { Engine, PageUrl, Rule, SearchDepth } from "#engine"

import type { JudgedQuestion } from "./judged-schema.ts"

/** Number of results that are judged for each question. */
const LOOKED_AT = 10

/** A question's result. */
export interface QuestionMarks {
  readonly question: string
  /** Normalised discounted cumulative gain of the first ten results, 0..1 (Järvelin and Kekäläinen 2002); a page's gain is its grade. */
  readonly ndcg: number
  /** Rank of the first expected page, from 1; null when none is among the first ten. */
  readonly rank: number | null
}

export interface Sums {
  /** Means over all questions: nDCG@10, and the shares of questions with an expected page in first place, or in the first three. */
  readonly ndcg: number
  readonly hit1: number
  readonly hit3: number
}

export interface Marks extends Sums {
  readonly questions: readonly QuestionMarks[]
  /**
   * A sentence that names what was missing from some of the answers; marks with this field don't describe a complete
   * appliance. Left out if all questions were answered in full.
   */
  readonly degraded?: string
}

export interface JudgeOptions {
  readonly depth: SearchDepth
  /** Rules to apply; if left out, the engine applies its own. */
  readonly rules?: readonly Rule[]
  readonly signal?: AbortSignal | undefined
  /** Called after each question with the number of questions asked so far. */
  readonly onAsked?: (count: number) => Promise<void>
}

/**
 * Asks judged questions one at a time.
 * @throws the reason of `signal` once it is aborted
 */
export async function judge(
  engine: Pick<Engine, "search">,
  judged: readonly JudgedQuestion[],
  { depth, rules, signal, onAsked }: JudgeOptions,
): Promise<Marks> {
  const questions: QuestionMarks[] = []
  const lacking = new Degraded()
  let incomplete = 0
  for (const { question, pages } of judged) {
    const query = { text: question, limit: LOOKED_AT, depth, passagesPerPage: 0, withMarkdown: false }
    signal?.throwIfAborted()
    const degraded = countedDegraded()
    const { hits } = await degraded.collect(() =>
      engine.search({ ...query, ...(rules && { rules }) }, signal ? { signal } : {}),
    )
    if (degraded.parts.length > 0) incomplete++
    for (const part of degraded.parts) lacking.add(part)
    questions.push({
      question,
      ...marksOf(
        hits.map(({ url }) => url),
        pages,
      ),
    })
    await onAsked?.(questions.length)
  }
  const why = degradedText(lacking.parts)
  return {
    ...sumsOf(questions),
    questions,
    ...(why !== null && {
      degraded: `${incomplete} of ${questions.length} questions were only partly answered. ${why}`,
    }),
  }
}

/** The means over the given questions. */
export function sumsOf(questions: readonly Pick<QuestionMarks, "ndcg" | "rank">[]): Sums {
  const share = (holds: (one: Pick<QuestionMarks, "rank">) => boolean) =>
    questions.filter(holds).length / Math.max(1, questions.length)
  return {
    ndcg: questions.reduce((sum, one) => sum + one.ndcg, 0) / Math.max(1, questions.length),
    hit1: share(({ rank }) => rank === 1),
    hit3: share(({ rank }) => rank !== null && rank <= 3),
  }
}

/** A page that is judged twice gets the better of its two grades. */
function marksOf(
  found: readonly PageUrl[],
  pages: JudgedQuestion["pages"],
): Pick<QuestionMarks, "ndcg" | "rank"> {
  const grades = new Map<PageUrl, number>()
  for (const { url, grade } of pages) grades.set(url, Math.max(grade, grades.get(url) ?? 0))
  const ideal = [...grades.values()].sort((a, b) => b - a)
  const first = found.findIndex((url) => grades.has(url))
  return {
    ndcg: dcg(found.map((url) => grades.get(url) ?? 0)) / dcg(ideal),
    rank: first < 0 ? null : first + 1,
  }
}

const dcg = (gains: readonly number[]): number =>
  gains.slice(0, LOOKED_AT).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)
