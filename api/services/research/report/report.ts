import type { Evidence, Finding } from "../sources/evidence.ts"
import type { Citations } from "./citations.ts"

/** A part of the report. */
export interface Section {
  readonly heading: string
  readonly findings: readonly Finding[]
  /** What is compared, side by side; its findings are those of the cells. */
  readonly table?: Table
}

/** Columns by name, the first without one; a row's cells are null where no page says anything. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly { readonly label: string; readonly cells: readonly (Finding | null)[] }[]
}

/** How the report says what is not in it: in words of its own, which cite nothing. */
export const MISSING = "What is missing"

/** What is said in place of a report when no page answers: what was looked for, where, and what is missing. */
export function refusal({ questions, sources, findings }: Evidence, missing: readonly string[]): string {
  const asked = questions
    .filter(({ follows }) => follows === undefined)
    .map(({ text }) => `“${titleOf(text)}”`)
  const places = [...new Set(sources.map(({ url }) => URL.parse(url)?.host || url))]
  const titles = nearestTitles(findings, sources).map((title) => `“${title}”`)
  return [
    NOTHING_FOUND,
    `It was searched for ${listed(asked.slice(0, 4))}.`,
    ...(titles.length > 0
      ? [`The nearest pages, ${listed(titles)} (${listed(places.slice(0, 4))}), do not answer it.`]
      : []),
    ...(missing.length > 0 ? [`No page found speaks of ${listed(missing.map((word) => `“${word}”`))}.`] : []),
  ].join(" ")
}

/** What is said when nothing in the index, or in the files, bears on the input. */
export const NOTHING_FOUND = "Nothing on this was found in the index."
const NEAREST = 3

function nearestTitles(findings: Evidence["findings"], sources: Evidence["sources"]): string[] {
  const ranked = findings
    .toSorted((a, b) => (b.stated?.score ?? 0) - (a.stated?.score ?? 0))
    .map((finding) => sources[finding.sources[0]!]!)
    .filter(({ addressesModels }) => addressesModels !== true)
  return [...new Set(ranked.map(({ title }) => titleOf(title)))].slice(0, NEAREST)
}

const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names)

/** What a report says of pages that were found and not read. */
export const unreadNote = (pages: number): string =>
  `${pages === 1 ? "One page that was" : `${pages} pages that were`} found could not be read: the memory for pages was spent.`

/** What a report says besides the pages' own sentences. */
export interface Notes {
  readonly missing: readonly string[]
  /** Pages that were found and not read. */
  readonly unread: number
  /** What is said when there are no sections. */
  readonly refusal: () => string
}

/** Title, then each section, then the sources: pieces of markdown that follow each other. */
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
    yield `\n\n## ${MISSING}\n\nNo page that was found answers:\n\n${missing.map((one) => `- ${one}`).join("\n")}`
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
      line([inCell(label), ...cells.map((cell) => (cell === null ? "–" : cited(cell, citations)))]),
    ),
  ].join("\n")
}

const inCell = (text: string): string => text.replaceAll("|", "\\|")

const TITLE_CHARS = 120
export function titleOf(input: string): string {
  const line = input.replaceAll(/\s+/g, " ").trim()
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\s+\S*$/, "")} …`
}

/** Statements of one page flow; those of another begin a paragraph, and so does code. */
function paragraphs(findings: readonly Finding[], citations: Citations): string {
  let text = ""
  let last: Finding | null = null
  for (const finding of findings) {
    const apart =
      last === null ? "" : last.sources[0] === finding.sources[0] && !last.text.includes("\n") ? " " : "\n\n"
    text += `${apart}${cited(finding, citations)}`
    last = finding
  }
  return text
}

/** The statement with its sources behind it; the code that it announces stands below, as code. */
function cited({ text, sources }: Finding, citations: Citations): string {
  const [sentence = "", ...code] = text.split("\n")
  const mark = citations.mark(sources)
  if (code.length === 0) return `${sentence} ${mark}`
  const fence = "`".repeat(
    Math.max(3, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))),
  )
  return `${sentence} ${mark}\n\n${fence}\n${code.join("\n")}\n${fence}`
}
