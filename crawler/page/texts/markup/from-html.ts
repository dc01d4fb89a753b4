import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { toMarkdown } from "../../extract/markdown/markdown.ts"
import { collapse, type Element, firstElement, parseTree, textOf, walk } from "../../extract/html/tree.ts"
import { removeUnseen } from "../../extract/seen/unseen.ts"

const MAX_LINKS = 20_000
const MAX_LABEL_CHARS = 300

export interface WrittenText {
  readonly markdown: string
  readonly links: readonly Link[]
}

/**
 * Turns the HTML generated from a markup language into markdown: all of it is content.
 * @param url the address that its relative addresses are resolved against
 * @param isLeftOut elements to leave out, with everything below them
 */
export function fromHtml(
  html: string,
  url: string,
  isLeftOut: (element: Element) => boolean = () => false,
): WrittenText {
  const root = parseTree(html)
  removeUnseen(root)
  const skipped = new Set<Element>()
  const links = new Map<string, Link>()
  walk(root, (element) => {
    if (isLeftOut(element)) skipped.add(element)
    const address = element.tag === "a" ? toPageUrl(element.get("href") ?? "", url) : null
    if (address === null || address === url || links.size >= MAX_LINKS || links.has(address)) return
    links.set(address, { url: address, text: collapse(textOf(element, MAX_LABEL_CHARS)), nofollow: false })
  })
  const body = firstElement(root, ({ tag }) => tag === "body") ?? root
  const markdown = toMarkdown(body, {
    baseUrl: url,
    skipped,
    sourceChars: html.length,
    setsTex: () => true,
  })
  return { markdown: markdown.trim(), links: [...links.values()] }
}

/** The words in a piece of HTML, for a title, or null. */
export function wordsOf(html: string): string | null {
  const words = collapse(textOf(parseTree(html)))
  return words === "" ? null : words
}

/** Escapes text for HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** A block of code as HTML. */
export function codeHtml(code: string, language = ""): string {
  const name = /^[\w+#.-]{1,20}$/.test(language) ? ` class="language-${language}"` : ""
  return `<pre><code${name}>${escapeHtml(code.replace(/^\n+|\s+$/g, ""))}\n</code></pre>`
}
