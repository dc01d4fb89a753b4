import type { Logger } from "pino"

import type { Embedder, Hit, SearchResult } from "#engine"
import { type CitedStatement, extractSides } from "#engine/answer-extraction/extract-answer.ts"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { followUpQuestions } from "#engine/answer-extraction/follow-ups.ts"
import { READING_MS } from "#engine/models/rerankers/unit-reader.ts"

import type { ChatModel } from "../chat-models/chat-model.ts"
import { citedText, CitedText, NO_ANSWER } from "./cited-text.ts"
import type { AnswerDepth } from "./prompt.ts"
import { writtenAnswer } from "./written-answer.ts"

/** What answers are made with. */
export interface AnswerParts {
  readonly embedder: Pick<Embedder, "embed" | "traits">
  /** Judges which pieces of the pages answer; null: they are chosen without it. */
  readonly unitReader: UnitReader | null
  /** Null: answers are made of the pages' own sentences. */
  readonly chatModel: ChatModel | null
}

export interface Asked {
  readonly question: string
  /** In the order of the results, since answers cite them by their place. */
  readonly hits: readonly Hit[]
  /** As in `SearchResult`. */
  readonly rarity?: SearchResult["rarity"]
  readonly depth: AnswerDepth
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Told the answer piece by piece, as it comes to be; put together they are the answer. */
  readonly onPiece?: ((piece: string) => void) | undefined
}

export interface Answered {
  readonly answer: string
  readonly followUpQuestions: readonly string[] | null
}

/** Further down the list hardly anything answers, and each page costs milliseconds. */
const MAX_SOURCES = 8

/** A cited answer from the hits. Without any trustworthy one from the model, their own sentences answer. */
export async function answerFrom(
  asked: Asked,
  { embedder, unitReader, chatModel }: AnswerParts,
): Promise<Answered> {
  const { question, hits, rarity, depth, signal } = asked
  const sources = hits.slice(0, MAX_SOURCES)
  const extracted = async () => {
    const { units, missing } = await extractSides(question, sources, {
      length: depth === "advanced" ? "long" : "short",
      embedder,
      reader: unitReader,
      ...(rarity && { rarity }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(READING_MS)]),
    })
    return citedText(units, missing)
  }
  const answered = async () => {
    const written = chatModel && sources.length > 0 ? await inWords(asked, chatModel, embedder) : null
    if (written !== null) return written
    const answer = await extracted()
    asked.onPiece?.(answer)
    return answer
  }
  // While a model writes there is time to look for more.
  const [answer, more] = await Promise.all([answered(), followUpQuestions(question, sources, signal)])
  signal.throwIfAborted()
  return { answer, followUpQuestions: more.length > 0 ? more : null }
}

/** What the model writes; null when the pages have to speak for themselves. */
async function inWords(
  { onPiece, ...asked }: Asked,
  model: ChatModel,
  embedder: AnswerParts["embedder"],
): Promise<string | null> {
  const passedOn = new CitedText()
  const onStatement = onPiece && ((one: CitedStatement) => onPiece(passedOn.add(one)))
  const written = await writtenAnswer({ ...asked, onStatement }, model, embedder)
  if (written === null) return null
  if (written !== NO_ANSWER) return citedText(written)
  onPiece?.(NO_ANSWER)
  return NO_ANSWER
}
