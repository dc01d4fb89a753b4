import { availableParallelism } from "node:os"
import path from "node:path"
import { refuseDamaged } from "../embedders/model-folder.ts"
import type { Reranker } from "../../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"

/** The model that ships with Fossick and reads units of English pages: `models/README.md`. */
const SHIPPED = path.join(import.meta.dirname, "../..", "models", "unit-reader-en")

/**
 * How long an answer can wait for its units to be read; after that, they are judged by their meaning. A single question
 * takes half a second; the rest is for machines on which many users ask at once. If it also waits 5 s for its turn, a
 * search still has 5 s of the 25 s that a paid one may take; with 10 s for pages that are reread and 20 s for a
 * language model, the total is within the 60 s that clients wait.
 */
export const READING_MS = 15_000
/** Milliseconds that one thread takes for a unit while other work is running. */
const UNIT_MS = 20
/** Number of units that one thread reads in READING_MS: units that would be late aren't queued. */
const MOST_WAITING = Math.floor(READING_MS / UNIT_MS)
/** Number of processors per thread: each thread takes 110 MB, and searches need processors, too. */
const PROCESSORS_PER_THREAD = 4

/**
 * Opens the model, which is loaded for the first answer.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` if it is missing, or differs from what was shipped
 */
export async function openUnitReader({
  folder = SHIPPED,
  timeoutMs = READING_MS,
}: { readonly folder?: string | undefined; readonly timeoutMs?: number } = {}): Promise<Reranker> {
  await refuseDamaged(folder, "unit reader")
  const threads = Math.max(1, Math.floor(availableParallelism() / PROCESSORS_PER_THREAD))
  return await CrossEncoder.open(folder, {
    timeoutMs,
    threads,
    mostWaiting: threads * MOST_WAITING,
    whatNow: "Answers are chosen without it.",
    advice: "It comes with `npm ci`, or with the package or image: install Fossick again.",
  })
}
