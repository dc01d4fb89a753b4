import { spacedWords, splitSentences } from "./statements/sentences.ts"

/** A text that asks, in the order of its sentences. */
export interface Asking {
  /** The sentences that ask. */
  readonly question: string
  /** The other sentences, which say what it is about; empty if there are none. */
  readonly context: string
}

/** A shorter question makes no sense without its context. */
const LEAST_WORDS = 4
const QUESTION_MARK = /[?？؟]$/

/**
 * Separates the question in a text from the story around it: "My pump leaks since May. How do I change its seal?" asks how. A unit that
 * answers need not have the words of the rest. The whole text if no sentence of several ends in a question mark.
 */
export function askingIn(text: string): Asking {
  const sentences = text.split("\n").flatMap((line) => splitSentences(line, null))
  const asking = sentences.filter((sentence) => QUESTION_MARK.test(sentence))
  const question = asking.join(" ")
  if (asking.length === 0 || spacedWords(question) < LEAST_WORDS) return { question: text, context: "" }
  return { question, context: sentences.filter((sentence) => !asking.includes(sentence)).join(" ") }
}
