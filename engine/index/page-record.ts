import { createHash } from "node:crypto"
import { termsIn } from "../text/analysis/analyse.ts"
import { type Terms, textsOf } from "../text/analysis/known-chunks.ts"
import { placeOf } from "./page/domains.ts"
import { fingerprintOf } from "./page/fingerprint.ts"
import type { PageFacts } from "./page/page-facts.ts"
import { type Page, type PageTopic, sourcesOf } from "./page/page.ts"
import { type PageType, typeOf } from "./page/page-type.ts"
import type { Passage } from "./page/passage.ts"
import { type PageUrl, pageId } from "./page/page-url.ts"
import { readersLabel } from "./page/readers.ts"
import { namesOf } from "../text/page-names.ts"
import { type PageTerms, packTerms } from "../text/passage-terms.ts"
import { type PassageTerms, sectionsOf } from "../text/sections.ts"
import { type Heading, blocksOf, headingsOf } from "../text/markdown/markdown-blocks.ts"
import { linesWith, passagesOfBlocks } from "../text/passages.ts"

/** The fields used in filters. */
export interface FilterColumns {
  readonly host: string
  readonly domain: string
  readonly language: string | null
  readonly published: number | null
  /** Names of the page's sources, as written by {@link sourceText}. */
  readonly source: string
  readonly topic: PageTopic | null
  readonly country: string | null
  readonly unsafe: boolean
  readonly type: PageType
  readonly port: number
  /** {@link readersLabel} of the page's readers. */
  readonly readers: string | null
}

/** A page as stored by adapters: the fields used to find it, and the fields shown in its hits. */
export interface PageRow extends FilterColumns {
  readonly id: string
  /**
   * Changes whenever the input of the page's vectors does: passages, title, filter columns. A page crawled again
   * without a change keeps its vectors.
   */
  readonly revision: number
  readonly title: string
  /** JSON of {@link Details}. */
  readonly details: string
  readonly markdown: string
  /** JSON of {@link Passage}s. */
  readonly passages: string
  readonly passage_count: number
  /** The terms of each of the page's sections, by which the page is found; there is at least one section. See `sections.ts`. */
  readonly sections: readonly string[]
  /** JSON of {@link PageFacts}. */
  readonly facts: string
  /** The terms of the page's names and passages: see `passage-terms.ts`. */
  readonly passage_terms: Uint8Array
  /** The texts, in order, for suggestions that link to the page. */
  readonly headings: readonly Heading[]
}

/** Metadata of a page without its text. Dates are milliseconds since the epoch. */
interface Details extends Omit<Page, "url" | "title" | "markdown" | "publishedAt" | "fetchedAt"> {
  readonly url: PageUrl
  readonly published: number | null
  readonly fetched: number
}

/** The fields shown in a hit. */
export type StoredPage = Pick<PageRow, "id" | "revision" | "title" | "details" | "markdown" | "passages">

/** Metadata of a page, without its text. */
export type PageHead = Pick<PageRow, "id" | "revision" | "title" | "details">

/** A character that no source name contains. */
const BETWEEN_SOURCES = "\u001f"

/** Combines names of sources into one value, independent of their order; a single name is unchanged. */
export const sourceText = (names: readonly string[]): string => [...names].sort().join(BETWEEN_SOURCES)

/** The names that were passed to {@link sourceText}. */
export const sourcesIn = (text: string): string[] => text.split(BETWEEN_SOURCES)

/** A long page is analysed in parts, so that searches in the same process continue in between. */
export async function toPageRow(page: Page, breathe: () => Promise<void>): Promise<PageRow> {
  const id = pageId(page.url)
  const blocks = blocksOf(page.markdown, linesWith(page.anchors))
  const passages = passagesOfBlocks(blocks, page.anchors)
  await breathe()
  const columns: FilterColumns = {
    ...placeOf(page.url),
    language: page.language,
    published: page.publishedAt ? page.publishedAt.getTime() : null,
    source: sourceText(sourcesOf(page)),
    topic: page.topic,
    country: page.country,
    unsafe: page.unsafe,
    type: typeOf(page),
    readers: readersLabel(page.readers),
  }
  const passagesText = JSON.stringify(passages)
  const terms = await termsOf(page, passages, breathe)
  await breathe()
  return {
    id,
    revision: revisionOf([id, page.title, JSON.stringify(embeddedOf(passages)), columnsText(columns)]),
    ...columns,
    title: page.title,
    details: JSON.stringify(detailsOf(page)),
    markdown: page.markdown,
    passages: passagesText,
    passage_count: passages.length,
    sections: sectionsOf(terms, terms.passages),
    facts: JSON.stringify(factsOf(page, columns, terms.text)),
    passage_terms: packTerms(terms),
    headings: headingsOf(blocks),
  }
}

/** Leaves out readers if there are none, so that revisions from earlier versions stay valid. */
const columnsText = ({ readers, ...columns }: FilterColumns): string =>
  JSON.stringify(readers === null ? columns : { ...columns, readers })

function factsOf(
  { url, title, isListing }: Page,
  { host, domain, port, language, country, topic, published }: FilterColumns,
  terms: readonly Terms[],
): PageFacts {
  const hashes = terms.flatMap((one) => one.terms.map((term) => term.hash))
  const facts = { url, title, host, domain, port, language, country, topic, published }
  return {
    ...facts,
    ...(isListing && { isListing }),
    fingerprint: fingerprintOf(textsOf(terms).join(" "), hashes),
  }
}

function detailsOf(page: Page): Details {
  const { title: _title, markdown: _markdown, publishedAt, fetchedAt, ...rest } = page
  return { ...rest, published: publishedAt?.getTime() ?? null, fetched: fetchedAt.getTime() }
}

/** The sources of a page, read from its {@link Details}. */
export const holdersIn = (details: string): string[] => sourcesOf(JSON.parse(details) as Details)

export function toPage({
  title,
  markdown,
  details,
}: Pick<StoredPage, "title" | "markdown" | "details">): Page {
  const { published, fetched, ...rest } = JSON.parse(details) as Details
  return {
    ...rest,
    title,
    markdown,
    publishedAt: published === null ? null : new Date(published),
    fetchedAt: new Date(fetched),
  }
}

export const passagesOf = (row: Pick<StoredPage, "passages">): Passage[] =>
  JSON.parse(row.passages) as Passage[]

/** The parts of passages from which vectors are made: a changed anchor or displayed text requires no new vector. */
export const embeddedOf = (passages: readonly Passage[]): Pick<Passage, "text" | "headings">[] =>
  passages.map(({ text, headings }) => ({ text, headings }))

/** 53 bits of SHA-256, so that it fits in a number. */
function revisionOf(parts: readonly string[]): number {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest()
  return hash.readUIntBE(0, 6) * 32 + (hash[6]! >> 3)
}

interface AnalysedPage extends PageTerms {
  /** The whole text of a page; each heading appears once, above the first passage under it. */
  readonly text: readonly Terms[]
}

async function termsOf(
  page: Page,
  passages: readonly Passage[],
  breathe: () => Promise<void>,
): Promise<AnalysedPage> {
  const known = new Map<string, Terms>()
  const ofHeading = (heading: string) => {
    const terms = known.get(heading) ?? termsIn(heading, page.language)
    known.set(heading, terms)
    return terms
  }
  const all: Terms[] = []
  const byPassage: PassageTerms[] = []
  let above: readonly string[] = []
  for (const { headings, text } of passages) {
    await breathe()
    const terms = termsIn(text, page.language)
    const fresh = headings.filter((heading, i) => heading !== above[i])
    all.push(...fresh.map(ofHeading), terms)
    byPassage.push({ headings: headings.map(ofHeading), text: terms })
    above = headings
  }
  return { ...namesOf(page.title, page.url, page.language), text: all, passages: byPassage }
}
