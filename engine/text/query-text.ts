import { hostAndPort } from "../index/page/domains.ts"

/** A question split into the text to look for and its operators. */
export interface QueryText {
  /** The text to look for, without operators. Contains phrases without their quotes. */
  readonly text: string
  /** Phrases; pages that contain each of them as written come first. */
  readonly phrases: readonly string[]
  /** Words and phrases; pages that contain any of these are dropped. */
  readonly excludedWords: readonly string[]
  readonly excludedPhrases: readonly string[]
  /** Hosts given with `site:`; pages of any of them may be found. */
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
}

/** A question as text, or one that has already been parsed. */
export const wordsOf = (question: string | QueryText): string =>
  typeof question === "string" ? question : question.text

const STRAIGHT = '"＂'
const CURVED = "“”„‟«»"
/** Letters of words: a quote or a minus after one of these opens nothing (`5"`, `e-mail`). */
const WORD_BEFORE = /[\p{L}\p{M}\p{N}=]$/u
/** Scripts without spaces: a quote may open in the middle of a sentence. */
const UNSPACED_BEFORE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u
/** The beginning of a word that can be excluded. One Latin letter, alone or with a number, is a command-line option (`-v`, `-O2`), but `C++` is a name. */
const EXCLUDABLE = /^(?:\p{L}-?[\p{L}\p{M}]|\p{L}(?:\+\+|#)|[^\P{L}\p{Script=Latin}])/u
const TRAILING_MARKS = /[.,;:!?)\]}]+$/
const HOST =
  /^(?:[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{M}\p{N}_-]{1,63})*\.?(?::\d{1,5})?|\[[\da-f:.]+\](?::\d{1,5})?)$/iu

/**
 * Reads the operators of a question as people know them from web search:
 *
 * - `"a phrase"`, `“a phrase”`, `«a phrase»`: pages that contain it word by word come first. A quote that is never
 * closed, or that follows a letter, a digit or `=` (`5"`, `class="x"`), is text.
 * - `-word`, `-"a phrase"`: pages that contain it are dropped. The minus must begin a token and be followed by a
 * letter: `e-mail`, `--flag`, `-1` and a lone minus are text, and so is anything that looks like an option of a
 * command: one Latin letter alone or with a number (`-v`, `-O2`).
 * - `site:host`, `-site:host`: a host as in `PageFilter.includeDomains`, with a port or without. Anything but a host
 * (`site:`, `site:*.com`, `site:a/b`) is text.
 *
 * A question with only exclusions has no subject: it is taken as plain text, including the minus. A question with only
 * `site:` asks for that site's pages, and its name is searched for. `AND`, `OR`, `+`, `*` and other prefixes mean
 * nothing.
 */
export function parseQueryText(question: string): QueryText {
  const kept: string[] = []
  const phrases: string[] = []
  const excludedWords: string[] = []
  const excludedPhrases: string[] = []
  const includeDomains: string[] = []
  const excludeDomains: string[] = []
  let at = 0
  let plainFrom = 0
  const operator = (length: number, left = "") => {
    kept.push(question.slice(plainFrom, at), left)
    at += length
    plainFrom = at
  }
  while (at < question.length) {
    const before = question.slice(Math.max(0, at - 2), at)
    const begins = at === 0 || /\s$/.test(before)
    const minus = begins && question[at] === "-" ? 1 : 0
    const phrase =
      begins || !WORD_BEFORE.test(before) || UNSPACED_BEFORE.test(before)
        ? phraseAt(question, at + minus)
        : null
    if (phrase !== null && phrase.text !== "") {
      ;(minus ? excludedPhrases : phrases).push(phrase.text)
      operator(minus + phrase.length, minus ? " " : ` ${phrase.text} `)
      continue
    }
    if (begins) {
      const token = /^\S+/.exec(question.slice(at))?.[0] ?? ""
      const host = siteOf(token.slice(minus))
      const word = minus ? wordOf(token.slice(1)) : null
      if (host !== null) {
        ;(minus ? excludeDomains : includeDomains).push(host)
        operator(token.length)
        continue
      }
      if (word !== null) {
        excludedWords.push(word)
        operator(token.length)
        continue
      }
    }
    at++
  }
  operator(0)
  const text = kept.join("").replace(/\s+/g, " ").trim()
  const parsed = { text, phrases, excludedWords, excludedPhrases, includeDomains, excludeDomains }
  if (phrases.length > 0 || /[\p{L}\p{N}]/u.test(text)) return parsed
  if (includeDomains.length > 0) return { ...parsed, text: includeDomains.join(" ") }
  return {
    text: question,
    phrases: [],
    excludedWords: [],
    excludedPhrases: [],
    includeDomains: [],
    excludeDomains: [],
  }
}

/** The phrase that opens here and closes later, with its length including the quotes. */
function phraseAt(question: string, at: number): { text: string; length: number } | null {
  const opening = question[at]
  if (opening === undefined) return null
  const straight = STRAIGHT.includes(opening)
  if (!straight && !CURVED.includes(opening)) return null
  const closing = straight ? STRAIGHT : CURVED + STRAIGHT
  for (let end = at + 1; end < question.length; end++) {
    if (!closing.includes(question[end]!)) continue
    return {
      text: question
        .slice(at + 1, end)
        .replace(/\s+/g, " ")
        .trim(),
      length: end + 1 - at,
    }
  }
  return null
}

function siteOf(token: string): string | null {
  const host = /^site:(.+)$/i.exec(token)?.[1]?.replace(/[,;)]+$/, "")
  if (host === undefined || !HOST.test(host)) return null
  const { host: name, port } = hostAndPort(host)
  if (port === null) return name
  return port > 0 && port < 65_536 ? `${name}:${port}` : null
}

function wordOf(token: string): string | null {
  const word = token.replace(TRAILING_MARKS, "")
  return EXCLUDABLE.test(word) ? word : null
}
