import { readCountry } from "./facts/country.ts"
import type { PageAnchor } from "#engine"
import type { Extracted } from "./extracted.ts"
import { contentImages } from "./html/images.ts"
import { readPublishedAt } from "./facts/dates/choose-date.ts"
import { readAuthor, readLanguage } from "./facts/page-facts.ts"
import { readDescription, readReaderTags, readRobots } from "./facts/page-head.ts"
import { readTitle } from "./facts/title.ts"
import { DIRECTORY_INDEX, isDirectoryIndex } from "./main/directory-index.ts"
import { isListing } from "./main/listing.ts"
import { findMainContent } from "./main/main-content.ts"
import { type AnchoredMarkdown, anchorsBehind } from "./markdown/anchor-marks.ts"
import { toAnchoredMarkdown } from "./markdown/markdown.ts"
import { gatherFacts } from "./facts/metadata.ts"
import { readPageSigns } from "./main/page-signs.ts"
import { toPlainText } from "./markdown/plain-text.ts"
import { structuredText } from "./structured-text.ts"
import { readTopic } from "./facts/topic.ts"
import { closest, parseTree } from "./html/tree.ts"
import { waysBack } from "./html/ways-back.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { removeUnseen } from "./seen/unseen.ts"
import { withoutUnseenSigns, writeAsSeen } from "./seen/unseen-signs.ts"
import { callsItselfAdult, readsAdult } from "./facts/unsafe.ts"

/**
 * Reads an HTML document: its main content as markdown, its metadata and its links.
 *
 * Pure, synchronous, and total: any text is some document, so it never throws. `url` is the address of the document
 * after redirects; addresses inside it are resolved against it, or against `<base href>`.
 */
export function extractHtml(html: string, url: string): Extracted {
  const document = parseTree(html)
  // Reads the document's links and data first: a menu that a script opens contains links too.
  const gathered = gatherFacts(document, url)
  const unseen = removeUnseen(document)
  writeAsSeen(document)
  const facts = {
    ...gathered,
    headings: gathered.headings.filter((heading) => closest(heading, (one) => unseen.has(one)) === null),
  }
  const { title: named, logos } = readTitle(facts, url)
  const title = withoutUnseenSigns(named)
  const signs = readPageSigns(document, facts, url)
  const content = findMainContent(document, signs, facts.baseUrl, [...logos, ...waysBack(document)])
  const written = toAnchoredMarkdown(
    content.root,
    {
      baseUrl: facts.baseUrl,
      skipped: content.skipped,
      boxes: content.boxes,
      captions: content.captions,
      setsTex: () => SETS_TEX.test(html),
      sourceChars: html.length,
    },
    document,
  )
  const isIndex = isDirectoryIndex(document, facts.titleTag)
  const structured = written.markdown.length < MIN_CHARS ? structuredText(facts.jsonLd) : ""
  const isStructured = isIndex || structured.length > written.markdown.length
  const text = isStructured ? { markdown: isIndex ? "" : structured, anchors: [] } : written
  const { markdown, anchors } = withoutTitle(text, title)
  const description = unlessOrder(readDescription(facts))
  const language = readLanguage(facts, markdown)
  const country = readCountry(facts, url)
  const readerTags = readReaderTags(facts)
  return {
    title,
    description,
    markdown,
    ...(anchors.length > 0 && { anchors }),
    type: "html",
    language,
    author: unlessOrder(readAuthor(facts)),
    publishedAt: readPublishedAt(facts, { url, title, unseen, writing: { language, country } }),
    topic: readTopic(facts, url),
    country,
    unsafe: callsItselfAdult(facts) || readsAdult(title, description, markdown),
    images: contentImages(content, facts.baseUrl),
    favicon: facts.favicon,
    canonical: facts.canonical,
    robots: readRobots(facts),
    ...(readerTags.length > 0 && { readerTags }),
    ...(facts.markdownAt !== null && { markdownAt: facts.markdownAt }),
    links: facts.links,
    feeds: facts.feeds,
    ...(facts.refresh !== null && { refresh: facts.refresh }),
    ...(isIndex ? { note: DIRECTORY_INDEX } : {}),
    ...(isListing(document, content, signs, { url, baseUrl: facts.baseUrl }) ? { isListing: true } : {}),
    ...(facts.isMissing ? { isMissing: true } : {}),
    ...(facts.leftToScripts === null ? {} : { leftToScripts: facts.leftToScripts }),
  }
}

/** Names of MathJax's and KaTeX's files and settings: on a page with one of them, a script typesets TeX. */
const SETS_TEX = /MathJax|mathjax|katex|renderMathInElement/

/** The text without invisible characters; null if it gives orders to models. */
function unlessOrder(text: string | null): string | null {
  const seen = text === null ? "" : withoutUnseenSigns(text)
  return seen === "" || holdsModelOrder(seen) ? null : seen
}

// A page with less visible text than this is built by scripts, and its structured data may contain more.
const MIN_CHARS = 300

/** Maximum length of the text before the heading that repeats the title: a category, a date, the author. */
const MOST_BEFORE_TITLE = 200

/** Removes a first heading that repeats the title, since the title has its own field. */
function withoutTitle(text: AnchoredMarkdown, title: string): AnchoredMarkdown {
  const { markdown, anchors } = text
  const found = /^# [^\n]*\n*/m.exec(markdown.slice(0, MOST_BEFORE_TITLE + title.length * 2 + 10))
  const same = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
  if (found === null || found.index > MOST_BEFORE_TITLE || same(toPlainText(found[0])) !== same(title))
    return text
  const before = markdown.slice(0, found.index)
  if (before.includes("```")) return text
  const end = markdown.slice(found.index).search(/\n[^\n]/)
  const after = end === -1 ? "" : markdown.slice(found.index + end + 1)
  const lines = before.split("\n").length - 1
  const dropped = markdown.slice(0, markdown.length - after.length)
  return {
    markdown: before + after,
    anchors: [
      ...anchors.filter(([line]) => line < lines),
      ...anchorsBehind(dropped, anchors).map(([line, fragment]): PageAnchor => [line + lines, fragment]),
    ],
  }
}
