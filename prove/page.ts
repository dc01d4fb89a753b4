import { cpus, totalmem } from "node:os"
import type { Outcome, Proof, Row } from "./proof.ts"

const GB = 1024 ** 3

/** The machine that a figure was measured on, in a few words. */
export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${Math.round(totalmem() / GB)} GB, Node ${process.versions.node}`

/** A markdown table of a proof's results. */
export function table({ columns, rows }: Outcome): string {
  return [tableLine(columns), tableLine(columns.map(() => "---")), ...rows.map(tableLine)].join("\n")
}

const tableLine = (cells: Row): string =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`

/** The rows in the section with this title, as text; empty if its table has other columns. */
export function rowsIn(
  page: string,
  title: string,
  columns: readonly string[],
): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${title}\n`))
  const [head, , ...lines] = (section ?? "").split("\n").filter((line) => line.startsWith("| "))
  if (head !== tableLine(columns)) return []
  return lines.map((line) =>
    line
      .slice(2, -2)
      .split(" | ")
      .map((cell) => cell.replaceAll("\\|", "|")),
  )
}

/** The section of a proof in the handbook: its promise, the command, the figures. */
export const section = (proof: Proof, outcome: Outcome, command: string): string =>
  [
    `## ${proof.title}`,
    proof.promise,
    table(outcome),
    ...(outcome.picture ? [`![${outcome.picture.about}](${outcome.picture.file})`] : []),
    `\`${command}\`, on ${machine()}.`,
  ].join("\n\n")

/** The page with this section in place of the one with the same heading, or at its end. */
export function withSection(page: string, text: string): string {
  const heading = text.slice(0, text.indexOf("\n"))
  const start = `\n${page}`.indexOf(`\n${heading}\n`)
  if (start === -1) return `${page.trimEnd()}\n\n${text}\n`
  const next = page.indexOf("\n## ", start + heading.length)
  const rest = next === -1 ? "" : page.slice(next)
  return `${page.slice(0, start)}${text}\n${rest}`
}
