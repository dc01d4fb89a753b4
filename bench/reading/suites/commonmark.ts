// CommonMark's examples as a round trip: the specification's HTML to our markdown, and back to HTML with `marked`.
import { Parser } from "htmlparser2"
import { marked } from "marked"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { MarkdownOptions } from "#crawler/page/extract/markdown/markdown.ts"
import type { Element } from "#crawler/page/extract/html/tree.ts"
import { rightOrWrong, rightRow } from "../scoring.ts"
import { suite } from "../suite.ts"

const BASE = "https://example.org/x/"
/** An example, or the heading of the section that contains the examples after it. */
const EXAMPLE = /^`{32} example\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$|^#{1,6} (.*)$/gm
/** Sections whose HTML was written by hand, not generated from markdown. */
const RAW_SECTIONS = new Set(["HTML blocks", "Raw HTML"])
/** Every element that CommonMark produces. */
const OWN = new Set("p h1 h2 h3 h4 h5 h6 pre code blockquote ul ol li hr em strong a img br".split(" "))

export const commonmark = suite({
  name: "commonmark",
  folder: "commonmark-spec",
  goal: "all",
  cases: async (root) => {
    const spec = readFileSync(join(root, "spec.txt"), "utf8")
    let section = ""
    const examples: { section: string; markdown: string; html: string }[] = []
    for (const [, markdown, html, heading] of spec.matchAll(EXAMPLE)) {
      if (heading !== undefined) section = heading
      else examples.push({ section, markdown: tabs(markdown!), html: tabs(html!) })
    }
    return examples
      .map((one, i) => ({
        name: `example ${i + 1} (${one.section}) ${JSON.stringify(one.markdown)}`,
        input: new TextEncoder().encode(one.html),
        url: BASE,
        wanted: seen(one.html),
        isOwn: !RAW_SECTIONS.has(one.section) && isOwn(one),
      }))
      .filter(({ isOwn, wanted }) => isOwn && wanted !== "")
  },
  reader: async (code) => {
    const { parseTree } = await code.load<{ parseTree: (html: string) => Element }>(
      "page/extract/html/tree.ts",
    )
    const { toMarkdown } = await code.load<{
      toMarkdown: (root: Element, options: MarkdownOptions) => string
    }>("page/extract/markdown/markdown.ts")
    return ({ input, url }) => {
      const html = new TextDecoder().decode(input)
      return toMarkdown(parseTree(html), { baseUrl: url, skipped: new Set(), sourceChars: html.length })
    }
  },
  judge: ({ wanted }: { readonly wanted: string }, markdown) => {
    const read = seen(marked(markdown, { gfm: false, async: false }))
    return rightOrWrong(
      read === wanted,
      `\n    ${JSON.stringify(read)}\n    wanted ${JSON.stringify(wanted)}`,
    )
  },
  rows: (marks) => [rightRow("examples without raw HTML", marks)],
  listBelow: 1,
  text: (markdown) => markdown,
})

const tabs = (text: string) => text.replaceAll("→", "\t")

/** Whether markdown can produce every tag of the HTML, and the author wrote no tags. */
const isOwn = ({ markdown, html }: { markdown: string; html: string }): boolean =>
  [...html.matchAll(/<\/?([a-z!?][^\s>/]*)[^>]*>/gi)].every(
    ([tag, name]) => OWN.has(name!) && !(tag.includes("=") && markdown.includes(tag)),
  )

/**
 * HTML as a reader sees it: blocks with their nesting, text, lines of code, and the targets of links and images. It
 * leaves out details that no page shows: the space between list items, empty elements, emphasis within the same
 * emphasis, spaces at the edges of a line, the escapes in an address, and links outside the web.
 */
function seen(html: string): string {
  const open = new Map<string, number>()
  let out = ""
  const depth = (tag: string) => open.get(tag) ?? 0
  const isShown = (tag: string) => !((tag === "em" || tag === "strong") && depth(tag) > 0)
  const links: boolean[] = []
  const parser = new Parser({
    onopentag(tag, { href = "", src = "", alt = "", title = "", start = "1" }) {
      if (tag === "a") links.push(URL.parse(href, BASE)?.protocol.startsWith("http") === true)
      const shown = tag === "a" ? links.at(-1)! : isShown(tag)
      open.set(tag, depth(tag) + 1)
      if (!shown) return
      if (tag === "p") out += "¶"
      else if (tag === "a") out += `<a ${unescapedAddress(href)}>`
      else if (tag === "img") out += `<img ${unescapedAddress(src)} ${alt || title}>`
      else out += tag === "ol" ? `<ol ${start}>` : `<${tag}>`
    },
    ontext(text) {
      out += depth("pre") > 0 ? text : text.replace(/\s+/g, " ")
    },
    onclosetag(tag) {
      open.set(tag, depth(tag) - 1)
      if (tag === "a" ? links.pop() === false : !isShown(tag)) return
      if (tag === "p") out += "¶"
      else if (tag !== "img" && tag !== "hr" && tag !== "br") out += `</${tag}>`
    },
  })
  parser.end(html)
  return bare(out.replace(/\s*<br>\s*/g, "<br>"))
}

const BLOCK_TAG = "</?(?:h[1-6]|pre|blockquote|ul|ol|li|hr)\\b[^>]*>"
const BLANKS_AT_BLOCK = new RegExp(`\\s*(${BLOCK_TAG}|¶)\\s*`, "g")
const PARAGRAPH_AT_BLOCK = new RegExp(`¶?(${BLOCK_TAG})¶?`, "g")

function bare(text: string): string {
  const edges = text
    .replace(/<code>[ \n]+(?=[^<])|[ \n]+(?=<\/code>)/g, (edge) =>
      edge.startsWith("<code>") ? "<code>" : "",
    )
    .replace(BLANKS_AT_BLOCK, "$1")
  const without = edges
    .replace(/<(\w+)[^>]*><\/\1>/g, "")
    .replace(/¶+/g, "¶")
    .replace(PARAGRAPH_AT_BLOCK, "$1")
    .replace(/^¶|¶$/g, "")
    .trim()
  return without === text ? text : bare(without)
}

function unescapedAddress(address: string): string {
  const full = URL.parse(address, BASE)?.href ?? address
  try {
    return decodeURIComponent(full)
  } catch {
    return full
  }
}
