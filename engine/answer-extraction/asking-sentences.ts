import { spacedWords, splitSentences } from "./statements/sentences.ts"

/** A text that contains a question, with its sentences in order. */
export interface Asking {
  /** The sentences that ask something. */
  readonly question: string
  /** The other sentences, which describe the context; empty if there are none. */
  readonly context: string
}

/** Minimum length of a question that makes sense without its context. */
const LEAST_WORDS = 4
const QUESTION_MARK = /[?？؟]$/

/**
 * Separates the question in a text from the story around it: in "My pump has been leaking since May. How do I change
 * its seal?", only the second sentence is the question. A unit that answers it need not contain words from the rest.
 * The whole text is the question if there are several sentences and none ends in a question mark.
 */
export function askingIn(text: string): Asking {
  const sentences = text.split("\n").flatMap((line) => splitSentences(line, null))
  const asking = sentences.filter((sentence) => QUESTION_MARK.test(sentence))
  const question = asking.join(" ")
  if (asking.length === 0 || spacedWords(question) < LEAST_WORDS) return { question: text, context: "" }
  return { question, context: sentences.filter((sentence) => !asking.includes(sentence)).join(" ") }
}
