import type { Logger } from "pino"

import { leaveOut } from "#base/flow/degraded.ts"
import { Serial } from "#base/flow/serial.ts"
import type { Embedder } from "#engine"
import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"

import { type ChatModel, ChatModelError } from "../chat-models/chat-model.ts"
import { Bearing } from "./borne-out.ts"
import { CheckedReply } from "./check-citations.ts"
import { NO_ANSWER } from "./cited-text.ts"
import { type AnswerPrompt, answerTokens, promptFor, type ToShow } from "./prompt.ts"
import { isNone } from "./refusals.ts"

export interface ToWrite extends ToShow {
  readonly signal: AbortSignal
  readonly log: Logger
  /** Total milliseconds to wait for the embedder. */
  readonly patience: number
  /** Called with each statement as soon as it is written and has been found in its source. */
  readonly onStatement?: ((statement: CitedStatement) => void) | undefined
}

/**
 * The part of the model's text that its sources support; {@link NO_ANSWER} if the text says that the sources have no
 * answer, `null` if nothing is left or the model failed.
 */
export async function writtenAnswer(
  { signal, log, patience, onStatement, ...toShow }: ToWrite,
  model: ChatModel,
  embedder: Pick<Embedder, "embed" | "traits">,
): Promise<readonly CitedStatement[] | typeof NO_ANSWER | null> {
  const bearing = new Bearing({ embedder, signal, patience })
  const statements: CitedStatement[] = []
  let prompt: AnswerPrompt | undefined
  let check: CheckedReply | undefined
  // Pieces are handled one after another, in order.
  const checking = new Serial()
  const checkUpTo = (text: string, isWhole: boolean, isCut = false) => {
    check ??= new CheckedReply({ sources: prompt!.shown, bearing })
    const checked = check
    return checking.run(async () => {
      for (const statement of await checked.take(text, isWhole, isCut)) {
        if (statements.some((other) => other.text === statement.text)) continue
        statements.push(statement)
        onStatement?.(statement)
      }
    })
  }
  try {
    const reply = await model.reply(
      (room) => {
        prompt = promptFor(toShow, room)
        return prompt.messages
      },
      {
        maxTokens: answerTokens(toShow.depth),
        signal,
        ...(onStatement && { onText: (text) => void checkUpTo(text, false).catch(() => undefined) }),
      },
    )
    if (isNone(reply.text)) return NO_ANSWER
    await checkUpTo(reply.text, true, reply.isCut)
  } catch (error) {
    await checking.idle()
    if (!(error instanceof ChatModelError)) throw error
    leaveOut("language_model")
    log.warn(
      { reason: error.message },
      "the model gave no answer; the answer consists of the pages' own sentences",
    )
    // Statements that have already been passed on cannot be taken back.
    return onStatement && statements.length > 0 ? statements : null
  }
  if (statements.length > 0) return statements
  if (check?.refused) return NO_ANSWER
  log.info(
    "none of the model's sentences was supported by its source; the answer consists of the pages' own sentences",
  )
  return null
}
