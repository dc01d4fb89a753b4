import type { PageUrl } from "#engine"
import { isAscii } from "#base/text/ascii.ts"
import { FNV1A_START, fnv1a, fnv1aStep, murmurMix } from "#base/text/hash.ts"

/** Why an address belongs to another page: it is the same document in a less readable format. */
export const OTHER_FORMAT = "the same document in another format"

/** The evidence for whether two files are one document in two formats. */
export interface DocumentForm {
  /** Its address without the format: the same for `/manual.pdf` and `/manual.html`. */
  readonly stem: string
  /**
   * The smallest hashes of its shingles, in hexadecimal. They describe its text, however the format divides it into
   * pages.
   */
  readonly sketch: string
  /** Version numbers found near its beginning, in alphabetical order, separated by spaces. */
  readonly versions: string
}

/** Formats in which a document is published, those that read best in a browser first. */
const FORMATS = ["html", "htm", "xhtml", "md", "epub", "pdf", "docx", "odt", "rtf", "txt"]
/** Folders that are named after the format of their files. */
const FORMAT_FOLDERS = new Set([...FORMATS, "text", "plain", "word", "ebook"])

/** Minimum number of words: shorter texts are not documents, and have too few shingles to compare. */
const FEWEST_WORDS = 150
const MOST_WORDS = 60_000
/** Number of consecutive words in a shingle. */
const SHINGLE = 3
/**
 * Number of hashes kept per document (Broder 1997). With this many, estimates of the overlap of two documents are off
 * by 0.03, at a cost of half a kilobyte. Of 13 real manuals in two to four formats, any two formats share 0.90 of their
 * shingles or more; a program's manual and its reference share 0.53.
 */
const KEPT_HASHES = 128
const SAME_DOCUMENT = 0.82
/** Number of words at the start of a document in which its version is looked for. */
const FRONT_WORDS = 300

/** The evidence from one document; `null` if the address names no format in which documents are published, or if the document is too short. */
export function documentForm(url: PageUrl, title: string, lines: readonly string[]): DocumentForm | null {
  const stem = stemOf(url)
  if (stem === null) return null
  const hashes = shingleHashes(lines)
  if (hashes === null) return null
  return { stem, sketch: sketchOf(hashes), versions: versionsOf(title, lines) }
}

/**
 * Whether two documents with the same stem are the same: they share nearly all of their text, and the version that they
 * name.
 */
export function isSameDocument(a: DocumentForm, b: DocumentForm): boolean {
  if (a.stem !== b.stem || !versionsAgree(a.versions, b.versions)) return false
  return sharedShare(a.sketch, b.sketch) >= SAME_DOCUMENT
}

/** Less than 0 if the first address has the format that is shown; the other is listed as an alternative. */
export function compareFormats(a: PageUrl, b: PageUrl): number {
  return FORMATS.indexOf(formatOf(a) ?? "") - FORMATS.indexOf(formatOf(b) ?? "")
}

function stemOf(url: PageUrl): string | null {
  const format = formatOf(url)
  if (format === null) return null
  const { host, pathname, search } = new URL(url)
  if (search !== "") return null
  const folders = pathname.slice(0, -format.length - 1).split("/")
  const name = folders.pop() ?? ""
  return `${host}${folders.filter((folder) => !FORMAT_FOLDERS.has(folder.toLowerCase())).join("/")}/${name}`
}

/** The format that an address names, in lower case; `null` if it is not a format in which documents are published. */
export function formatOf(url: PageUrl): string | null {
  const ending = /[^/]\.([a-z]{2,5})$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? ""
  return FORMATS.includes(ending) ? ending : null
}

/** Hashes of the shingles, which consist of words alone: page numbers and heading numbers depend on the format. */
function shingleHashes(lines: readonly string[]): Uint32Array | null {
  const words: number[] = []
  for (const line of lines) {
    addWords(line, words)
    if (words.length >= MOST_WORDS) break
  }
  if (words.length < FEWEST_WORDS) return null
  const hashes = new Uint32Array(words.length - SHINGLE + 1)
  for (let at = 0; at < hashes.length; at++) {
    let shingle = 0
    for (let word = at; word < at + SHINGLE; word++)
      shingle = murmurMix(Math.imul(shingle, 31) ^ words[word]!)
    hashes[at] = shingle
  }
  return hashes
}

const WORD = /\p{L}[\p{L}\p{M}]*/gu
const [LOWER, A, Z] = [0x20, 0x61, 0x7a]

/** Adds the hashes of a line's words in lower case. For an ASCII line, this creates no strings. */
function addWords(line: string, words: number[]): void {
  if (!isAscii(line)) {
    for (const word of line.toLowerCase().replaceAll("\u00AD", "").match(WORD) ?? []) words.push(fnv1a(word))
    return
  }
  for (let at = 0, word = 0, isIn = false; at <= line.length; at++) {
    const letter = line.charCodeAt(at) | LOWER
    if (letter >= A && letter <= Z) {
      word = fnv1aStep(isIn ? word : FNV1A_START, letter)
      isIn = true
    } else if (isIn) {
      words.push(word)
      isIn = false
    }
  }
}

function sketchOf(hashes: Uint32Array): string {
  let most = Number.POSITIVE_INFINITY
  const kept = new Set<number>()
  for (const hash of hashes) {
    if (hash > most) continue
    kept.add(hash)
    if (kept.size < 8 * KEPT_HASHES) continue
    most = smallest(kept).at(-1)!
    for (const one of kept) if (one > most) kept.delete(one)
  }
  return Array.from(smallest(kept), (hash) => hash.toString(16).padStart(8, "0")).join("")
}

const smallest = (hashes: Iterable<number>): Uint32Array =>
  Uint32Array.from(hashes).sort().subarray(0, KEPT_HASHES)

/** An estimate of the share of shingles that two documents have in common, from 0 to 1. */
function sharedShare(a: string, b: string): number {
  const [one, other] = [hashesIn(a), new Set(hashesIn(b))]
  // The smallest hashes of both documents together are a fair sample of all hashes in either.
  const sample = [...new Set([...one, ...other])].sort().slice(0, KEPT_HASHES)
  const first = new Set(one)
  const shared = sample.filter((hash) => first.has(hash) && other.has(hash)).length
  return sample.length === 0 ? 0 : shared / sample.length
}

const hashesIn = (sketch: string): string[] => sketch.match(/.{8}/g) ?? []

function versionsOf(title: string, lines: readonly string[]): string {
  const front: string[] = [title]
  let words = 0
  for (const line of lines) {
    front.push(line)
    words += line.split(/\s+/).length
    if (words >= FRONT_WORDS) break
  }
  const found = [...front.join("\n").slice(0, 10_000).matchAll(VERSION)].map(([, version = ""]) => version)
  return [...new Set([...found, ...(title.match(/\d+(?:\.\d+)+/g) ?? [])])].sort().slice(0, 20).join(" ")
}

/** Numbers that are marked as a version; section numbers do not match. */
const VERSION =
  /(?<!\p{L})(?:versi[oó]n(?:e|s)?|versão|версия|release|edition|édition|auflage|rev(?:ision)?|v)[.:]?\s*(\d+(?:\.\d+)+)/giu

/** Versions can disagree only if both documents name some; a document may name its program's version in addition to its own. */
function versionsAgree(a: string, b: string): boolean {
  if (a === "" || b === "") return true
  const others = new Set(b.split(" "))
  return a.split(" ").some((version) => others.has(version))
}
