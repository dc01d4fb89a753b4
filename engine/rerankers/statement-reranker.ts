import path from "node:path"
import { refuseDamaged } from "../embedders/model-folder.ts"
import type { Reranker } from "../reranker.ts"
import { CrossEncoder } from "./cross-encoder.ts"

/** The model that ships with Fossick and reads statements of English pages where they stand: `models/README.md`. */
export const STATEMENT_RERANKER = path.join(import.meta.dirname, "..", "models", "statement-reranker-en")

/** An answer waits no longer for it. */
const TIMEOUT_MS = 2000

/**
 * Opens it; it loads with the first answer.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` when it is not there, or not as it was shipped
 */
export async function openStatementReranker({
  folder = STATEMENT_RERANKER,
  timeoutMs = TIMEOUT_MS,
} = {}): Promise<Reranker> {
  await refuseDamaged(folder, "statement reranker")
  return await CrossEncoder.open(folder, {
    timeoutMs,
    threads: 1,
    whatNow: "Answers are chosen without it.",
  })
}
