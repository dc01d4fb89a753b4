import { firstElement, parseTree, textOf, walk } from "../../extract/html/tree.ts"
import { escapeText } from "../../extract/markdown/markdown-escapes.ts"
import { toPlainText } from "../../extract/markdown/plain-text.ts"
import { closeEmptyTags } from "./xhtml.ts"
import { readXml } from "./xml.ts"
import type { Zip } from "./zip.ts"

/** The maximum length of one title. */
const MAX_TITLE_CHARS = 300
/** The number of characters searched for a heading at the start of a chapter; a later heading is the title of a section. */
const OPENING_CHARS = 300
/** A title can consist of a number and a name, one below the other. */
const MOST_TITLE_BLOCKS = 3

/**
 * The titles of a book's chapters, keyed by file, from its table of contents: the navigation document (EPUB 3.3 §7),
 * otherwise the NCX (EPUB 2).
 * @param resolve returns the path in the archive for an address in a file
 */
export function chapterTitles(
  zip: Zip,
  { nav, ncx }: { readonly nav: string | null; readonly ncx: string | null },
  resolve: (base: string, href: string) => string,
): ReadonlyMap<string, string> {
  const titles = new Map<string, string>()
  const add = (base: string, href: string, title: string) => {
    const path = resolve(base, href)
    const text = title.replace(/\s+/g, " ").trim().slice(0, MAX_TITLE_CHARS)
    if (text !== "" && !titles.has(path)) titles.set(path, text)
  }
  const xhtml = nav === null ? null : zip.text(nav)
  if (nav !== null && xhtml !== null) {
    // The tree keeps few attributes; in books `epub:type` means the same as `role` on the web.
    const root = parseTree(closeEmptyTags(xhtml).replaceAll(/\sepub:type\s*=/g, " role="))
    const toc = firstElement(root, (one) => one.tag === "nav" && /\btoc\b/.test(one.get("role") ?? ""))
    if (toc !== null)
      walk(toc, (one) => {
        if (one.tag === "a") add(nav, one.get("href") ?? "", textOf(one, MAX_TITLE_CHARS))
      })
  }
  if (titles.size > 0 || ncx === null) return titles
  let label = ""
  readXml(zip.bytes(ncx), {
    start(name, { src }) {
      if (name === "content" && src !== undefined) add(ncx, src, label)
    },
    end(name, text) {
      if (name === "text") label = text
    },
  })
  return titles
}

/** A chapter with its title as a heading. A heading at the start of the chapter is kept; a title that is a paragraph becomes the heading. */
export function underTitle(markdown: string, title: string | undefined): string {
  if (title === undefined || markdown === "" || /^#{1,6} /m.test(markdown.slice(0, OPENING_CHARS)))
    return markdown
  const blocks = markdown.split(/\n{2,}/, MOST_TITLE_BLOCKS)
  let rest = markdown
  for (let many = 1; many <= blocks.length; many++) {
    const opening = blocks.slice(0, many)
    if (keyOf(toPlainText(opening.join(" "))) !== keyOf(title)) continue
    for (const block of opening) rest = rest.slice(block.length).replace(/^\n+/, "")
    break
  }
  return [`# ${escapeText(title)}`, rest].filter((part) => part !== "").join("\n\n")
}

const keyOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
