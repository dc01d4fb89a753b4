import { plainInline } from "../../text/markdown/markdown-inline.ts"

/** Information in a page's markdown that its plain text no longer shows. */
export interface PageMarks {
  /** Lines that are bold from end to end: they serve as headings. */
  readonly boldLines: ReadonlySet<string>
  /** Text that the page itself strikes out, one piece per line. */
  readonly struck: string
}

const LEAD = /^[\s>]*(?:(?:[-*+:]|\d{1,9}[.)])\s+)?/
const MAX_BOLD_CHARS = 300
const MAX_STRUCK_CHARS = 4000

/** Runs in time linear in the text's length. */
export function marksOf(markdown: string): PageMarks {
  const boldLines = new Set<string>()
  for (const raw of markdown.includes("**") ? markdown.split("\n") : []) {
    if (!raw.includes("**") || raw.length > MAX_BOLD_CHARS) continue
    const line = raw.replace(LEAD, "").trim()
    if (isBold(line)) boldLines.add(lineKey(plainInline(line)))
  }
  return { boldLines, struck: struckTexts(markdown) }
}

/** Replaces runs of white space with single spaces. */
export const lineKey = (text: string): string => text.replace(/\s+/g, " ").trim()

export const isBoldLine = ({ boldLines }: PageMarks, text: string): boolean =>
  text.length <= MAX_BOLD_CHARS && boldLines.has(lineKey(text))

/** Whether the page strikes out a sentence. */
export const isStruck = ({ struck }: PageMarks, sentence: string): boolean =>
  struck !== "" && struck.includes(lineKey(sentence))

function isBold(line: string): boolean {
  const inner = /^\*\*(.+)\*\*[:.]?$/.exec(line)?.[1]
  // Two bold stretches with plain text between them aren't a heading.
  return inner !== undefined && !/[^*\\]\*\*[^*]/.test(inner)
}

function struckTexts(markdown: string): string {
  const texts: string[] = []
  let at = markdown.indexOf("~~")
  while (at !== -1) {
    const end = markdown.indexOf("~~", at + 2)
    if (end === -1) break
    if (end - at < MAX_STRUCK_CHARS) texts.push(lineKey(plainInline(markdown.slice(at + 2, end))))
    at = markdown.indexOf("~~", end + 2)
  }
  return texts.join("\n")
}
