import { percentDecoded } from "#base/text/percent-decoded.ts"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import type { Link } from "../../extract/extracted.ts"
import { toMarkdown } from "../../extract/markdown/markdown.ts"
import { firstElement, parseTree, textOf, walk } from "../../extract/html/tree.ts"
import { removeUnseen } from "../../extract/seen/unseen.ts"
import { DocumentError } from "../document-error.ts"
import type { DocumentText } from "../to-extracted.ts"
import { chapterTitles, underTitle } from "./contents.ts"
import { closeEmptyTags } from "./xhtml.ts"
import { readXml } from "./xml.ts"
import { Zip } from "./zip.ts"

/** The maximum number of chapters and characters read from one book. */
const MAX_CHAPTERS = 2000
const MAX_CHARS = 5_000_000
const MAX_LINKS = 20_000

/**
 * Reads a book: the files of its spine, one after another (EPUB 3.3 §5.7; the same in EPUB 2).
 * @throws DocumentError when the file is damaged, locked or too large
 */
export function readEpub(body: Uint8Array): DocumentText {
  const zip = new Zip(body)
  const packagePath = packagePathOf(zip)
  const book = readPackage(zip.bytes(packagePath))
  const inArchive = (href: string | null) => (href === null ? null : resolvePath(packagePath, href))
  const titles = chapterTitles(zip, { nav: inArchive(book.nav), ncx: inArchive(book.ncx) }, resolvePath)
  const locked = zip.text("META-INF/encryption.xml") ?? ""
  const links = new Map<string, Link>()
  const parts: string[] = []
  let chars = 0
  let read = 0
  let linked = ""
  const isReached = (href: string) => linked.includes(href.split("/").at(-1)!)
  for (const [at, href] of [...book.spine, ...book.asides].slice(0, MAX_CHAPTERS).entries()) {
    if (at >= book.spine.length && !isReached(href)) continue
    const path = resolvePath(packagePath, href)
    if (locked.includes(`"${path}"`)) throw new DocumentError("unsupported", "the book is protected by DRM")
    const xhtml = zip.text(path)
    read += 1
    if (xhtml === null) continue
    if (book.asides.length > 0)
      for (const [, target = ""] of xhtml.matchAll(/href\s*=\s*["']([^"']*)/gi)) linked += `${target}\n`
    const markdown = underTitle(readChapter(withOwnStyles(xhtml, path, zip), links), titles.get(path))
    if (markdown !== "") parts.push(markdown)
    chars += markdown.length
    if (chars > MAX_CHARS) break
  }
  if (read === 0) throw new DocumentError("unreadable", "the file is damaged: the book has no chapters")
  return {
    ...book,
    markdown: parts.join("\n\n"),
    links: [...links.values()],
    note:
      read < book.spine.length
        ? `the first ${read} of ${book.spine.length} parts of the book were read`
        : null,
  }
}

function packagePathOf(zip: Zip): string {
  let path: string | null = null
  readXml(zip.bytes("META-INF/container.xml"), {
    start(name, attributes) {
      if (name === "rootfile") path ??= attributes["full-path"] ?? null
    },
  })
  if (path === null || !zip.has(path))
    throw new DocumentError("unreadable", "the file is damaged: the book has no list of its files")
  return path
}

interface Book {
  readonly title: string | null
  readonly author: string | null
  readonly language: string | null
  readonly description: string | null
  readonly publishedAt: Date | null
  /** The chapters' files in reading order, relative to the package file. */
  readonly spine: readonly string[]
  /** The files with its tables of contents, in EPUB 3 and EPUB 2 form, or null. */
  readonly nav: string | null
  readonly ncx: string | null
  /** Files outside the reading order, which readers reach only through links. */
  readonly asides: readonly string[]
}

function readPackage(xml: Uint8Array | null): Book {
  const files = new Map<string, string>()
  const order: { readonly id: string; readonly isAside: boolean }[] = []
  const facts = new Map<string, string[]>()
  let nav: string | null = null
  let ncx: string | null = null
  readXml(xml, {
    start(name, { id, href, idref, linear, properties = "", "media-type": type }) {
      if (name === "item" && /\bnav\b/.test(properties)) nav ??= href ?? null
      if (name === "item" && type === "application/x-dtbncx+xml") ncx ??= href ?? null
      if (name === "item" && id !== undefined && href !== undefined) files.set(id, href)
      if (name === "itemref" && idref !== undefined) order.push({ id: idref, isAside: linear === "no" })
    },
    end(name, text) {
      if (/^(?:title|creator|language|description|date)$/.test(name) && text.trim() !== "")
        facts.set(name, [...(facts.get(name) ?? []).slice(0, 20), text.trim()])
    },
  })
  const date = Date.parse(facts.get("date")?.[0] ?? "")
  return {
    title: facts.get("title")?.[0] ?? null,
    author: facts.get("creator")?.join(", ") ?? null,
    language: facts.get("language")?.[0] ?? null,
    description: withoutTags(facts.get("description")?.[0] ?? null),
    publishedAt: Number.isNaN(date) ? null : new Date(date),
    nav,
    ncx,
    spine: order.filter(({ isAside }) => !isAside).flatMap(({ id }) => files.get(id) ?? []),
    asides: order.filter(({ isAside }) => isAside).flatMap(({ id }) => files.get(id) ?? []),
  }
}

function withoutTags(html: string | null): string | null {
  return html === null ? null : textOf(parseTree(html))
}

/** The path inside the archive for the `href` of the file `base`. */
function resolvePath(base: string, href: string): string {
  const url = URL.parse(href.split("#")[0] ?? "", `epub:/${encodeURI(base)}`)
  if (url === null) return href
  const path = url.pathname.slice(1)
  return percentDecoded(path) ?? path
}

/** The size limit for all style sheets of one chapter. */
const MAX_STYLE_CHARS = 500_000

/** A chapter with the links to the book's style sheets replaced by the sheets' text, which is needed to find hidden text. */
function withOwnStyles(xhtml: string, path: string, zip: Zip): string {
  let left = MAX_STYLE_CHARS
  return xhtml.replace(/<link\s[^<>]*>/gi, (link) => {
    const href = /\shref\s*=\s*["']([^"']*)["']/i.exec(link)?.[1]
    const css = href === undefined || !/stylesheet/i.test(link) ? null : zip.text(resolvePath(path, href))
    if (css === null || css.length > left) return ""
    left -= css.length
    return `<style>${css.replaceAll("</", "< /")}</style>`
  })
}

function readChapter(xhtml: string, links: Map<string, Link>): string {
  // Links inside the book have no target on the web.
  const html = closeEmptyTags(xhtml).replace(
    /\s(?:href|src|xlink:href)\s*=\s*(?:"(?!https?:|mailto:)[^"]*"|'(?!https?:|mailto:)[^']*')/gi,
    "",
  )
  const root = parseTree(html)
  removeUnseen(root)
  walk(root, (element) => {
    const url = element.tag === "a" ? toPageUrl(element.get("href") ?? "") : null
    if (url !== null && links.size < MAX_LINKS && !links.has(url))
      links.set(url, { url, text: textOf(element, 300).replace(/\s+/g, " ").trim(), nofollow: false })
  })
  const body = firstElement(root, ({ tag }) => tag === "body") ?? root
  return toMarkdown(body, { baseUrl: "about:blank", skipped: new Set(), sourceChars: xhtml.length }).trim()
}
