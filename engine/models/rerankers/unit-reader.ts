import path from "node:path"
import { refuseDamaged } from "../embedders/model-folder.ts"
import type { Reranker } from "../../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"

/** The model that ships with Fossick and reads units of English pages: `models/README.md`. */
const SHIPPED = path.join(import.meta.dirname, "../..", "models", "unit-reader-en")

/** How long a batch of units waits for its scores. */
const TIMEOUT_MS = 2000
/** The units of a few answers: each takes some 10 ms, and work that would be late had better not start. */
const MOST_WAITING = 120

/**
 * Opens the model, which loads with the first answer.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` if it is missing, or differs from what was shipped
 */
export async function openUnitReader({
  folder = SHIPPED,
  timeoutMs = TIMEOUT_MS,
}: { readonly folder?: string | undefined; readonly timeoutMs?: number } = {}): Promise<Reranker> {
  await refuseDamaged(folder, "reader of answers")
  return await CrossEncoder.open(folder, {
    timeoutMs,
    threads: 1,
    mostWaiting: MOST_WAITING,
    whatNow: "Answers are chosen without it.",
    advice: "It comes with `npm ci`, or with the package or image: install Fossick again.",
  })
}
