import { type Block, rowText, type Table } from "../../text/markdown/markdown-blocks.ts"
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
  /** Markdown, word by word as in the page but for white space; ends in `…` where it goes on. */
  readonly text: string
  readonly kind: "prose" | "entry" | "list" | "steps" | "code" | "row"
  /** Position of the page among the hits, from 0. */
  readonly source: number
  /** Place of the passage that it stands in among the page's best, from 0; infinite when it stands in none. */
  readonly rank: number
  /** The headings above it, outermost first; the page title is the first. */
  readonly headings: readonly string[]
  /** The term that it defines, or what announces its list; printed before the text. Verbatim. */
  readonly lead: string | null
}

/** Characters of a unit of prose. */
const MAX_CHARS = 320
/** Of one with code, or the items of a list, which are cut at the end of a line. */
const MAX_CODE_CHARS = 700
/** Of an entry of a reference. */
const MAX_ENTRY_CHARS = 500
/** Of a section's steps. */
const MAX_STEPS_CHARS = 1000
/** A paragraph shorter than this is said together with the next one. */
const SHORT_CHARS = 90
/** Characters of an introduction that are said before code. */
const MAX_INTRO_CHARS = 240

type Made = Pick<Unit, "text" | "kind"> & { readonly lead?: string | null }

/** The units of a page, in its order: of its passages when it has no text. What the page strikes out, headings, questions and lists of links are none. */
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
/** What the picture in such a box is called. */
const PICTURE = /^(?:tip|note|caution|warning|important)(?: icon)?$/i
const ORDERED = /^\d{1,9}[.)] /
const LINK_ALONE = /^\s*(?:[-*+]|\d{1,9}[.)])?\s*\[[^\]]*\]\([^)]*\)[.,;]?\s*$/

/** Parts that stand under the same headings, in the page's order. */
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
        // A short paragraph goes with what follows it.
        const next = parts[end]
        if (next && isProse(next) && part.block.text.length < SHORT_CHARS && part.announces.length === 0) {
          found.push(...this.#prose(part, `${part.block.text}\n${next.block.text}`))
          end++
        } else found.push(...this.#prose(part, part.block.text))
      }
      at = end
    }
    return found.filter(({ text }) => saysSomething(text))
  }

  /** A section of steps or commands as a whole, in its order. */
  #steps(): Found | null {
    const parts = this.#parts
    if (parts.some(({ term, block }) => term !== null || tableOf(block))) return null
    const ordered = parts.filter(({ block }) => ORDERED.test(block.text)).length
    const codes = parts.filter(({ block }) => block.kind === "code").length
    const items = parts.filter(isListed).length
    if (parts.length < 2 || (ordered < 2 && codes < 1 && items < 3)) return null
    const isStep = (part: Part | undefined) =>
      part !== undefined && (part.block.kind === "code" || isItem(part.block.text))
    // Of what is said between steps, the sentences that introduce the next one.
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

  /** The last sentences of what stands before code. */
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
    // A box beside the text that is drawn as a table.
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
        // An entry of a reference: what it is called, its rows, the first sentence.
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
    const windows = this.#windows(text)
    const announced = part.announces
    if (announced.length === 0 || announced[0]!.kind === "code" || windows.length === 0)
      return windows.map((one) => ({ part, kind: "prose", text: one }))
    // The list that it announces has a unit of its own, but for one whose introduction is more than a line.
    const lines = [windows.at(-1)!, ...announced.flatMap(shown)]
    return [
      ...windows.slice(0, -1).map((one): Found => ({ part, kind: "prose", text: one })),
      { part, kind: "list", text: cutLines(lines, MAX_CODE_CHARS) },
    ]
  }

  /** Sentences, as many as fit, beginning where nothing leans on what stood before. */
  #windows(text: string): string[] {
    const sentences = this.#sentences(text)
    const windows: string[] = []
    for (let at = 0; at < sentences.length;) {
      const leans =
        at > 0 &&
        isDangling(sentences[at]!) &&
        sentences[at - 1]!.length + sentences[at]!.length < MAX_CHARS
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

/** Lines of a block in markdown. */
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

/** As many lines as fit, one at least; code that is cut is closed. */
function cutLines(lines: readonly string[], most: number): string {
  let fence = ""
  const kept: string[] = []
  let chars = 0
  for (const line of lines) {
    if (kept.length > 0 && chars + line.length > most) {
      // A block of which no line fits is left out.
      if (fence !== "" && kept.at(-1)!.startsWith(fence)) kept.pop()
      else if (fence !== "") kept.push(fence)
      kept.push("…")
      break
    }
    kept.push(line.length > most ? `${line.slice(0, most).replace(/\s+\S*$/, "")} …` : line)
    chars += line.length + 1
    // Code in four backticks may hold three.
    if (fence === "") fence = /^`{3,}/.exec(line)?.[0] ?? ""
    else if (line === fence) fence = ""
  }
  return kept.join("\n")
}

/** Whether lines are hardly more than links to elsewhere. */
function isLinks(raw: readonly string[]): boolean {
  const lines = raw.filter((line) => line.trim() !== "")
  return lines.length > 0 && lines.every((line) => LINK_ALONE.test(line))
}

function saysSomething(text: string): boolean {
  if (/^[^.!。\n]{0,200}[?？]$/u.test(text)) return false
  return isUnspaced(text) || spacedWords(text) >= 3
}
