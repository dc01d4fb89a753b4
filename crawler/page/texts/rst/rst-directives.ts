import { codeHtml, escapeHtml } from "../markup/from-html.ts"
import { csvRows, type RstTable } from "./rst-tables.ts"

/** `.. name:: argument`, with its options and its indented text. */
export interface Directive {
  /** The name in lower case, without its domain: `function` for `py:function`. */
  readonly name: string
  readonly isOfDomain: boolean
  readonly argument: string
  readonly options: ReadonlyMap<string, string>
  readonly content: readonly string[]
}

/** The reader's functions that turn the parts of a directive into HTML. */
export interface DirectiveReader {
  blocks(lines: readonly string[]): string
  inline(text: string): string
  tableHtml(table: RstTable): string
  /** The HTML of the directive's content, below a heading one level further down. */
  below(heading: string, lines: readonly string[]): string
}

const CODE = new Set(
  "code code-block sourcecode parsed-literal prompt console doctest testcode testoutput ipython literalinclude-text highlight-block jinja productionlist".split(
    " ",
  ),
)
const NOTES = new Set(
  "attention caution danger error hint important note tip warning seealso todo admonition topic sidebar".split(
    " ",
  ),
)
const VERSIONS: Readonly<Record<string, string>> = {
  versionadded: "New in version",
  versionchanged: "Changed in version",
  deprecated: "Deprecated since version",
  versionremoved: "Removed in version",
}
/** Directives whose argument is the heading of their content. */
const TITLED = new Set(
  "tab group-tab tab-item code-tab dropdown card grid-item-card rubric centered details collapse container-title".split(
    " ",
  ),
)
/** Directives that only control the program that generates the pages, or insert text from elsewhere. */
const NO_TEXT = new Set(
  (
    "toctree contents index include literalinclude raw highlight currentmodule module default-role meta title tabularcolumns role sectnum " +
    "autosummary image graphviz graph digraph plot inheritance-diagram youtube ifconfig-no class default-domain target-notes header footer " +
    "restructuredtext-test-directive sectionauthor codeauthor program"
  ).split(" "),
)
/** Directives that document a name: the argument is its signature. */
const NAMES = new Set(
  (
    "function class method attribute data exception property classmethod staticmethod decorator decoratormethod envvar option cmdoption confval setting " +
    "macro struct type var member enum enumerator namespace describe object directive rst:role event variable constant const interface trait rule route get post put delete patch"
  ).split(" "),
)

export function directiveHtml(directive: Directive, reader: DirectiveReader): string {
  const { name, argument, content } = directive
  const inside = () => reader.blocks(content)
  if (CODE.has(name)) return codeHtml(content.join("\n"), argument.split(/\s/, 1)[0])
  if (name === "math") return `<p>$$${escapeHtml([argument, ...content].join("\n").trim())}$$</p>`
  if (name === "code-tab")
    return `<p><strong>${reader.inline(argument)}</strong></p>${codeHtml(content.join("\n"))}`
  if (name in VERSIONS) {
    const [version = "", ...rest] = argument.split(/\s+/)
    return `<p>${VERSIONS[name]} ${escapeHtml(version)}${content.length + rest.length === 0 ? "." : ":"} ${reader.inline(rest.join(" "))}</p>${inside()}`
  }
  if (NOTES.has(name)) return noteHtml(directive, reader)
  if (name === "figure") return inside()
  if (name === "table") return `${paragraph(argument, reader)}${inside()}`
  if (name === "csv-table") return paragraph(argument, reader) + csvHtml(directive, reader)
  if (name === "list-table") return paragraph(argument, reader) + listTableHtml(directive, reader)
  if (
    name === "glossary" ||
    name === "only" ||
    name === "container" ||
    name === "ifconfig" ||
    name === "tabs"
  )
    return inside()
  if (name.startsWith("auto") && name !== "autosummary")
    return argument === "" ? "" : `<p><code>${escapeHtml(argument)}</code></p>${inside()}`
  if (TITLED.has(name))
    return `${argument === "" ? "" : `<p><strong>${reader.inline(argument)}</strong></p>`}${inside()}`
  if (NAMES.has(name) || directive.isOfDomain) return nameHtml(directive, reader)
  if (NO_TEXT.has(name)) return ""
  return inside()
}

const paragraph = (text: string, reader: DirectiveReader): string =>
  text === "" ? "" : `<p>${reader.inline(text)}</p>`

function noteHtml({ name, argument, content }: Directive, reader: DirectiveReader): string {
  const isTitled = name === "admonition" || name === "topic" || name === "sidebar"
  const title = isTitled
    ? argument
    : name === "seealso"
      ? "See also"
      : name.charAt(0).toUpperCase() + name.slice(1)
  // A note can begin right after its name.
  const text = isTitled || argument === "" ? content : [argument, ...content]
  return `<blockquote><p><strong>${reader.inline(title)}</strong></p>${reader.blocks(text)}</blockquote>`
}

/** Writes a signature as a heading; further signatures are the lines below it. */
function nameHtml({ argument, content }: Directive, reader: DirectiveReader): string {
  const signatures = argument
    .split("\n")
    .map((line) => line.replace(/\\$/, "").trim())
    .filter(Boolean)
  if (signatures.length === 0) return reader.blocks(content)
  const [first, ...others] = signatures
  const more = others.map((one) => `<p><code>${escapeHtml(one)}</code></p>`).join("")
  return reader.below(escapeHtml(first!), content).replace(/(?<=<\/h\d>)/, () => more)
}

function csvHtml({ options, content }: Directive, reader: DirectiveReader): string {
  const header = csvRows(options.get("header") ?? "")
  const heads = header.length > 0 ? header.length : Number(options.get("header-rows") ?? 0)
  const rows = [...header, ...csvRows(content.join("\n"))]
  return reader.tableHtml({ rows: rows.map((row) => row.map((cell) => cell.split("\n"))), heads })
}

/** Rows are items of a list, and their cells are items of a nested list. */
function listTableHtml({ options, content }: Directive, reader: DirectiveReader): string {
  const rows: string[][][] = []
  let column = 0
  for (const line of content) {
    const row = /^(\s*)[*-]\s+[*-](?:\s+(.*)|$)/.exec(line)
    if (row !== null) {
      rows.push([[row[2] ?? ""]])
      column = line.search(/[*-]\s+[*-]/) + 2
      continue
    }
    const cell = /^(\s*)[*-](?:\s+(.*)|$)/.exec(line)
    if (cell !== null && cell[1]!.length <= column && cell[1]!.length > 0) rows.at(-1)?.push([cell[2] ?? ""])
    else
      rows
        .at(-1)
        ?.at(-1)
        ?.push(line.slice(Math.min(line.search(/\S|$/), column + 2)))
  }
  return reader.tableHtml({ rows, heads: Number(options.get("header-rows") ?? 0) })
}
