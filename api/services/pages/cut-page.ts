import { plainInline } from "#engine/text/markdown/markdown-inline.ts"

import { headingId } from "../../faces/handbook/render-markdown.ts"

/** A heading of a page and its section, up to the next heading of the same level or above. */
export interface Section {
  readonly heading: string
  readonly start: number
  readonly end: number
}

/** A stretch of text. */
export interface Stretch {
  readonly text: string
  /** Where the stretch begins, in UTF-16 code units. */
  readonly offset: number
  /** Start of the next stretch; `null` if this is the last. */
  readonly next: number | null
}

/** A stretch ends between paragraphs if a paragraph ends in its last fifth. */
const END_SOUGHT_FROM = 0.8

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const FENCE = /^[\s>]*(`{3,}|~{3,})/

/** The sections of a page in order, including nested ones. */
export function sectionsOf(markdown: string): Section[] {
  const found: { heading: string; depth: number; start: number; end: number }[] = []
  const open: (typeof found)[number][] = []
  let fence = ""
  let at = 0
  for (const line of markdown.split("\n")) {
    const marker = FENCE.exec(line)?.[1] ?? ""
    if (fence === "") {
      const [, marks, text = ""] = HEADING.exec(line) ?? []
      if (marks !== undefined) {
        while (open.length > 0 && open.at(-1)!.depth >= marks.length) open.pop()!.end = at
        const section = {
          heading: plainInline(text.replace(/[ \t]+#+[ \t]*$/, "")),
          depth: marks.length,
          start: at,
          end: markdown.length,
        }
        found.push(section)
        open.push(section)
      }
      fence = marker
    } else if (marker.startsWith(fence)) fence = ""
    at += line.length + 1
  }
  return found.map(({ heading, start, end }) => ({ heading, start, end }))
}

/** The first section with this heading, given by its words or as links name it (`how-to-install`); `null` if there is none. */
export function sectionNamed(sections: readonly Section[], name: string): Section | null {
  const plain = (text: string) => text.trim().replaceAll(/\s+/g, " ").toLowerCase()
  const wanted = plain(name)
  return (
    sections.find(({ heading }) => plain(heading) === wanted) ??
    sections.find(({ heading }) => headingId(heading) === wanted.replace(/^#/, "")) ??
    null
  )
}

/** `limit` characters from `offset` on, or slightly fewer, so that the stretch ends between paragraphs and never inside a character. */
export function stretchOf(text: string, offset: number, limit: number): Stretch {
  const start = Math.min(offset, text.length)
  const most = start + limit
  if (most >= text.length) return { text: text.slice(start), offset: start, next: null }
  const least = start + Math.floor(limit * END_SOUGHT_FROM)
  const paragraph = text.lastIndexOf("\n\n", most - 2) + 2
  const line = text.lastIndexOf("\n", most - 1) + 1
  const end = [paragraph, line].find((one) => one > Math.max(start, least)) ?? betweenCharacters(text, most)
  // With a limit of one unit, the cut must not stop before a surrogate pair.
  const next = end > start ? end : most + 1
  return { text: text.slice(start, next), offset: start, next: next < text.length ? next : null }
}

/** The position `at`, or the one before it if `at` is between the two halves of a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  const isHigh = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isLow && isHigh ? at - 1 : at
}
