import type { Logger } from "pino"
import { EngineError } from "#engine"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"

/** The reranker of statements, if there is one, and why there is none. */
export interface OpenedReranker extends AsyncDisposable {
  /** Null when it is off. One that cannot be used throws ModelOutage, so that each answer chosen without it says so. */
  readonly reranker: UnitReader | null
  /** Of one that is on and gives nothing, for whoever looks after the appliance. */
  warnings(): string[]
}

/** Opens the reranker of statements that ships with Fossick. One that is damaged costs answers their second look, and nothing else; the log says so. */
export async function openAnswerReader(
  { statementReranker: isOn }: { readonly statementReranker: boolean },
  log: Pick<Logger, "error">,
  folder?: string,
): Promise<OpenedReranker> {
  const { reranker, problem } = isOn ? await opened(folder) : { reranker: null, problem: null }
  if (problem !== null) log.error({ reason: problem }, "answers are chosen without the statement reranker")
  return {
    reranker: problem === null ? reranker : { scores: () => Promise.reject(new ModelOutage(problem, "")) },
    warnings: () =>
      [problem ?? reranker?.outage ?? []]
        .flat()
        .map((why) => `Answers are chosen without the statement reranker: ${why}`),
    [Symbol.asyncDispose]: async () => await reranker?.[Symbol.asyncDispose](),
  }
}

async function opened(folder: string | undefined) {
  try {
    return { reranker: await openUnitReader({ folder }), problem: null }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { reranker: null, problem: error.message }
  }
}
