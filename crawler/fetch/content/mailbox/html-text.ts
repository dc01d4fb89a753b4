import { Element, isBlockTag, parseTree } from "../../../page/extract/html/tree.ts"

const UNSEEN = new Set(
  "head script style title template noscript iframe object svg math select button".split(" "),
)
/** Classes that mail programs assign to the message being answered. */
const QUOTE = /(?:^|\s)(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)(?:\s|$)/
const HIDDEN = /display\s*:\s*none|mso-hide\s*:\s*all/i
const MAX_CHARS = 2_000_000

/**
 * Turns an HTML message into the plain text that its author might have written: paragraphs, lists, and quotes marked
 * with `>`. Unlike on a web page, everything is kept, since a message has no menus; tables for layout are ignored.
 */
export function htmlText(html: string): string {
  const writer = new Writer()
  writer.children(parseTree(html.slice(0, MAX_CHARS)), { quotes: 0, isPre: false })
  return writer.text()
}

interface Around {
  readonly quotes: number
  readonly isPre: boolean
}

class Writer {
  readonly #lines: string[] = []
  #line = ""
  #quotes = 0

  text(): string {
    this.#end(0)
    return this.#lines
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim()
  }

  children(element: Element, around: Around): void {
    for (const child of element.children) {
      if (typeof child === "string") this.#write(child, around)
      else this.#element(child, around)
    }
  }

  #element(element: Element, around: Around): void {
    const { tag } = element
    if (UNSEEN.has(tag) || HIDDEN.test(element.get("style") ?? "") || element.has("hidden")) return
    if (tag === "br") this.#end(around.quotes)
    else if (tag === "hr") this.#paragraph(around.quotes)
    else if (tag === "td" || tag === "th") {
      if (this.#line.trim() !== "" && !element.containsBlock) this.#line += " "
      this.children(element, around)
    } else if (!isBlockTag(tag)) {
      this.children(element, around)
      this.#address(element, around)
    } else this.#block(element, around)
  }

  #block(element: Element, around: Around): void {
    const { tag } = element
    const isQuote =
      tag === "blockquote" &&
      (element.get("type") === "cite" || QUOTE.test(element.get("class") ?? "") || around.quotes > 0)
    const inner = { quotes: around.quotes + (isQuote ? 1 : 0), isPre: around.isPre || tag === "pre" }
    const isApart = /^(?:p|h[1-6]|ul|ol|table|blockquote|pre|dl)$/.test(tag)
    if (isApart) this.#paragraph(around.quotes)
    else this.#end(around.quotes)
    if (tag === "li") this.#line = "- "
    this.#quotes = inner.quotes
    this.children(element, inner)
    this.#end(inner.quotes)
    this.#quotes = around.quotes
    if (isApart) this.#paragraph(around.quotes)
  }

  /** Adds the address of a link, unless its text shows it. */
  #address(element: Element, around: Around): void {
    const href = element.tag === "a" ? (element.get("href") ?? "") : ""
    if (!/^https?:/i.test(href) || href.length > 300) return
    const bare = href.replace(/^https?:\/\/(?:www\.)?|\/$/gi, "")
    if (!this.#line.includes(bare)) this.#write(` <${href}>`, around)
  }

  #write(text: string, { quotes, isPre }: Around): void {
    if (!isPre) {
      const flat = text.replaceAll(/[ \t\r\n\f\u00A0]+/g, " ")
      this.#line += this.#line === "" || this.#line.endsWith(" ") ? flat.trimStart() : flat
      return
    }
    const [first = "", ...others] = text.split(/\r?\n/)
    this.#line += first
    for (const other of others) {
      this.#end(quotes)
      this.#line = other
    }
  }

  /** Ends the line, if there is one. */
  #end(quotes: number): void {
    if (this.#line.trim() !== "") this.#lines.push(`${"> ".repeat(this.#quotes)}${this.#line.trimEnd()}`)
    this.#line = ""
    this.#quotes = quotes
  }

  #paragraph(quotes: number): void {
    this.#end(quotes)
    if (this.#lines.length > 0) this.#lines.push("")
  }
}
