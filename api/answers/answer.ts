import type { Logger } from "pino"

import type { Embedder, Hit } from "#engine"
import { extractAnswer } from "#engine/answer-extraction/extract-answer.ts"
import { followUpQuestions } from "#engine/answer-extraction/follow-ups.ts"

import { type ChatModel, ChatModelError } from "./chat-model.ts"
import { checkedSentences } from "./check-citations.ts"
import { citedText, NO_ANSWER } from "./cited-text.ts"
import { type AnswerDepth, promptFor } from "./prompt.ts"

/** What answers are made with. */
export interface AnswerParts {
  readonly embedder: Pick<Embedder, "embed">
  /** Null: answers are made of the pages' own sentences. */
  readonly chatModel: ChatModel | null
}

export interface Asked {
  readonly question: string
  /** In the order of the results, since answers cite them by their place. */
  readonly hits: readonly Hit[]
  readonly depth: AnswerDepth
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  readonly log: Logger
}

export interface Answered {
  readonly answer: string
  readonly followUpQuestions: readonly string[] | null
}

/** Further down the list hardly anything answers, and each page costs milliseconds. */
const MAX_SOURCES = 8
/** Judging meaning may take so long when the embedder is busy; then words decide. */
const MEANING_MS = 1500

/** A cited answer from the hits. Without any trustworthy one from the model, their own sentences answer. */
export async function answerFrom(asked: Asked, { embedder, chatModel }: AnswerParts): Promise<Answered> {
  const { question, hits, depth, signal, log } = asked
  const sources = hits.slice(0, MAX_SOURCES)
  const more = await followUpQuestions(question, sources, signal)
  const written = chatModel && sources.length > 0 ? await writtenAnswer(asked, chatModel, log) : null
  const extracted = async () =>
    citedText(
      await extractAnswer(question, sources, {
        length: depth === "advanced" ? "long" : "short",
        embedder,
        signal: AbortSignal.any([signal, AbortSignal.timeout(MEANING_MS)]),
      }),
    )
  const answer = written ?? (await extracted())
  signal.throwIfAborted()
  return { answer, followUpQuestions: more.length > 0 ? more : null }
}

/** What the model writes, as far as its sources bear it out; null when nothing is left or it failed. */
async function writtenAnswer(
  { question, hits, depth, signal }: Asked,
  model: ChatModel,
  log: Logger,
): Promise<string | null> {
  const { messages, maxTokens, shown } = promptFor(question, hits, depth)
  try {
    const reply = await model.reply(messages, { maxTokens, signal })
    if (/^\W*NONE\W*$/i.test(reply)) return NO_ANSWER
    const sentences = checkedSentences(reply, shown)
    if (sentences.length > 0) return citedText(sentences)
    log.info("no sentence of the model was borne out by its source; the pages' own sentences answer")
    return null
  } catch (error) {
    if (!(error instanceof ChatModelError)) throw error
    log.warn({ reason: error.message }, "the model gave no answer; the pages' own sentences do")
    return null
  }
}
