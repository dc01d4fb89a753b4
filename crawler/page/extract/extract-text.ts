import { isMarkdownAddress, isMdxAddress } from "../text-formats.ts"
import { splitFrontMatter } from "./authored/front-matter.ts"
import { tidyMarkdown } from "./authored/tidy-markdown.ts"
import { languageOfMarkdown } from "./facts/detect-language.ts"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import { countryOfDomain } from "./facts/country.ts"
import type { Extracted, Link } from "./extracted.ts"
import { MAX_LINK_CHARS } from "./html/link-resolver.ts"
import { escapeText, fenced, protectLineStarts } from "./markdown/markdown-escapes.ts"
import { toPlainText } from "./markdown/plain-text.ts"
import { withoutMarks } from "./html/anchors.ts"
import { collapse } from "./html/tree.ts"
import { withoutUnseenSigns } from "./seen/unseen-signs.ts"
import { readsAdult } from "./facts/unsafe.ts"

const MAX_LINKS = 20_000

/**
 * Reads a plain-text or markdown document. Markdown stays as its author wrote it, except for HTML and comments; plain
 * text becomes markdown that displays the same characters: paragraphs are escaped, indented parts and columns become
 * code.
 *
 * `contentType` is the media type, `text/markdown` or any other text type; a plain file counts as markdown when its
 * address says so or when it is clearly written as markdown (like `llms.txt`).
 */
export function extractText(text: string, url: string, contentType = "text/plain"): Extracted {
  const clean = normalised(withoutUnseenSigns(text))
  const isMarkdown = /markdown/i.test(contentType) || isMarkdownAddress(url) || looksLikeMarkdown(clean)
  const { body: written, fields } = isMarkdown
    ? splitFrontMatter(clean)
    : { body: clean, fields: new Map<string, string>() }
  const body = isMarkdown ? tidyMarkdown(written, url, isMdxAddress(url)) : written
  const markdown = (isMarkdown ? body : plainToMarkdown(body)).trim()
  const date = Date.parse(fields.get("date") ?? "")
  const title = fields.get("title") ?? firstTitle(body, isMarkdown) ?? fileName(url)
  return {
    title,
    description: fields.get("description") ?? fields.get("summary") ?? null,
    markdown,
    type: isMarkdown ? "markdown" : "text",
    language: languageOfMarkdown(markdown),
    author: fields.get("author") ?? fields.get("authors") ?? null,
    publishedAt: Number.isFinite(date) ? new Date(date) : null,
    topic: null,
    country: countryOfDomain(url),
    unsafe: readsAdult(title, markdown),
    images: [],
    favicon: URL.parse("/favicon.ico", url)?.href ?? null,
    canonical: null,
    robots: { noindex: false, nofollow: false },
    links: isMarkdown ? linksOfMarkdown(body, url) : textLinks(body, url, false),
    feeds: [],
  }
}

/** A text without a byte order mark and NUL characters, with lines ending in `\n`. */
export const normalised = (text: string): string =>
  text
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")

function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, 20_000)
  return (
    /^#{1,3} \S/m.test(start) &&
    (/\]\((?:https?:|\/)/.test(start) || /^```/m.test(start) || /^#{2,3} \S/m.test(start))
  )
}

function firstTitle(text: string, isMarkdown: boolean): string | null {
  const start = text.slice(0, 20_000)
  const heading = isMarkdown ? firstHeading(start) : undefined
  const line = heading ?? /\S.*/.exec(start)?.[0] ?? ""
  // Matches the id of a heading, as written in several dialects: `# Install {#install}`.
  const title = isMarkdown
    ? withoutMarks(collapse(toPlainText(line.replace(/\s*\{#[^{}]*\}\s*$/, ""))))
    : collapse(line)
  return title === "" || title.length > 200 ? null : title
}

/** The first heading of level 1 or 2, marked either in front of its text or in the line below it. */
function firstHeading(start: string): string | undefined {
  const marked = /^#{1,2} +(.+?) *#*$/m.exec(start)
  const underlined = /^(?![ \t>#*+-])(\S.{0,200})\n(?:={2,}|-{3,})[ \t]*$/m.exec(start)
  if (underlined === null) return marked?.[1]
  return marked === null || underlined.index < marked.index ? underlined[1] : marked[1]
}

function fileName(url: string): string {
  const name = URL.parse(url)
    ?.pathname.split("/")
    .findLast((part) => part !== "")
  return name ?? url
}

function plainToMarkdown(text: string): string {
  const blocks: string[] = []
  let code: string[] = []
  const flushCode = () => {
    if (code.length === 0) return
    blocks.push(fenced(code.join("\n\n")))
    code = []
  }
  for (const block of text.split(/\n[ \t]*\n/)) {
    const trimmed = block.replace(/^\n+/, "").trimEnd()
    if (trimmed === "") continue
    if (isPreformatted(trimmed)) code.push(trimmed)
    else {
      flushCode()
      blocks.push(
        protectLineStarts(
          trimmed
            .split("\n")
            .map((line) => escapeText(line).trim())
            .join("\n"),
        ),
      )
    }
  }
  flushCode()
  return blocks.join("\n\n")
}

/** Whether a block is laid out in columns or is a drawing: most lines are indented differently or contain runs of spaces. */
function isPreformatted(block: string): boolean {
  const lines = block.split("\n")
  if (lines.length < 2) return /^(?: {4}|\t)/.test(block) && /[{}();=<>|]/.test(block)
  const columns = lines.filter((line) => /\S {3,}\S|\t\S|[+|]-{3,}/.test(line)).length
  return columns * 2 > lines.length
}

/** The links in markdown, and the addresses in its text. */
export const linksOfMarkdown = (markdown: string, url: string): Link[] => textLinks(markdown, url, true)

function textLinks(text: string, url: string, isMarkdown: boolean): Link[] {
  const links = new Map<string, Link>()
  let room = MAX_LINK_CHARS
  const add = (href: string, label: string) => {
    const address = toPageUrl(href, url)
    if (address === null || links.size >= MAX_LINKS || room <= 0) return
    if (!links.has(address)) room -= address.length
    if (!links.get(address)?.text)
      links.set(address, { url: address, text: collapse(label), nofollow: false })
  }
  // Matches pictures that are links.
  if (isMarkdown)
    for (const [, label, href] of text.matchAll(
      /\[!\[([^[\]\n]{0,300})\]\([^()\n]{0,2000}\)\]\(<?([^\s()<>]{1,2000})>?\)/g,
    ))
      add(href!, label!)
  if (isMarkdown)
    for (const [, label, href] of text.matchAll(
      /(?<!!)\[([^[\]\n]{0,300})\]\(<?([^\s()<>]{1,2000})>?[^()\n]{0,300}\)/g,
    ))
      add(href!, label!)
  for (const [href] of text.matchAll(/\bhttps?:\/\/[^\s<>"'`)\]]{1,2000}/g))
    add(href.replace(/[.,;:!?]+$/, ""), "")
  return [...links.values()]
}
