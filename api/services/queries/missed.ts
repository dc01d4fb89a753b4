import type { Degraded } from "#base/flow/degraded.ts"

import { isMiss } from "../misses/miss-threshold.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import type { AskedQuery } from "../misses/narrow-filters.ts"

/** A search that was answered, and its caller. */
export interface AnsweredSearch {
  readonly query: AskedQuery
  readonly results: readonly { readonly score: number }[]
  /** Whether the key can see only part of the index. */
  readonly isLimited: boolean
  readonly degraded: Pick<Degraded, "hasOtherPages">
}

/**
 * Finds questions that the index cannot answer, for the operator's list: those with no results or only doubtful ones,
 * except where the key's scope hid the answer or a part of the appliance was out of order. The caller never learns
 * which of these was the case.
 *
 * @param knowledge null if it is not known whether a scope hid an answer
 */
export function missedQuestions(knowledge: Pick<MissKnowledge, "answersBeyond"> | null) {
  let isLooking = false
  return async ({ query, results, isLimited, degraded }: AnsweredSearch): Promise<boolean> => {
    if (!isMiss(results) || degraded.hasOtherPages) return false
    // Only one check runs at a time, so that a busy caller doesn't double all searches.
    if (!isLimited || knowledge === null || isLooking) return true
    isLooking = true
    try {
      return !(await knowledge.answersBeyond(query))
    } catch {
      // An unnecessary question on the list is better than a missing one.
      return true
    } finally {
      isLooking = false
    }
  }
}
