import type { Page, PageUrl } from "#engine"
import { normalReaders } from "#engine/index/page/readers.ts"
import { typeOfAddress } from "#engine/index/page/page-type.ts"
import type { Source } from "../source.ts"
import type { Extracted } from "./extract/extracted.ts"

/** The parts of a reading that become a page. */
export interface PageReading {
  readonly url: PageUrl
  readonly extracted: Extracted
}

/** Facts from feeds and sitemaps that become part of a page. */
export interface ListedAs {
  readonly isNews: boolean
  /** Milliseconds since 1970. */
  readonly publishedAt: number | null
}

/** The page made from a reading for a source; null when it has no main content. */
export function pageOf(reading: PageReading, source: Source, listed: ListedAs, fetchedAt: Date): Page | null {
  const { extracted, url } = reading
  if (extracted.markdown.trim() === "") return null
  const readers = normalReaders(
    extracted.ownReaders ? [{ source: source.name, ...extracted.ownReaders }] : [],
  )
  const { topic, country, language, safe } = source.pages
  const listedTopic = listed.isNews ? "news" : null
  const listedDate = listed.publishedAt === null ? null : new Date(listed.publishedAt)
  return {
    url,
    title: extracted.title,
    description: extracted.description,
    markdown: extracted.markdown,
    language: extracted.language ?? language,
    author: extracted.author,
    publishedAt: extracted.publishedAt ?? listedDate,
    topic: topic ?? extracted.topic ?? listedTopic,
    country: extracted.country ?? country,
    unsafe: safe === null ? extracted.unsafe : !safe,
    ...(extracted.isListing === true && { isListing: true }),
    ...(extracted.type !== typeOfAddress(url) && { type: extracted.type }),
    ...(extracted.anchors !== undefined && { anchors: extracted.anchors }),
    images: extracted.images,
    favicon: extracted.favicon,
    source: source.name,
    ...(readers.length > 0 && { readers }),
    fetchedAt,
  }
}
