import { isLink } from "../html/anchors.ts"
import { collapse, type Element, firstElement, textOf, walk } from "../html/tree.ts"

/** The titles of directory indexes, with the path that they list: Apache, nginx, lighttpd, Python, Tomcat, Jetty. */
const TITLE = /^(?:index of|directory listing (?:for|of)|directory:|listing of)\s+\[?(\/.*?)\]?$/i
/** The titles of IIS's directory indexes: `example.org - /files/`. */
const HOST_AND_PATH = /^[\w.-]+ - (\/.*\/)$/
const PARENT = /^(?:\[?(?:to )?parent directory\]?|\.\.\/?)$/i
/** Matches links that sort by name, date or size. */
const SORTED = /^\?(?:C=[NMSD](?:[;&]O=[AD])?|[NMSD]=[AD]|(?:sort|order)=\w+)/
/** Maximum length of a text that is not a remark by the folder's owner. */
const SENTENCE_CHARS = 80

/** Maximum share of text besides the names and the heading. */
const MOST_OTHER_SHARE = 0.1

/** The reason that is recorded when a page is read only for its links. */
export const DIRECTORY_INDEX = "the server's list of files in a folder; only its links are followed"

/** Whether a page is the list of files that a web server generates for a folder without an index, and nothing else. */
export function isDirectoryIndex(body: Element, titleTag: string): boolean {
  const heading = firstElement(body, (element) => /^h[12]$/.test(element.tag))
  const path = [titleTag, heading === null ? "" : textOf(heading, 500)]
    .map((name) => (TITLE.exec(collapse(name)) ?? HOST_AND_PATH.exec(collapse(name)))?.[1])
    .find((found) => found !== undefined)
  if (path === undefined) return false
  let isList = path === "/"
  let hasText = false
  let links = 0
  let linked = 0
  walk(body, (element) => {
    if (isLink(element)) {
      links += 1
      linked += textOf(element, 300).length + 1
      isList ||= PARENT.test(collapse(textOf(element, 50))) || SORTED.test(element.get("href") ?? "")
      return false
    }
    if (element.tag === "p" && textOf(element, 500).length >= SENTENCE_CHARS) hasText = true
    return undefined
  })
  // Python lists only the names in a folder, without a link to the parent.
  const others =
    textOf(body).length - linked - titleTag.length - (heading === null ? 0 : textOf(heading, 500).length)
  return !hasText && (isList || (links > 0 && others <= linked * MOST_OTHER_SHARE))
}
