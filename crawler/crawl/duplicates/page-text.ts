import { hash } from "node:crypto"
import { type PageReaders, readersLabel } from "#engine/index/page/readers.ts"
import { fnv1a } from "#base/text/hash.ts"
import { simhash } from "#engine/index/page/fingerprint.ts"

/** A few bytes that distinguish one page's text from another's. */
export interface PageText {
  /** Hash of the exact text, without link addresses. */
  readonly exact: string
  /** Hash of its lines in any order: a list sorted differently has the same hash. */
  readonly lines: string
  /** 64 bits, nearly equal for texts that share nearly all of their words; `null` for a text of fewer than three words and for a page with readers. */
  readonly similar: string | null
  /** Number of words, counted up to a thousand. */
  readonly words: number
  /** Hash of the title, without words about how the page is shown. */
  readonly title: string
  /** Hash of its images. */
  readonly images: string
}

/** The parts of a page that identify its text. */
export interface PageContent {
  readonly title: string
  /** Main content as markdown. */
  readonly markdown: string
  readonly images: readonly { readonly url: string }[]
  /** As in `Page`. */
  readonly readers?: readonly PageReaders[]
}

/** Words in a title that say how a page is shown, not what it is about. */
const SHOWN = /\b(?:print(?:able|er)?(?:[ -]friendly)?(?: (?:version|view|page))?|mobile version|amp)\b/gi
/**
 * The target of a link or an image: it can contain session ids, and readers do not see it. Matching takes linear time,
 * because no part can match past the next bracket or quote.
 */
const TARGET = /\]\([^()\s]*(?: "[^"]*")?\)/g
/** Number of words that show what a text resembles; only the whole text shows whether it is the same. */
const MOST_WORDS = 1000

/** @returns the fingerprints of a page, and its lines. Pages with different readers have different fingerprints, so that neither replaces the other. */
export function readText(page: PageContent): { readonly text: PageText; readonly lines: readonly string[] } {
  const lines = plainLines(page.markdown)
  const words = wordsOf(lines)
  const label = readersLabel(page.readers) ?? ""
  return {
    lines,
    text: {
      exact: digest(`${lines.join("\n")}${label}`),
      lines: label === "" ? unordered(lines) : `${unordered(lines)}.${label}`,
      similar: words.length < 3 || label !== "" ? null : simhash(words.map((word) => fnv1a(word))),
      words: words.length,
      title: digest(plainTitle(page.title)),
      images: digest(page.images.map(({ url }) => url.replace(/\?.*$/s, "")).join("\n")),
    },
  }
}

/** The label of a text's readers, which {@link readText} appended to the hash of its lines; empty if everybody may read it. */
export const readersIn = ({ lines }: Pick<PageText, "lines">): string => lines.split(".")[3] ?? ""

/** The lines of a page's text without link addresses; empty lines are left out. */
export function plainLines(markdown: string): string[] {
  const lines: string[] = []
  for (const line of markdown.replace(TARGET, "]").split("\n")) {
    const plain = line.trim()
    if (plain !== "") lines.push(plain)
  }
  return lines
}

function wordsOf(lines: readonly string[]): string[] {
  const words: string[] = []
  for (const line of lines) {
    for (const word of line.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) words.push(word)
    if (words.length >= MOST_WORDS) break
  }
  return words.slice(0, MOST_WORDS)
}

function plainTitle(title: string): string {
  return title
    .replace(SHOWN, " ")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}+#.]+/gu, " ")
    .trim()
}

/** A hash of lines that ignores their order and the numbers of a numbered list: the sum of two hashes per line. */
function unordered(lines: readonly string[]): string {
  let [low, high] = [0, 0]
  for (const line of lines) {
    let [a, b] = [0x811c9dc5, 0x9e3779b9]
    for (let at = startOf(line); at < line.length; at++) {
      const unit = line.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x01000193)
      b = Math.imul((b ^ unit) + 0x7ed55d16, 0x85ebca6b)
    }
    low = (low + (a ^ (a >>> 15))) >>> 0
    high = (high + (b ^ (b >>> 13))) >>> 0
  }
  return `${lines.length}.${low.toString(36)}.${high.toString(36)}`
}

function startOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) >= 0x30 && line.charCodeAt(at) <= 0x39) at++
  return at > 0 && line.startsWith(". ", at) ? at + 2 : 0
}

/** 96 bits: enough that hashes do not collide for as many pages as an index can hold. */
function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16)
}

/** The hash for a page without a title. */
export const UNTITLED = digest("")
