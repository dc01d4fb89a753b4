import type { Logger } from "pino"
import { EngineError } from "#engine"
import type { Reranker } from "#engine/reranker.ts"
import { openStatementReranker } from "#engine/rerankers/statement-reranker.ts"

/** The reranker of statements that ships with Fossick; null when it is off, or damaged, which the log says: answers are chosen without it. */
export async function usableStatementReranker(
  { statementReranker: isOn }: { readonly statementReranker: boolean },
  log: Pick<Logger, "error">,
  folder?: string,
): Promise<Reranker | null> {
  if (!isOn) return null
  try {
    return await openStatementReranker(folder === undefined ? {} : { folder })
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    log.error({ reason: error.message }, "answers are chosen without the statement reranker")
    return null
  }
}
