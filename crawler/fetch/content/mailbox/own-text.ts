import { fnv1a } from "#base/text/hash.ts"

/** A piece of a message. */
export interface MailBlock {
  readonly kind: "text" | "quote"
  readonly lines: readonly string[]
}

/** Number of consecutive words that must match for the text to be considered repeated. */
const RUN = 4

/** The text of a thread's earlier messages. */
export class SaidBefore {
  readonly #runs = new Set<number>()
  readonly #words = new Set<string>()

  add(text: string): void {
    const words = wordsOf(text)
    for (const word of words) this.#words.add(word)
    for (const run of runsOf(words)) this.#runs.add(run)
  }

  /** Whether earlier messages contain all of the given text, however its lines were broken and quoted. */
  has(text: string): boolean {
    const words = wordsOf(text)
    if (words.length < RUN) return words.every((word) => this.#words.has(word))
    return runsOf(words).every((run) => this.#runs.has(run))
  }
}

const wordsOf = (text: string): string[] => text.split(/[\s>]+/).filter((word) => word !== "")

const runsOf = (words: readonly string[]): number[] =>
  words.slice(RUN - 1).map((_, at) => fnv1a(words.slice(at, at + RUN).join(" ")))

type Region = "own" | "quoted" | "original" | "signature"

interface Paragraph {
  readonly region: Region
  readonly lines: string[]
}

const QUOTED = /^ ?>/
const MARKS = /^ ?(?:> ?)+/
/** A line such as `-----Original Message-----`, in any language. */
const ORIGINAL = /^\s*(?:-{3,}|_{5,})\s*\p{L}[^-_]{3,60}(?:-{3,}|_{5,})\s*$/u
/** A line such as `From: Ada`, in any language. */
const FIELD = /^\s*\*?\p{Lu}[\p{L}-]{0,14}( [\p{L}-]{1,10})?\s?:\*?\s+\S/u
const FIELDS = 3
/** A line such as `On 3 May 2026 at 10:14, Ada <ada@example.com> wrote:`, in any language: a time, a year or an address, with a colon at the end. */
const ATTRIBUTION = /(?:\d:\d\d|\b(?:19|20)\d\d\b|\S@\S)[\s\S]*[:：]\s*$/
const MAX_ATTRIBUTION_CHARS = 250
const TIME = /\d[:.]\d\d\b/
const SIGNATURE = /^-- ?$/
/** The line above the footer that a mailing list adds to each message. */
const FOOTER = /^(?:_{20,}|-{20,}|={20,})\s*$/
const MAX_FOOTER_LINES = 12

/**
 * Returns a message without the text that it repeats: quotes, the text below `Original Message`, signatures and footers
 * are left out if `said` contains all of their words. The author's own words stay, even if they repeat something. Adds
 * the remaining text to `said`.
 */
export function ownText(text: string, said: SaidBefore): MailBlock[] {
  const paragraphs = paragraphsOf(text.split(/\r?\n/).map((line) => line.trimEnd()))
  const isSaid = paragraphs.map(({ region, lines }) => region !== "own" && said.has(lines.join("\n")))
  dropOriginalHeader(paragraphs, isSaid)
  dropQuotedAttributions(paragraphs, isSaid)
  const blocks = paragraphs.flatMap(({ region, lines }, at): MailBlock[] => {
    if (isSaid[at]) return []
    if (region === "quoted" || region === "original") return [{ kind: "quote", lines }]
    const own =
      isSaid[at + 1] === true && paragraphs[at + 1]?.region === "quoted" ? withoutAttribution(lines) : lines
    return own.length === 0 ? [] : [{ kind: "text", lines: own }]
  })
  for (const { lines } of blocks) said.add(lines.join("\n"))
  return blocks
}

function paragraphsOf(lines: readonly string[]): Paragraph[] {
  const signatureAt = signatureOf(lines)
  const originalAt = originalOf(lines)
  const paragraphs: Paragraph[] = []
  let last = null as Paragraph | null
  for (const [at, line] of lines.entries()) {
    const region: Region = QUOTED.test(line)
      ? "quoted"
      : at >= originalAt
        ? "original"
        : at >= signatureAt
          ? "signature"
          : "own"
    const bare = region === "quoted" ? line.replace(MARKS, "") : line
    if (bare.trim() === "" || SIGNATURE.test(line)) {
      last = null
      continue
    }
    if (last === null || last.region !== region) paragraphs.push((last = { region, lines: [] }))
    last.lines.push(bare)
  }
  return paragraphs
}

/** The index of the first line of the signature or of a mailing list's footer; infinite if there is neither. */
function signatureOf(lines: readonly string[]): number {
  const signature = lines.findLastIndex((line) => SIGNATURE.test(line))
  const footer = lines.findIndex((line, at) => at >= lines.length - MAX_FOOTER_LINES && FOOTER.test(line))
  return Math.min(...[signature, footer].filter((at) => at !== -1), Infinity)
}

/** The index of the first line of the original message in a reply or forward that has no quote marks; infinite if there is none. */
function originalOf(lines: readonly string[]): number {
  const found = lines.findIndex((line, at) => {
    if (ORIGINAL.test(line)) {
      const fields = lines.slice(at + 1, at + 5).filter((next) => FIELD.test(next))
      return fields.length > 1 && fields.some((field) => TIME.test(field) || field.includes("@"))
    }
    const fields = lines.slice(at, at + FIELDS)
    return (
      at > 0 &&
      FIELD.test(line) &&
      fields.length === FIELDS &&
      fields.every((field) => FIELD.test(field)) &&
      // The trailers of a patch look like the header of a message, but contain no time.
      fields.some((field) => TIME.test(field))
    )
  })
  if (found === -1) return Infinity
  return FOOTER.test(lines[found - 1] ?? "") ? found - 1 : found
}

/** Drops the header of a quoted original message when the original's text is dropped. */
function dropOriginalHeader(paragraphs: readonly Paragraph[], isSaid: boolean[]): void {
  const at = paragraphs.findIndex(({ region }) => region === "original")
  if (at === -1) return
  const others = isSaid.slice(at + 1).filter((_, index) => paragraphs[at + 1 + index]!.region === "original")
  if (others.length > 0 && others.every(Boolean)) isSaid[at] = true
}

/** Drops attributions inside quotes, because some programs quote those too. */
function dropQuotedAttributions(paragraphs: readonly Paragraph[], isSaid: boolean[]): void {
  for (const [at, { region, lines }] of paragraphs.entries())
    if (region === "quoted" && isSaid[at + 1] === true && withoutAttribution(lines).length === 0)
      isSaid[at] = true
}

function withoutAttribution(lines: readonly string[]): readonly string[] {
  for (const count of [1, 2, 3]) {
    const text = lines.slice(-count).join(" ")
    if (text.length <= MAX_ATTRIBUTION_CHARS && ATTRIBUTION.test(text)) return lines.slice(0, -count)
  }
  return lines
}
