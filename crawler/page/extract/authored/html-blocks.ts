import { toMarkdown } from "../markdown/markdown.ts"
import { parseTree } from "../html/tree.ts"
import { removeUnseen } from "../seen/unseen.ts"

/** Tags that begin a block of HTML in markdown (CommonMark §4.6, condition 6), and those of media. */
const BLOCK =
  "address|article|aside|audio|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|optgroup|option|p|picture|section|source|style|script|summary|table|tbody|td|template|tfoot|th|thead|title|tr|ul|video|pre|img|a|br"
const OPENING = new RegExp(`^[ \\t]{0,3}</?(?:${BLOCK})(?=[\\s/>]|$)`, "i")
/** Matches a component of MDX or Vue, whose name begins with a capital letter. */
const COMPONENT = /^[ \t]*<\/?(?:[A-Z][\w.]{0,60}\b[^\n]*|>[ \t]*)$|^[ \t]*<>[ \t]*$/
/** Tags whose content may include blank lines. */
const WHOLE = /^[ \t]{0,3}<(table|pre|script|style|picture|svg)(?=[\s>]|$)/i
const MAX_LINES = 2000

/** The line after the block of HTML that begins on a line, or that line itself when none begins there. */
export function htmlBlockEnd(lines: readonly string[], from: number): number {
  const line = lines[from]!
  if (COMPONENT.test(line)) return componentEnd(lines, from)
  if (!OPENING.test(line)) return from
  const whole = WHOLE.exec(line)?.[1]?.toLowerCase()
  const limit = Math.min(lines.length, from + MAX_LINES)
  if (whole !== undefined) {
    for (let at = from; at < limit; at++) if (lines[at]!.toLowerCase().includes(`</${whole}>`)) return at + 1
  }
  for (let at = from; at < limit; at++) {
    const text = lines[at]!.trim()
    if (text === "" || /^(?:`{3}|~{3})/.test(text) || (at > from && /^#{1,6}\s/.test(text))) return at
  }
  return limit
}

/** The line after a component's tag. Only the tag is removed, because its content is markdown. */
function componentEnd(lines: readonly string[], from: number): number {
  if (/^[ \t]*<\/|^[ \t]*<>/.test(lines[from]!)) return from + 1
  for (let at = from; at < Math.min(lines.length, from + 30); at++) {
    const text = lines[at]!.trimEnd()
    if (text === "") return from
    if (text.endsWith(">") && !text.endsWith("=>")) return at + 1
  }
  return from
}

/** Converts the lines of an HTML block to markdown. */
export function withoutHtmlBlock(lines: readonly string[], url: string): string {
  const html = lines
    .join("\n")
    .replace(/<\/?[A-Z][\w.]{0,60}\b[^<>\n]{0,2000}>/g, "")
    // A heading would have a level, which might not fit the headings around it.
    .replace(/<summary\b[^<>]{0,500}>/gi, "<p><strong>")
    .replace(/<\/summary>/gi, "</strong></p>")
  const root = parseTree(html)
  removeUnseen(root)
  return toMarkdown(root, { baseUrl: url, skipped: new Set(), sourceChars: html.length }).trim()
}
