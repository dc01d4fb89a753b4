import { type Block, rowText, type Table } from "../../text/markdown/markdown-blocks.ts"
import { holdsModelOrder } from "../../text/model-orders.ts"
import { isDangling } from "../statements/dangling.ts"
import { isStruck, lineKey, marksOf, type PageMarks } from "../statements/page-marks.ts"
import {
  DEFINITION,
  isItem,
  type Part,
  partsOf,
  passageRanks,
  type StatedIn,
  withoutMarker,
} from "../statements/page-parts.ts"
import { isUnspaced, spacedWords, splitSentences } from "../statements/sentences.ts"
import { rowsOf } from "../statements/table-rows.ts"

/** The smallest piece of a page that can be an answer. */
export interface Unit {
  /** Markdown, word for word as in the page except for white space; ends in `…` if it was cut. */
  readonly text: string
  readonly kind: "prose" | "entry" | "list" | "steps" | "code" | "row"
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** Rank, among the page's best passages, of the one that contains the unit, from 0; infinite if none does. */
  readonly rank: number
  /** The headings above the unit, outermost first; the page title comes first. */
  readonly headings: readonly string[]
  /** The term that the unit defines, or the line that introduces its list, verbatim. Printed before the text. */
  readonly lead: string | null
}

/** Maximum length of a prose unit in characters. */
const MAX_CHARS = 320
/** Maximum length in characters of a unit with code or list items, which is cut at the end of a line. */
const MAX_CODE_CHARS = 700
/** Maximum length in characters of a reference entry without code. */
const MAX_ENTRY_CHARS = 500
/** Maximum length in characters of a section's steps. */
const MAX_STEPS_CHARS = 1000
/** A paragraph shorter than this is joined with the next one. */
const SHORT_CHARS = 90
/** Maximum length in characters of the introduction shown before code. */
const MAX_INTRO_CHARS = 240

type Made = Pick<Unit, "text" | "kind"> & { readonly lead?: string | null }

/** The units of a page in page order; if it has no text, the units of its passages. Leaves out struck-out text, headings, questions and lists of links. */
export function unitsOf(page: StatedIn, source: number): Unit[] {
  const marks = marksOf(page.markdown)
  const rankOf = passageRanks(page)
  const units: Unit[] = []
  for (const section of sectionsOf(partsOf(page, marks))) {
    const reader = new SectionReader(section, marks, page.language)
    for (const { part, lead = null, ...made } of reader.units()) {
      units.push({ ...made, lead, source, rank: rankOf(part.block), headings: part.headings })
    }
  }
  return units
}

const BOX = /^(?:\[?(?:tip|note|caution|warning|important)\]?[\s|]*){1,2}/i
/** The alternative text of the icon in a box next to the text. */
const PICTURE = /^(?:tip|note|caution|warning|important)(?: icon)?$/i
const ORDERED = /^\d{1,9}[.)] /
const LINK_ALONE = /^\s*(?:[-*+]|\d{1,9}[.)])?\s*!?\[[^\]]*\]\([^)]*\)[.,;]?\s*$/

/** Groups consecutive parts under the same headings. */
function sectionsOf(parts: readonly Part[]): Part[][] {
  const sections: Part[][] = []
  for (const part of parts) {
    const last = sections.at(-1)
    if (last && last[0]!.headings.join("\n") === part.headings.join("\n")) last.push(part)
    else sections.push([part])
  }
  return sections
}

/** A unit, and the part of the page in which it begins. */
type Found = Made & { readonly part: Part }

class SectionReader {
  readonly #parts: readonly Part[]
  readonly #marks: PageMarks
  readonly #language: string | null

  constructor(parts: readonly Part[], marks: PageMarks, language: string | null) {
    this.#parts = parts.filter(({ block, raw }) => block.kind === "code" || !isLinks(raw))
    this.#marks = marks
    this.#language = language
  }

  units(): Found[] {
    const parts = this.#parts
    const found: Found[] = []
    const steps = this.#steps()
    if (steps) found.push(steps)
    for (let at = 0; at < parts.length;) {
      const part = parts[at]!
      let end = at + 1
      const isSame = (other: Part) =>
        part.term !== null
          ? other.entry === part.entry
          : isListed(part) && isListed(other) && other.announcement === part.announcement
      while (end < parts.length && isSame(parts[end]!)) end++
      const some = parts.slice(at, end)
      if (part.term !== null) found.push(...this.#entry(some))
      else if (isListed(part)) found.push(...this.#list(some))
      else if (part.block.kind === "code") found.push(...this.#code(part, parts[at - 1]))
      else if (tableOf(part.block)) found.push(...this.#table(part, parts[end]))
      else {
        // A short paragraph is joined with the text after it, unless that text must not be shown.
        const next = parts[end]
        const isShort = part.block.text.length < SHORT_CHARS && part.announces.length === 0
        if (next && isProse(next) && isShort && !holdsModelOrder(part.block.text)) {
          const { announces } = next
          found.push(...this.#prose({ ...part, announces }, `${part.block.text}\n${next.block.text}`))
          end++
        } else found.push(...this.#prose(part, part.block.text))
      }
      at = end
    }
    return found.filter(({ text }) => saysSomething(text))
  }

  /** All steps or commands of a section as one unit, in order. */
  #steps(): Found | null {
    const parts = this.#parts
    if (parts.some(({ term, block }) => term !== null || tableOf(block))) return null
    const ordered = parts.filter(({ block }) => ORDERED.test(block.text)).length
    const codes = parts.filter(({ block }) => block.kind === "code").length
    const items = parts.filter(isListed).length
    if (parts.length < 2 || (ordered < 2 && codes < 1 && items < 3)) return null
    const isStep = (part: Part | undefined) =>
      part !== undefined && (part.block.kind === "code" || isItem(part.block.text))
    // Between steps, only the sentences that introduce the next step are kept.
    const lines = parts.flatMap((part, at) => {
      if (isStep(part)) return shown(part.block)
      const intro = isStep(parts[at + 1]) ? this.#introduction(part.block.text) : ""
      return intro === "" ? [] : [intro]
    })
    return { part: parts[0]!, kind: "steps", text: cutLines(lines, MAX_STEPS_CHARS) }
  }

  #entry(parts: readonly Part[]): Found[] {
    const [first] = parts
    const lead = lineKey(first!.term!)
    const text = parts.map(({ block }) => block.text.replace(DEFINITION, "")).join("\n")
    const hasCode = parts.some(({ block }) => block.kind === "code" || isItem(block.text) || tableOf(block))
    if (text.length <= MAX_ENTRY_CHARS || hasCode) {
      const lines = parts.flatMap(({ block }) => shown(block))
      return [{ part: first!, kind: "entry", lead, text: cutLines(lines, MAX_CODE_CHARS) }]
    }
    return this.#windows(text).map((one) => ({ part: first!, kind: "entry", lead, text: one }))
  }

  #list(parts: readonly Part[]): Found[] {
    const lead = parts[0]!.announcement
    const lines = parts.map((part) => ({ part, text: shown(part.block).join("\n") }))
    const isOrdered = ORDERED.test(lines[0]!.text)
    const all = lines.map(({ text }) => text).join("\n")
    if (isOrdered || all.length <= MAX_CHARS)
      return [
        {
          part: parts[0]!,
          kind: "list",
          lead,
          text: cutLines(all.split("\n"), MAX_STEPS_CHARS),
        },
      ]
    const found: Found[] = []
    let open: typeof lines = []
    const close = () => {
      if (open.length > 0)
        found.push({ part: open[0]!.part, kind: "list", lead, text: open.map(({ text }) => text).join("\n") })
      open = []
    }
    for (const line of lines) {
      if (line.text.length > MAX_CHARS) {
        close()
        for (const text of this.#windows(withoutMarker(line.text)))
          found.push({ part: line.part, kind: "list", lead, text })
        continue
      }
      if (open.reduce((sum, { text }) => sum + text.length, line.text.length) > MAX_CHARS) close()
      open.push(line)
    }
    close()
    return found
  }

  #code(part: Part, before: Part | undefined): Found[] {
    const intro =
      before && before.block.kind === "text" && !tableOf(before.block)
        ? this.#introduction(before.block.text)
        : ""
    const lines = [...(intro === "" ? [] : [intro]), ...shown(part.block)]
    return [{ part, kind: "code", text: cutLines(lines, MAX_CODE_CHARS) }]
  }

  /** The last sentences of a text before code. */
  #introduction(text: string): string {
    const sentences = this.#sentences(text)
    let intro = ""
    for (const sentence of sentences.toReversed()) {
      if (intro.length + sentence.length > MAX_INTRO_CHARS) break
      intro = intro === "" ? sentence : `${sentence} ${intro}`
      if (!isDangling(sentence)) break
    }
    return intro
  }

  #table(part: Part, next: Part | undefined): Found[] {
    const { block, raw } = part
    // This is a box beside the text, drawn as a table.
    if (BOX.test(block.text)) return this.#prose(part, block.text.replace(BOX, "").replaceAll("|", " "))
    const rows = rowsOf(block.text, raw)
    if (!rows) return this.#prose(part, block.text)
    if (rows.length === 0) return []
    const names = rows[0]!.columns
    if (names === "prose") return rows.flatMap(({ text }) => this.#prose(part, text))
    const lead = part.announcement
    if (names === null) {
      const pairs = rows.map(({ text }) => `- ${text.replace(/^([^|]*?)[:：]?\s*\|\s*/, "$1: ")}`)
      const all = pairs.join("\n")
      if (all.length <= MAX_CODE_CHARS) {
        // A reference entry: its rows, then the first sentence of its description.
        const first =
          next && isProse(next) && !/description/i.test(all)
            ? [this.#sentences(next.block.text)[0] ?? ""]
            : []
        return [{ part, kind: "entry", lead, text: [...pairs, ...first].join("\n") }]
      }
      return pairs.map((text) => ({ part, kind: "row", lead, text: cutLines([text], MAX_CODE_CHARS) }))
    }
    const drawn = (some: readonly string[]) =>
      [drawnRow(names), `|${"---|".repeat(names.split(" | ").length)}`, ...some.map(drawnRow)].join("\n")
    const texts = rows.map(({ text }) => text)
    if (texts.join("\n").length <= MAX_CHARS) return [{ part, kind: "row", lead, text: drawn(texts) }]
    return texts.map((text) => ({ part, kind: "row", lead, text: drawn([text]) }))
  }

  #prose(part: Part, text: string): Found[] {
    const announced = part.announces
    const isBeforeList = announced.length > 0 && announced[0]!.kind !== "code"
    const windows = this.#windows(text, isBeforeList)
    if (!isBeforeList || windows.length === 0)
      return windows.map((one) => ({ part, kind: "prose", text: one }))
    // The list also has its own unit; this unit also contains the paragraph's last sentences.
    const lines = [windows.at(-1)!, ...announced.flatMap(shown)]
    return [
      ...windows.slice(0, -1).map((one): Found => ({ part, kind: "prose", text: one })),
      { part, kind: "list", text: cutLines(lines, MAX_CODE_CHARS) },
    ]
  }

  /**
   * Splits a text into pieces of as many sentences as fit, none beginning with a sentence that refers to the one
   * before.
   * @param opens whether the content introduced by the last sentence is shown after it; otherwise that sentence is left
   * out
   */
  #windows(text: string, opens = false): string[] {
    const sentences = this.#sentences(text)
    if (!opens) while (/[:：]$/.test(sentences.at(-1) ?? "")) sentences.pop()
    const windows: string[] = []
    for (let at = 0; at < sentences.length;) {
      const leans =
        at > 0 && isDangling(sentences[at]!) && sentences[at - 1]!.length + sentences[at]!.length < MAX_CHARS
      let end = leans ? at : at + 1
      let said = sentences[end - 1]!
      while (end < sentences.length && (end <= at || said.length + sentences[end]!.length < MAX_CHARS))
        said += ` ${sentences[end++]!}`
      windows.push(said)
      at = end
    }
    return windows
  }

  #sentences(text: string): string[] {
    return text
      .replace(DEFINITION, "")
      .split("\n")
      .flatMap((line) => splitSentences(withoutMarker(lineKey(line)), this.#language))
      .filter((sentence) => !isStruck(this.#marks, sentence) && !PICTURE.test(sentence))
  }
}

const tableOf = (block: Block): Table | undefined => (block.kind === "text" ? block.table : undefined)
const isListed = ({ block, term }: Part): boolean =>
  term === null && block.kind === "text" && !tableOf(block) && isItem(block.text)
const isProse = ({ block, term }: Part): boolean =>
  term === null && block.kind === "text" && !tableOf(block) && !isItem(block.text)

/** The lines of a block in Markdown. */
function shown(block: Block): string[] {
  if (block.kind === "code") {
    const fence = block.text.includes("```") ? "````" : "```"
    return [`${fence}${block.code?.language ?? ""}`, ...(block.code?.lines ?? block.text.split("\n")), fence]
  }
  const table = tableOf(block)
  if (table) return table.rows.map((cells) => `- ${rowText(cells)}`)
  return block.text.replace(DEFINITION, "").split("\n")
}

const drawnRow = (row: string): string => `| ${row.replace(/^\|\s*|\s*\|$/g, "")} |`

/** As many lines as fit, but at least one. Closes the code fence if code is cut. */
function cutLines(lines: readonly string[], most: number): string {
  let fence = ""
  const kept: string[] = []
  let chars = 0
  for (const line of lines) {
    if (kept.length > 0 && chars + line.length > most) {
      // Code is left out if there isn't room for even its first line.
      if (fence !== "" && kept.at(-1)!.startsWith(fence)) kept.pop()
      else if (fence !== "") kept.push(fence)
      kept.push("…")
      break
    }
    kept.push(line.length > most ? `${line.slice(0, most).replace(/\s+\S*$/, "")} …` : line)
    chars += line.length + 1
    // A block fenced with four backticks can contain three.
    if (fence === "") fence = /^`{3,}/.exec(line)?.[0] ?? ""
    else if (line === fence) fence = ""
  }
  return kept.join("\n")
}

/** Whether each line is only a link or an image: the descriptions of links and images answer nothing. */
function isLinks(raw: readonly string[]): boolean {
  const lines = raw.filter((line) => line.trim() !== "")
  return lines.length > 0 && lines.every((line) => LINK_ALONE.test(line))
}

function saysSomething(text: string): boolean {
  if (/^[^.!。\n]{0,200}[?？]$/u.test(text)) return false
  return isUnspaced(text) || spacedWords(text) >= 3
}
