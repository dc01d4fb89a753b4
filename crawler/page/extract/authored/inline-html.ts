import { parseTree, textOf } from "../html/tree.ts"
import { escapeText } from "../markdown/markdown-escapes.ts"

const INLINE_TAG =
  /<\/?(?:a|abbr|acronym|b|bdi|bdo|big|br|cite|code|del|details|dfn|div|em|figcaption|figure|font|i|img|ins|kbd|label|mark|nobr|p|picture|q|rp|rt|ruby|s|samp|small|source|span|strike|strong|sub|summary|sup|svg|path|tt|u|var|video|wbr|button|input|center|h[1-6]|li|ul|ol|dl|dt|dd|td|tr|th|hr)(?:\s[^<>\n]{0,2000})?\/?>/gi
const ENTITY = /&(?:[a-z][a-z0-9]{1,30}|#\d{1,7}|#x[0-9a-f]{1,6});/gi
const LINK =
  /<a\s[^<>\n]{0,500}?\bhref\s*=\s*(?:"([^"<>\n]{0,2000})"|'([^'<>\n]{0,2000})')[^<>\n]{0,500}>([^<\n]{1,500})<\/a>/gi

/** A line of markdown without its HTML tags, with entities replaced by their characters; code in the line is kept. */
export function inlineWithoutHtml(line: string): string {
  if (!/[<&]/.test(line)) return line
  return outsideCode(line, (text) =>
    text
      .replace(
        LINK,
        (_all, double?: string, single?: string, label?: string) => `[${label}](${double ?? single})`,
      )
      .replace(INLINE_TAG, (tag, at: number) => (text[at - 1] === "\\" ? tag : /^<br/i.test(tag) ? " " : ""))
      .replace(ENTITY, characterOf),
  )
}

/** The character of an entity, escaped if markdown would treat it as a mark. */
function characterOf(name: string): string {
  if (/^&(?:nbsp|ensp|emsp|thinsp|#160|#xa0);$/i.test(name)) return " "
  const character = textOf(parseTree(name))
  return character === "" || character === name ? name : escapeText(character)
}

/** A line with its text changed and its code spans unchanged. */
export function outsideCode(line: string, change: (text: string) => string): string {
  let written = ""
  let from = 0
  for (const [start, end] of codeSpansOf(line)) {
    written += change(line.slice(from, start)) + line.slice(start, end)
    from = end
  }
  return written + change(line.slice(from))
}

/** The line with blanks in place of code, at the same length. */
export function withoutCodeSpans(line: string): string {
  let written = ""
  for (const [start, end] of codeSpansOf(line))
    written += line.slice(written.length, start) + " ".repeat(end - start)
  return written + line.slice(written.length)
}

function codeSpansOf(line: string): [start: number, end: number][] {
  const spans: [number, number][] = []
  for (let at = line.indexOf("`"); at !== -1; at = line.indexOf("`", at)) {
    let run = 1
    while (line[at + run] === "`") run++
    const close = line.indexOf("`".repeat(run), at + run)
    // If a mark is not closed, nothing after it counts as code, which keeps this linear.
    if (close === -1) break
    let end = close + run
    while (line[end] === "`") end++
    spans.push([at, end])
    at = end
  }
  return spans
}
