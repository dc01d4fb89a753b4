import { foreignOrNothing, INDEX_BOUNDS } from "#base/text/json/foreign-json.ts"
import { tidyMarkdown } from "../../extract/authored/tidy-markdown.ts"
import { fenced } from "../../extract/markdown/markdown-escapes.ts"
import type { Link } from "../../extract/extracted.ts"
import { linksOfMarkdown } from "../../extract/extract.ts"
import type { DocumentText } from "../../formats/to-extracted.ts"
import { codeBlock } from "../markup/code-block.ts"
import { fromHtml } from "../markup/from-html.ts"
import { type Data, dataOf, listOf, textOf } from "./data.ts"

/** The maximum length of one output: the beginning of a long log is enough. */
const MAX_OUTPUT_CHARS = 4000
const MAX_OUTPUTS = 20
const MAX_CELLS = 10_000
/** Terminal escape codes for styles. */
// eslint-disable-next-line no-control-regex
const TERMINAL_STYLE = /\x1b\[[0-9;]{0,20}[A-Za-z]/g

/**
 * Turns a notebook (format 4, or 2 and 3, whose cells are in worksheets) into markdown: its text, its code, and the
 * output of the code. Pictures are left out. Null if the JSON is not a notebook.
 */
export function readNotebook(text: string, url: string): DocumentText | null {
  const notebook = dataOf(foreignOrNothing(text, INDEX_BOUNDS))
  if (typeof notebook["nbformat"] !== "number") return null
  const cells = (
    notebook["cells"] === undefined
      ? listOf(notebook["worksheets"]).flatMap((sheet) => listOf(dataOf(sheet)["cells"]))
      : listOf(notebook["cells"])
  ).map(dataOf)
  const metadata = dataOf(notebook["metadata"])
  const language =
    textOf(dataOf(metadata["language_info"])["name"]) || textOf(dataOf(metadata["kernelspec"])["language"])
  const links: Link[] = []
  const parts = cells.slice(0, MAX_CELLS).flatMap((cell) => cellText(cell, language || "python", url, links))
  const authors = listOf(metadata["authors"])
    .map((author) => textOf(dataOf(author)["name"]))
    .filter(Boolean)
  return {
    markdown: parts.join("\n\n"),
    title: textOf(metadata["title"]) || null,
    author: authors.join(", ") || null,
    links,
    note: cells.length > MAX_CELLS ? `the first ${MAX_CELLS} of ${cells.length} cells were read` : null,
  }
}

function cellText(cell: Data, language: string, url: string, links: Link[]): string[] {
  const source = joined(cell["source"] ?? cell["input"])
  switch (cell["cell_type"]) {
    case "code": {
      const code = source.trim() === "" ? [] : [codeBlock(source, textOf(cell["language"]) || language)]
      return [
        ...code,
        ...listOf(cell["outputs"])
          .slice(0, MAX_OUTPUTS)
          .map(dataOf)
          .flatMap((one) => outputText(one, url)),
      ]
    }
    case "heading": {
      const level = Math.min(6, Math.max(1, Number(cell["level"]) || 1))
      return [`${"#".repeat(level)} ${source.replace(/\s+/g, " ").trim()}`]
    }
    case "markdown": {
      const markdown = tidyMarkdown(
        source.replace(/!\[[^\]\n]{0,300}\]\(attachment:[^)\n]{0,300}\)/g, ""),
        url,
      )
      links.push(...linksOfMarkdown(markdown, url))
      return markdown.trim() === "" ? [] : [markdown.trim()]
    }
    // Raw cells are for other programs: LaTeX, reStructuredText.
    default:
      return []
  }
}

/** The output or the value of a cell, or the error that ended it. */
function outputText(output: Data, url: string): string[] {
  const type = textOf(output["output_type"])
  if (type === "stream") return printed(joined(output["text"]))
  if (type === "error" || type === "pyerr")
    return printed(`${textOf(output["ename"])}: ${textOf(output["evalue"])}`)
  // Outputs have been keyed by media type since format 4, and were keyed by short names before.
  const data = output["data"] === undefined ? output : dataOf(output["data"])
  const markdown = joined(data["text/markdown"])
  if (markdown !== "") return [tidyMarkdown(markdown.slice(0, MAX_OUTPUT_CHARS), url)]
  const html = joined(data["text/html"] ?? data["html"])
  // A data table, as displayed by pandas. Other HTML is usually a widget whose plain text contains the same
  // information.
  if (/<table\b/i.test(html)) {
    const table = fromHtml(html.slice(0, MAX_OUTPUT_CHARS * 10), url).markdown
    if (table !== "") return [table]
  }
  const plain = joined(data["text/plain"] ?? data["text"])
  // The default text of an object is not useful: `<Figure size 640x480 with 1 Axes>`.
  return /^<[^<>\n]{1,200}>$/.test(plain.trim()) ? [] : printed(plain)
}

function printed(text: string): string[] {
  const clean = text.replace(TERMINAL_STYLE, "").trimEnd()
  if (clean.trim() === "") return []
  return [fenced(clean.length > MAX_OUTPUT_CHARS ? `${clean.slice(0, MAX_OUTPUT_CHARS)}\n…` : clean)]
}

/** Text is one string or a list of lines; before format 3 the lines don't contain their line breaks. */
function joined(text: unknown): string {
  if (typeof text === "string") return text
  const lines = listOf(text).filter((line) => typeof line === "string")
  return lines.join(lines.slice(0, -1).every((line) => line.endsWith("\n")) ? "" : "\n")
}
