/** The length limit: longer texts are not pages that people wrote, and some libraries take minutes to read them. */
const MAX_CHARS = 2_000_000

/** The part of a text that is read. */
export const readablePart = (text: string): string => text.slice(0, MAX_CHARS)

/** A note on how much of a long text was read; null if all of it was. */
export const noteOfCut = (text: string): string | null =>
  text.length > MAX_CHARS ? `the first ${MAX_CHARS} of ${text.length} characters were read` : null

/** The lines to read, with tabs expanded to eight spaces and no trailing white space. */
export const linesOf = (text: string): string[] =>
  readablePart(text)
    .split("\n")
    .map((line) => line.replaceAll("\t", "        ").trimEnd())

/** The number of columns of white space at the start of a line. */
export const indentOf = (line: string): number => line.length - line.trimStart().length

/** Removes the indentation that all lines share. */
export function dedented(lines: readonly string[]): string[] {
  const shared = lines.reduce(
    (least, line) => (line === "" ? least : Math.min(least, indentOf(line))),
    Infinity,
  )
  return lines.map((line) => (line === "" ? "" : line.slice(shared)))
}
