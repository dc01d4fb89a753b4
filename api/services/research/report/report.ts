import type { ReportText, Evidence, Finding } from "../sources/evidence.ts"
import { printedUnit } from "../../answers/cited-text.ts"
import type { Citations } from "./citations.ts"

/** A part of the report. */
export interface Section {
  readonly heading: string
  /** The question that the section answers, worded as it was searched for. */
  readonly asks: string
  readonly findings: readonly ReportText[]
  /** The comparison, side by side; the section's findings are those of the cells. */
  readonly table?: Table
}

/**
 * The text of a cell; `null` if no page answers the question, `above` if an earlier cell has the same answer, `below`
 * if the text does not fit into a cell.
 */
export type Cell = Finding | "above" | "below" | null

/** Columns by name; the first column has no name. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly { readonly label: string; readonly cells: readonly Cell[] }[]
}

/** Heading of the section for topics that the report doesn't cover; the section cites nothing. */
export const MISSING = "What is missing"

/**
 * The text in place of a report if no page answers the input: what was searched for and where, and which topics no page
 * covers.
 */
export function refusal({ questions, nearest, unseen }: Evidence): string {
  const quoted = (texts: readonly string[]) => listed(texts.map((text) => `“${titleOf(text)}”`))
  const asked = questions.filter(({ follows }) => follows === undefined).map(({ text }) => text)
  const titles = [...new Set(nearest.map(({ title }) => title))]
  const places = [...new Set(nearest.map(({ url }) => URL.parse(url)?.host || url))]
  return [
    NOTHING_FOUND,
    `The index was searched for ${quoted(asked.slice(0, MOST_ASKED))}.`,
    ...(titles.length > 0
      ? [`The nearest pages, ${quoted(titles)} (${listed(places)}), do not answer it.`]
      : []),
    ...(unseen.length > 0 ? [`No page found mentions ${quoted(unseen)}.`] : []),
  ].join(" ")
}

/** The text when no page in the index, and no file, answers any part of the input. */
export const NOTHING_FOUND = "Nothing that answers this was found in the index."
const MOST_ASKED = 4

const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names)

/** The note about pages that were found but not read. */
export const unreadNote = (pages: number): string =>
  `${pages === 1 ? "One page that was" : `${pages} pages that were`} found could not be read: the memory for pages was used up.`

/** Texts of a report in addition to the pages' own sentences. */
export interface Notes {
  readonly missing: readonly string[]
  /** Number of pages that were found but not read. */
  readonly unread: number
  /** The text when there are no sections. */
  readonly refusal: () => string
}

/** The title, then each section, then the sources, as consecutive pieces of markdown. */
export function* rendered(
  title: string,
  sections: readonly Section[],
  citations: Citations,
  { missing, unread, refusal }: Notes,
): Generator<string> {
  yield `# ${titleOf(title)}`
  for (const { heading, findings, table } of sections) {
    const text = table ? tableText(table, citations) : paragraphs(findings, citations)
    yield `\n\n## ${heading}\n\n${text}`
  }
  if (sections.length === 0) yield `\n\n${refusal()}`
  else if (missing.length > 0)
    yield `\n\n## ${MISSING}\n\nNo page found answers:\n\n${missing.map((one) => `- ${one}`).join("\n")}`
  if (unread > 0) yield `\n\n${unreadNote(unread)}`
  const list = citations.list()
  if (list !== "") yield `\n\n${list}\n`
}

function tableText({ columns, rows }: Table, citations: Citations): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [
    line(["", ...columns.map(inCell)]),
    line(["---", ...columns.map(() => "---")]),
    ...rows.map(({ label, cells }) =>
      line([inCell(label), ...cells.map((cell) => cellText(cell, citations))]),
    ),
  ].join("\n")
}

/** The text of a cell without a unit. */
export const EMPTY_CELLS = { none: "nothing found", above: "see above", below: "see below" }

const cellText = (cell: Cell, citations: Citations): string =>
  cell !== null && typeof cell === "object" ? cited(cell, citations) : EMPTY_CELLS[cell ?? "none"]

const inCell = (text: string): string => text.replaceAll("|", "\\|")

const TITLE_CHARS = 120
export function titleOf(input: string): string {
  const line = input.replaceAll(/\s+/g, " ").trim()
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\s+\S*$/, "")} …`
}

/** Each unit becomes its own paragraph, except that sentences a model writes from one page form one paragraph. */
function paragraphs(findings: readonly ReportText[], citations: Citations): string {
  let text = ""
  let last: ReportText | null = null
  for (const finding of findings) {
    const flows = last !== null && last.sources[0] === finding.sources[0] && !("kind" in finding)
    text += `${last === null ? "" : flows ? " " : "\n\n"}${cited(finding, citations)}`
    last = finding
  }
  return text
}

const cited = (finding: ReportText, citations: Citations): string =>
  printedUnit(finding, citations.mark(finding.sources, finding.pages))
