import type { Logger } from "pino"

import type { Embedder, Hit, SearchResult } from "#engine"
import { extractSides } from "#engine/answer-extraction/extract-answer.ts"
import type { UnitReader } from "#engine/answer-extraction/judge.ts"
import { followUpQuestions } from "#engine/answer-extraction/follow-ups.ts"
import { READING_MS } from "#engine/models/rerankers/unit-reader.ts"

import type { ChatModel } from "../chat-models/chat-model.ts"
import { citedText, CitedText, NO_ANSWER } from "./cited-text.ts"
import type { AnswerDepth } from "./prompt.ts"
import { type ToWrite, writtenAnswer } from "./written-answer.ts"

/** The parts needed for answers. */
export interface AnswerParts {
  readonly embedder: Pick<Embedder, "embed" | "traits">
  /** Judges which pieces of the pages answer the question; if `null`, pieces are chosen by other means. */
  readonly unitReader: UnitReader | null
  /** Writes the answer; if `null`, answers are made of the pages' own units. */
  readonly chatModel: ChatModel | null
}

export interface Asked {
  readonly question: string
  /** The hits in the order of the results, since answers cite them by their position. */
  readonly hits: readonly Hit[]
  /** The same as in `SearchResult`. */
  readonly rarity?: SearchResult["rarity"]
  readonly depth: AnswerDepth
  /** Aborts when the caller is no longer waiting for the answer. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Called with each piece of the answer as it is written; joined, the pieces form the answer. */
  readonly onPiece?: ((piece: string) => void) | undefined
}

export interface Answered {
  readonly answer: string
  readonly followUpQuestions: readonly string[] | null
}

/** Maximum number of hits used for an answer: further down the list hardly any page answers the question, and each page costs milliseconds. */
const MAX_SOURCES = 8

/** A cited answer from the hits, made of their own units if the model gives no trustworthy answer. */
export async function answerFrom(
  asked: Asked,
  { embedder, unitReader, chatModel }: AnswerParts,
): Promise<Answered> {
  const { question, hits, rarity, depth, signal, log, onPiece } = asked
  const sources = hits.slice(0, MAX_SOURCES)
  const answered = async () => {
    const since = performance.now()
    const { units, missing, evidence } = await extractSides(question, sources, {
      length: depth === "advanced" ? "long" : "short",
      embedder,
      reader: unitReader,
      ...(rarity && { rarity }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(READING_MS)]),
    })
    signal.throwIfAborted()
    if (chatModel && sources.length > 0) {
      const patience = READING_MS - (performance.now() - since)
      const toWrite = { question, hits: sources, evidence, depth, signal, log, patience }
      const written = await inWords(toWrite, onPiece, chatModel, embedder)
      if (written !== null) return written
    }
    const answer = citedText(units, missing)
    onPiece?.(answer)
    return answer
  }
  // Follow-up questions are looked for while the models read and write.
  const [answer, more] = await Promise.all([answered(), followUpQuestions(question, sources, signal)])
  signal.throwIfAborted()
  return { answer, followUpQuestions: more.length > 0 ? more : null }
}

/** The model's text; null when the answer has to consist of the pages' own sentences. */
async function inWords(
  toWrite: ToWrite,
  onPiece: Asked["onPiece"],
  model: ChatModel,
  embedder: AnswerParts["embedder"],
): Promise<string | null> {
  const passedOn = new CitedText()
  const onStatement: ToWrite["onStatement"] = onPiece && ((one) => onPiece(passedOn.add(one)))
  const written = await writtenAnswer({ ...toWrite, onStatement }, model, embedder)
  if (written === null) return null
  if (written !== NO_ANSWER) return citedText(written)
  onPiece?.(NO_ANSWER)
  return NO_ANSWER
}
