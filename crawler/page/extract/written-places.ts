import type { PageAnchor } from "#engine"
import type { Extracted } from "./extracted.ts"
import { toPlainText } from "./markdown/plain-text.ts"

/** The beginnings of address fragments that point to a place in a file, in programs that display files. */
export interface PlaceMarks {
  /** Precedes a line number, counted from 1. */
  readonly line: string
  /** Precedes the words of a heading, in Markdown that is shown as a page. */
  readonly heading: string
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The places in a text file, found in the markdown made from it: headings if it was Markdown, otherwise lines. */
export function placesOf(
  { markdown, type }: Pick<Extracted, "markdown" | "type">,
  text: string,
  marks: PlaceMarks,
): PageAnchor[] {
  return type === "markdown" ? headingPlaces(markdown, marks.heading) : linePlaces(markdown, text, marks.line)
}

/** The anchors of headings in the form that code forges use: lower case, no punctuation, a dash for each space, and a number if the anchor was used before. */
function headingPlaces(markdown: string, mark: string): PageAnchor[] {
  const places: PageAnchor[] = []
  const seen = new Map<string, number>()
  let fence: string | null = null
  for (const [line, written] of markdown.split("\n").entries()) {
    const ticks = FENCE.exec(written)?.[1]
    if (fence !== null) {
      if (ticks?.startsWith(fence) === true) fence = null
      continue
    }
    fence = ticks ?? null
    const heading = HEADING.exec(written)?.[1]
    if (heading === undefined) continue
    const name = toPlainText(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-")
    if (name === "") continue
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    places.push([line, mark + encodeURIComponent(times === 0 ? name : `${name}-${times}`)])
  }
  return places
}

/**
 * Where each block of the markdown begins in the text. Lines are recognised by their letters and digits, in order:
 * marks, escapes and indents can differ. Text that is only in the markdown, such as a heading, is placed at the next
 * line.
 */
function linePlaces(markdown: string, text: string, mark: string): PageAnchor[] {
  const numbers = new Map<string, number[]>()
  for (const [at, line] of text.split(/\r\n?|\n/).entries()) {
    const key = keyOf(line)
    if (key === "") continue
    const known = numbers.get(key)
    if (known === undefined) numbers.set(key, [at + 1])
    else known.push(at + 1)
  }
  // Reversed, so that the next line number of each text is at the end, where it can be popped.
  for (const all of numbers.values()) all.reverse()
  const places: PageAnchor[] = []
  const waiting: number[] = []
  let last = 0
  let isStart = true
  for (const [line, written] of markdown.split("\n").entries()) {
    const isHeading = HEADING.test(written)
    if (written.trim() !== "" && (isStart || isHeading)) waiting.push(line)
    isStart = written.trim() === "" || isHeading
    const all = isHeading || FENCE.test(written) ? [] : (numbers.get(keyOf(written)) ?? [])
    while (all.length > 0 && all.at(-1)! <= last) all.pop()
    const number = all.pop()
    if (number === undefined) continue
    last = number
    for (const start of waiting.splice(0)) places.push([start, `${mark}${number}`])
  }
  return places
}

const keyOf = (line: string): string => line.replace(/[^\p{L}\p{N}]+/gu, "")
