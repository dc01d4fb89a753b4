import type { CitedStatement } from "#engine/answer-extraction/extract-answer.ts"
import { splitSentences } from "#engine/answer-extraction/statements/sentences.ts"

import { type Bearing, SUPPORTED } from "./borne-out.ts"
import { CITATION, plainCitations } from "./citation-forms.ts"
import { isRefusal } from "./refusals.ts"

/** Longer replies are cut here, because each sentence is compared with whole sources; a reply of the requested length is shorter. */
const MAX_REPLY_CHARS = 20_000
/** Minimum share of a sentence's words that its source must have if the sentence has no citation; this share is larger, because the source has to be guessed. */
const UNCITED = 0.8
/** Matches the start of the source list that some models add below their reply. */
const LIST_OF_SOURCES =
  /^[\s#*_]*(?:sources?|references?|citations?|footnotes?|quellen|quellenverzeichnis|références|fuentes|referencias|fonti|fontes|referências|bronnen|источники|参考资料|来源|出典|参考文献)(?:\s+(?:used|cited))?\s*[:：]?[\s*_]*$/i

const ECHO_BEGINS = /^\s*<source[-\w]*\s+n\s*=[^>]*>\s*$/
const ECHO_ENDS = /<\/source[-\w]*>\s*$/
/** A sentence without a citation and with fewer words than this is a heading, or says too little to be looked up. */
const LEAST_WORDS = 3

/** The end of a citation in any form, followed by more text. */
const CITED_END =
  /(?:\[[^\]\n]{1,40}\]|【[^】\n]{1,40}】|[(（][^()（）\n]{0,12}\d{1,3}[)）]|<\/sup>)[.!?。！？]?["”’]?(?=\s+[^\s[(【（^<.])/g

export interface CheckOptions {
  /** The text of each source, in the order of their numbers. */
  readonly sources: readonly string[]
  readonly bearing: Bearing
  /** Share of a sentence's distinctive words that its sources must have. */
  readonly share?: number
}

/**
 * The sentences of a model's reply that their sources support, as the reply arrives or all at once. A sentence is
 * left out when it cites a source that doesn't exist, when a number or address in it is in none of its sources, or
 * when too few of its distinctive words are. A sentence without a citation relies on the citation of the next
 * sentence in its paragraph, otherwise on the source that has nearly all of it.
 */
export class CheckedReply {
  readonly #options: CheckOptions
  #taken = ""
  #isOver = false
  #inCode = false
  #inEcho = false
  #hasBrackets = false
  #refused = false

  constructor(options: CheckOptions) {
    this.#options = options
  }

  /** Whether the model said anywhere that the sources have no answer. */
  get refused(): boolean {
    return this.#refused
  }

  /**
   * The statements since the last call.
   *
   * @param reply the whole reply so far
   * @param isWhole whether the reply is complete; if not, text that may still change is left for the next call
   * @param isCut whether the last sentence may be incomplete
   */
  async take(reply: string, isWhole: boolean, isCut = false): Promise<CitedStatement[]> {
    const text = reply.slice(0, MAX_REPLY_CHARS)
    // The earlier text turned out to be reasoning.
    if (!text.startsWith(this.#taken)) this.#taken = ""
    const fresh = text.slice(this.#taken.length)
    const upTo = isWhole ? fresh.length : settled(fresh)
    const part = fresh.slice(0, upTo)
    this.#taken = text.slice(0, this.#taken.length + upTo)
    const statements: CitedStatement[] = []
    for (const [i, line] of part.split("\n").entries()) {
      const isLast = isWhole && isCut && i === part.split("\n").length - 1
      statements.push(...(await this.#line(isLast ? withoutEnd(line) : line)))
    }
    return statements
  }

  async #line(line: string): Promise<CitedStatement[]> {
    // Small models repeat the question, including its source.
    if (ECHO_BEGINS.test(line) || ECHO_ENDS.test(line)) {
      this.#inEcho = !ECHO_ENDS.test(line)
      return []
    }
    if (this.#inEcho || /^\s*Question:/.test(line)) return []
    if (/^\s*(?:```|~~~)/.test(line)) {
      this.#inCode = !this.#inCode
      return []
    }
    if (this.#inCode) return this.#code(line.trim())
    this.#isOver ||= LIST_OF_SOURCES.test(line)
    // Skips the text of a footnote, or a heading.
    if (this.#isOver || /^\s*\[\^\d+\]:/.test(line) || /^\s*#{1,6}\s[^[\]]*$/.test(line)) return []
    const plain = plainCitations(undecorated(line), !this.#hasBrackets)
    this.#hasBrackets ||= /\[\d{1,3}[\],]/.test(line) || /【/.test(line)
    return await this.#sentences(splitSentences(citationsInside(plain), null))
  }

  async #sentences(sentences: readonly string[]): Promise<CitedStatement[]> {
    const statements: CitedStatement[] = []
    let open: string[] = []
    for (const sentence of sentences) {
      const cited = [
        ...new Set(
          [...sentence.matchAll(CITATION)].flatMap(([, numbers = ""]) => numbers.split(",").map(Number)),
        ),
      ]
      const text = withoutFrame(sentence.replaceAll(CITATION, "").trim())
      if (!/\p{L}/u.test(text)) continue
      if (cited.length === 0) {
        open.push(text)
        continue
      }
      for (const one of open) statements.push(...(await this.#judged(one, cited, true)))
      open = []
      statements.push(...(await this.#judged(text, cited, false)))
    }
    for (const one of open) {
      if (wordsIn(one) >= LEAST_WORDS) statements.push(...(await this.#judged(one, [], true)))
      else this.#refused ||= isRefusal(one)
    }
    return statements
  }

  /** The sentence with the source that supports it, if there is one. */
  async #judged(text: string, cited: readonly number[], orAnother: boolean): Promise<CitedStatement[]> {
    const { sources, bearing, share = SUPPORTED } = this.#options
    const verbatim = sources.some((source) => source.includes(text))
    if (!verbatim && isRefusal(text)) {
      this.#refused = true
      return []
    }
    const known = cited.every((number) => number >= 1 && number <= sources.length)
    if (known) {
      for (const number of cited) {
        if (await bearing.bears(text, sources[number - 1]!, share)) return [{ text, source: number - 1 }]
      }
      const together = cited.map((number) => sources[number - 1]!).join("\n")
      if (cited.length > 1 && (await bearing.bears(text, together, share)))
        return [{ text, source: cited[0]! - 1 }]
    }
    if (!orAnother) return []
    for (const [source, shown] of sources.entries()) {
      if (await bearing.bears(text, shown, Math.max(share, UNCITED))) return [{ text, source }]
    }
    return []
  }

  /** A line of code is kept only if a source has exactly the same line. */
  #code(line: string): CitedStatement[] {
    const source = line === "" ? -1 : this.#options.sources.findIndex((text) => text.includes(line))
    return source < 0 ? [] : [{ text: line, source }]
  }
}

/** All supported sentences of a whole reply. */
export async function checkedSentences(
  reply: { readonly text: string; readonly isCut?: boolean },
  options: CheckOptions,
): Promise<CitedStatement[]> {
  return await new CheckedReply(options).take(reply.text, true, reply.isCut)
}

/** Length of the part of an unfinished text that later text cannot change: whole lines, and sentences up to a citation that is followed by more text. */
function settled(text: string): number {
  const line = text.lastIndexOf("\n") + 1
  const open = text.slice(line)
  // The start of a line shows its kind: code, a list of sources, a heading.
  if (/^\s*(?:```|~~~|#|<source|Question:)/.test(open)) return line
  let end = 0
  for (const { index, 0: mark } of open.matchAll(CITED_END)) end = index + mark.length
  return line + end
}

/** Number of words; in scripts without spaces, number of characters. */
const wordsIn = (text: string): number =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu)
    ?.length ?? 0

/**
 * A sentence without the words that merely introduce it as the answer; empty for a sentence that only describes its
 * source.
 */
const withoutFrame = (sentence: string): string =>
  sentence
    .replace(
      /^(?:so,? |therefore,? )?(?:the |my )?(?:final |correct |short )?answer(?: to (?:the|this|your) question)? is(?: that)?\s*:?\s*/i,
      "",
    )
    .replace(
      /^(?:the |my )?(?:sources?|references?|citations?)(?: numbers?)?(?: for this| used| cited)? (?:is|are)\b[^\p{L}]*$/iu,
      "",
    )
    .replace(/^\p{Ll}/u, (letter) =>
      /^(?:so |therefore |the |my |final )*answer/i.test(sentence) ? letter.toUpperCase() : letter,
    )

/** Removes a last sentence that was cut off. */
function withoutEnd(line: string): string {
  if (/[.!?。！？\])】）]["”’]?\s*$/.test(line)) return line
  const sentences = splitSentences(citationsInside(line), null)
  return sentences.slice(0, -1).join(" ")
}

/** A line without the marks of lists, quotes and emphasis, which models write even when asked not to. */
const undecorated = (line: string): string =>
  line
    .replace(/^\s*(?:>\s*)*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?/, "")
    .replace(
      /^\s*(?:\*\*|__)?(?:answer|final answer|antwort|réponse|respuesta|risposta|resposta|ответ|答案|回答)\s*[:：]\s*(?:\*\*|__)?\s*/i,
      "",
    )
    .replaceAll(/(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1/g, "$2")

/** `It is. [1]` becomes `It is [1].`, so that a citation stays with its sentence. */
const citationsInside = (line: string): string =>
  line.replaceAll(/([.!?。！？]["”’)]?)((?:\s*\[\d[\d,]*\])+)/g, "$2$1")
