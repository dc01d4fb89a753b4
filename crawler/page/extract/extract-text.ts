import { isMarkdownAddress } from "../text-formats.ts"
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
 * Reads a plain-text or markdown document. Markdown stays as its author wrote it; plain text becomes markdown that
 * shows the same characters: paragraphs escaped, indented stretches and columns as code.
 *
 * `contentType` is the media type, `text/markdown` or anything else textual; a plain file is taken for markdown when
 * its address ends so or when it is plainly written so (as `llms.txt` is).
 */
export function extractText(text: string, url: string, contentType = "text/plain"): Extracted {
  const clean = withoutUnseenSigns(text)
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")
  const isMarkdown = /markdown/i.test(contentType) || isMarkdownAddress(url) || looksLikeMarkdown(clean)
  const { body, fields } = isMarkdown
    ? splitFrontMatter(clean)
    : { body: clean, fields: new Map<string, string>() }
  const markdown = (isMarkdown ? body : plainToMarkdown(body)).trim()
  const date = Date.parse(fields.get("date") ?? "")
  const title = fields.get("title") ?? firstTitle(body, isMarkdown) ?? fileName(url)
  return {
    title,
    description: fields.get("description") ?? null,
    markdown,
    type: isMarkdown ? "markdown" : "text",
    language: languageOfMarkdown(markdown),
    author: fields.get("author") ?? null,
    publishedAt: Number.isFinite(date) ? new Date(date) : null,
    topic: null,
    country: countryOfDomain(url),
    unsafe: readsAdult(title, markdown),
    images: [],
    favicon: URL.parse("/favicon.ico", url)?.href ?? null,
    canonical: null,
    robots: { noindex: false, nofollow: false },
    links: textLinks(body, url, isMarkdown),
    feeds: [],
  }
}

function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, 20_000)
  return (
    /^#{1,3} \S/m.test(start) &&
    (/\]\((?:https?:|\/)/.test(start) || /^```/m.test(start) || /^#{2,3} \S/m.test(start))
  )
}

/** The `key: value` lines between two `---` lines at the top; deeper YAML is not read. */
function splitFrontMatter(text: string): { body: string; fields: Map<string, string> } {
  const fields = new Map<string, string>()
  if (!text.startsWith("---\n")) return { body: text, fields }
  const end = text.indexOf("\n---", 3)
  if (end === -1 || end > 10_000) return { body: text, fields }
  for (const line of text.slice(4, end).split("\n")) {
    const [, key, value] = /^([A-Za-z_]{1,30}):\s*(\S.*)$/.exec(line) ?? []
    if (key && value) fields.set(key.toLowerCase(), value.replace(/^(["'])(.*)\1\s*$/, "$2").trim())
  }
  return { body: text.slice(text.indexOf("\n", end + 1) + 1 || text.length), fields }
}

function firstTitle(text: string, isMarkdown: boolean): string | null {
  const start = text.slice(0, 20_000)
  const heading = isMarkdown ? /^#{1,2} +(.+?) *#*$/m.exec(start)?.[1] : undefined
  const line = heading ?? /\S.*/.exec(start)?.[0] ?? ""
  // `# Install {#install}`: the id of the heading, as several dialects write it.
  const title = isMarkdown
    ? withoutMarks(collapse(toPlainText(line.replace(/\s*\{#[^{}]*\}\s*$/, ""))))
    : collapse(line)
  return title === "" || title.length > 200 ? null : title
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

/** Columns or drawings: most lines are indented differently or hold runs of spaces. */
function isPreformatted(block: string): boolean {
  const lines = block.split("\n")
  if (lines.length < 2) return /^(?: {4}|\t)/.test(block) && /[{}();=<>|]/.test(block)
  const columns = lines.filter((line) => /\S {3,}\S|\t\S|[+|]-{3,}/.test(line)).length
  return columns * 2 > lines.length
}

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
  if (isMarkdown)
    for (const [, label, href] of text.matchAll(
      /(?<!!)\[([^[\]\n]{0,300})\]\(<?([^\s()<>]{1,2000})>?[^()\n]{0,300}\)/g,
    ))
      add(href!, label!)
  for (const [href] of text.matchAll(/\bhttps?:\/\/[^\s<>"'`)\]]{1,2000}/g))
    add(href.replace(/[.,;:!?]+$/, ""), "")
  return [...links.values()]
}
