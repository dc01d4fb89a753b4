import path from "node:path"
import { refuseDamaged } from "../embedders/model-folder.ts"
import type { Reranker } from "../../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"

/** The model that ships with Fossick and reads units of English pages: `models/README.md`. */
const SHIPPED = path.join(import.meta.dirname, "../..", "models", "unit-reader-en")

/** A batch of units waits no longer for it. */
const TIMEOUT_MS = 2000
/** Those of a few answers: a unit takes some 10 ms, and what would be late is better not begun. */
const MOST_WAITING = 120

/**
 * Opens it; it loads with the first answer.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` when it is not there, or not as it was shipped
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
