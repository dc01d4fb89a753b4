import type { PageUrl } from "#engine"
import type { Fetched } from "../../fetch/fetch.ts"
import { charsetParameter } from "../../page/headers/media-type.ts"
import type { ListingKind } from "../frontier/frontier-schema.ts"
import { feedParser } from "./feeds.ts"
import { type Listed, listed, type ListParser, type ListTrouble, type Take } from "./list-parser.ts"
import { llmsParser } from "./llms.ts"
import { sitemapParser, textParser } from "./sitemaps.ts"
import { unzipped } from "./unzipped.ts"

/** A file that may list addresses, as it was fetched. */
export interface ListFile {
  readonly url: PageUrl
  readonly kind: ListingKind
  readonly fetched: Pick<Fetched, "body" | "headers" | "cutOff">
}

/** Some of a file's addresses; the last part says what is wrong with the file. */
export interface ListPart extends Pick<Listed, "pages" | "sitemaps"> {
  readonly trouble: ListTrouble | null
}

/** How lists are fetched: with any content type, and even if they are cut off. */
export const AS_LIST = { accepts: () => true, takesCutOff: () => true } as const

/** The root may be preceded by a server's warnings, comments and white space. */
const ROOT = /<(?:[\w.-]+:)?(urlset|sitemapindex|rss|feed|rdf)(?=[\s>/])/i
const WEB_PAGE = /<(?:!doctype\s+html|html)(?=[\s>])/i
/** How far into a file to look for its root. */
const MAX_START_CHARS = 64 * 1024

/**
 * Reads a sitemap, feed or llms.txt part by part. The root element decides how: a feed may serve as a sitemap, and the
 * other way round.
 * @param maxBytes maximum size of the unpacked file
 */
export async function* readList(
  { url, kind, fetched: { body, headers, cutOff } }: ListFile,
  maxBytes: number,
): AsyncGenerator<ListPart> {
  const file = await unzipped(body, maxBytes)
  if (file === null) {
    yield { pages: [], sitemaps: [], trouble: "damaged" }
    return
  }
  let trouble: ListTrouble | null = null
  let isKnown = false
  let isEmpty = true
  const parserFor = (beginning: string, take: Take): ListParser => {
    const start = beginning.slice(0, MAX_START_CHARS)
    if (kind === "llms") return /^\s*</.test(start) ? NO_PARSER : llmsParser(url, take)
    const root = ROOT.exec(start)
    const page = WEB_PAGE.exec(start)
    isKnown = root !== null || page !== null
    if (page !== null && (root === null || page.index < root.index)) {
      trouble = "web-page"
      return NO_PARSER
    }
    if (root === null) {
      if (!/^\s*</.test(start)) return textParser(take)
      return kind === "feed" ? feedParser(url, take) : sitemapParser(url, take)
    }
    const isSitemap = /^(?:urlset|sitemapindex)$/i.test(root[1]!)
    return from(root.index, isSitemap ? sitemapParser(url, take) : feedParser(url, take))
  }
  const isCutOff = cutOff !== undefined || file.isCutOff
  const charset = charsetParameter(headers["content-type"])
  for await (const part of listed(file.body, parserFor, { charset, isCutOff })) {
    trouble ??= part.trouble ?? null
    isEmpty &&= part.pages.length === 0 && part.sitemaps.length === 0
    yield { ...part, trouble: null }
  }
  if (!isKnown && isEmpty) trouble ??= "no-list"
  yield { pages: [], sitemaps: [], trouble }
}

const NO_PARSER: ListParser = { write: () => undefined, end: () => false }

/** Skips the first `start` characters. */
function from(start: number, parser: ListParser): ListParser {
  let skipped = start
  return {
    write(text) {
      parser.write(text.slice(skipped))
      skipped = 0
    },
    end: (isCutOff) => parser.end(isCutOff),
  }
}
