import { setTimeout as sleep } from "node:timers/promises"

import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"

/** Pauses in milliseconds before the reader is asked again: a report can wait until other callers have their answers. */
const PAUSES_MS = [1_000, 4_000, 10_000]

/** Asks a busy reader again. If the reader still returns nothing after the last pause, later calls no longer wait. */
export function patient(reader: UnitReader, pauses: readonly number[] = PAUSES_MS): UnitReader {
  let patience = pauses
  return {
    async scores(question, texts, signal) {
      for (let at = 0; ; at++) {
        try {
          return await reader.scores(question, texts, signal)
        } catch (error) {
          const pause = patience[at]
          if (!(error instanceof ModelOutage)) throw error
          if (pause === undefined) {
            patience = []
            throw error
          }
          await sleep(pause, undefined, signal && { signal })
        }
      }
    },
  }
}
