import { ModelOutage } from "../model-servers/availability.ts"
import type { Reranker } from "../reranker.ts"
import { readingOf, type Valued } from "./values.ts"

/**
 * Statements that are read together with the question, the best by words and meaning, at some 11 ms of processor time each. Of
 * both halves of `bench/questions/judged`, 8 found as many facts at once as 18.
 */
const READ = { question: 10, side: 5 }
/** What a reading is worth beside the other signs, whose sum is about 0 to 3: a logit goes from some -11 to 9. */
const WEIGHT = 0.07
/** A second statement that is read as less is hardly ever on the question. */
export const LEAST_BESIDE = 2

/** Whether a page is in the language that the model reads; one that names none may be. */
export const isRead = ({ language }: { readonly language: string | null }): boolean =>
  language === null || language === "en"

/**
 * Adds what a cross-encoder says of question and statement, read together. Left are the candidates that were read, best first;
 * null when there was no time for it, or the model says nothing.
 *
 * @param asked one question, and the candidates to be read with it, best first; then those of its sides
 */
export async function readTogether(
  asked: readonly { readonly text: string; readonly candidates: readonly Valued[] }[],
  reranker: Pick<Reranker, "scores">,
  signal: AbortSignal | undefined,
): Promise<Valued[][] | null> {
  try {
    return await Promise.all(
      asked.map(async ({ text, candidates }, at) => {
        const read = candidates.slice(0, at === 0 ? READ.question : READ.side)
        const chances = await reranker.scores(text, read.map(readingOf), signal)
        return read
          .map((one, i): Valued => {
            const pair = logit(chances[i]!)
            return { ...one, pair, value: one.value + WEIGHT * pair }
          })
          .sort((a, b) => b.value - a.value)
      }),
    )
  } catch (error) {
    if (signal?.aborted || error instanceof ModelOutage) return null
    throw error
  }
}

/** Chances of 0 and 1, which a model does not give, stay finite. */
const CERTAIN = 1e-9

function logit(chance: number): number {
  const inside = Math.min(1 - CERTAIN, Math.max(CERTAIN, chance))
  return Math.log(inside / (1 - inside))
}
