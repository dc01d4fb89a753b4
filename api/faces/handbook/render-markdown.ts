import { Marked, type Token, type Tokens } from "marked"
import { escapeHtml } from "./escape-html.ts"

export interface RenderedPage {
  readonly title: string
  readonly description: string
  readonly html: string
  /** Links in reading order, each with the second-level heading above it (empty above the first). */
  readonly links: readonly { readonly heading: string; readonly href: string; readonly label: string }[]
}

const DESCRIPTION_CHARS = 200
/** Matches a drawing in the same folder as the pages; any other picture is replaced by its description. */
export const FIGURE = /^[\w-]+\.svg$/

/**
 * Renders one handbook page. HTML inside the Markdown is shown as text, never passed through; relative links to `*.md`
 * become links between web pages, and links to targets outside the folder, which have no web page, become text. Images
 * are shown if they are drawings (`*.svg`) in the folder.
 */
export function renderPage(markdown: string): RenderedPage {
  const marked = handbookMarked()
  const tokens = marked.lexer(markdown)
  const title = tokens.find((token) => token.type === "heading" && token["depth"] === 1)
  const first = tokens.find((token) => token.type === "paragraph")
  return {
    title: title ? plainText(title) : "",
    description: first ? shorten(plainText(first), DESCRIPTION_CHARS) : "",
    html: marked.parser(tokens),
    links: linksOf(marked, tokens),
  }
}

/** The fragment that names a heading: its words in lower case joined by hyphens, as repository hosts do. */
export function headingId(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")
}

/** Ids of all headings of a page, in order; a repeated heading gets `-1`, `-2` … */
export function headingIds(markdown: string): string[] {
  const ids = new HeadingIds()
  return new Marked()
    .lexer(markdown)
    .filter((token) => token.type === "heading")
    .map((token) => ids.next(plainText(token)))
}

class HeadingIds {
  readonly #seen = new Map<string, number>()

  next(text: string): string {
    const id = headingId(text)
    const times = this.#seen.get(id) ?? 0
    this.#seen.set(id, times + 1)
    return times === 0 ? id : `${id}-${times}`
  }
}

function handbookMarked(): Marked {
  const ids = new HeadingIds()
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading(token) {
        const content = this.parser.parseInline(token.tokens)
        if (token.depth === 1) return `<h1>${content}</h1>\n`
        const id = escapeHtml(ids.next(plainText(token)))
        // The clickable mark is added by the style sheet, so that readers of the text get only the heading.
        const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section"></a>`
        return `<h${token.depth} id="${id}">${content}${anchor}</h${token.depth}>\n`
      },
      link(token) {
        const content = this.parser.parseInline(token.tokens)
        const href = webAddress(token.href)
        return href === null ? content : `<a href="${escapeHtml(href)}">${content}</a>`
      },
      // The drawing scrolls in its own box if it would otherwise be too small to read.
      image: ({ href, text }) =>
        FIGURE.test(href)
          ? `<span class="figure" tabindex="0"><img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"></span>`
          : escapeHtml(text),
      code: ({ text, lang }) =>
        `<pre tabindex="0"><code${lang ? ` class="language-${escapeHtml(lang)}"` : ""}>${escapeHtml(text)}\n</code></pre>\n`,
      table(token) {
        const head = token.header.map(
          (cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`,
        )
        const rows = token.rows.map(
          (row) =>
            `<tr>${row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join("")}</tr>\n`,
        )
        return `<div class="table" tabindex="0"><table>\n<thead><tr>${head.join("")}</tr></thead>\n<tbody>${rows.join("")}</tbody>\n</table></div>\n`
      },
    },
  })
  return marked
}

/** The target of a handbook link on the web site, or null if there is nothing to open. */
function webAddress(href: string): string | null {
  if (/^(https?:\/\/|#)/.test(href)) return href
  const local = /^(?:\.\/)?([^/#]+)\.md(#.*)?$/.exec(href)
  if (!local) return null
  const [, name, fragment = ""] = local
  return name === "README" ? `./${fragment}` : `${name}${fragment}`
}

function linksOf(marked: Marked, tokens: Token[]): RenderedPage["links"] {
  const links: { heading: string; href: string; label: string }[] = []
  let heading = ""
  void marked.walkTokens(tokens, (token) => {
    if (token.type === "heading" && token["depth"] === 2) heading = plainText(token)
    if (token.type === "link")
      links.push({ heading, href: (token as Tokens.Link).href, label: plainText(token) })
  })
  return links
}

/** The text of a token, without markup. */
function plainText(token: Token): string {
  if ("tokens" in token && token.tokens) return token.tokens.map(plainText).join("")
  return "text" in token ? String(token.text) : ""
}

function shorten(text: string, chars: number): string {
  const line = text.replaceAll(/\s+/g, " ")
  if (line.length <= chars) return line
  return `${line.slice(0, line.lastIndexOf(" ", chars))} …`
}
