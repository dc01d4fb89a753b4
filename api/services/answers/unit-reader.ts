import type { Logger } from "pino"
import { EngineError } from "#engine"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { openUnitReader } from "#engine/models/rerankers/unit-reader.ts"

/** The model that judges units, and its problem, if any. */
export interface OpenedUnitReader extends AsyncDisposable {
  /** The model; `null` when it is off. A damaged model throws ModelOutage, so that each answer chosen without it says so. */
  readonly reader: UnitReader | null
  /** The problem, for the operator, when the model is on but returns no scores. */
  warnings(): string[]
}

/** Opens the model that ships with Fossick. When the model is damaged, answers are chosen without it, and the log says so. */
export async function openAnswerReader(
  { readsUnits }: { readonly readsUnits: boolean },
  log: Pick<Logger, "error">,
  folder?: string,
): Promise<OpenedUnitReader> {
  const { reader, problem } = readsUnits ? await opened(folder) : { reader: null, problem: null }
  if (problem !== null) log.error({ reason: problem }, "answers are chosen without the unit reader")
  return {
    reader: problem === null ? reader : { scores: () => Promise.reject(new ModelOutage(problem, "")) },
    warnings: () =>
      [problem ?? reader?.outage ?? []]
        .flat()
        .map((why) => `Answers are chosen without the unit reader: ${why}`),
    [Symbol.asyncDispose]: async () => await reader?.[Symbol.asyncDispose](),
  }
}

async function opened(folder: string | undefined) {
  try {
    return { reader: await openUnitReader({ folder }), problem: null }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { reader: null, problem: error.message }
  }
}
