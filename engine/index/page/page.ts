import type { PageType } from "./page-type.ts"
import type { PageReaders } from "./readers.ts"
import type { PageUrl } from "./page-url.ts"

/** An image that belongs to a page's content. */
export interface PageImage {
  /** Absolute http(s) address. */
  readonly url: string
  /** Alternative text or caption; null when the page gives none. */
  readonly description: string | null
}

/**
 * A place in a page's main content: the line of the markdown where it is, from 0; the fragment of the address that leads there
 * (`install`, as RFC 3986 writes it; `page=3` in a PDF, RFC 8118), empty when none does; and in a document the number of the
 * page or slide that begins or continues there, as readers know it (`3`, `iv`).
 */
export type PageAnchor = readonly [line: number, fragment: string, page?: string]

export type PageTopic = "news" | "finance"

export const PAGE_TOPICS: readonly PageTopic[] = ["news", "finance"]

/** One page as the crawler read it and the engine keeps it. */
export interface Page {
  readonly url: PageUrl
  readonly title: string
  readonly description: string | null
  /** Main content as markdown, without navigation, banners or footers. */
  readonly markdown: string
  /** ISO 639-1, lower case (`en`); null when unknown. */
  readonly language: string | null
  readonly author: string | null
  readonly publishedAt: Date | null
  /** The kind of page, if the page says so or its source sets it; null for neither. */
  readonly topic: PageTopic | null
  /** The country it is made for or in: ISO 3166-1 alpha-2, lower case (`fr`); null when unknown. */
  readonly country: string | null
  /** Whether it calls itself adult, or reads so. */
  readonly unsafe: boolean
  /** Whether it is mostly a list of other pages of its site, as those of tags and archives are. Left out when not. */
  readonly isListing?: true
  /** The format it is written in; left out where its address says as much: see `typeOf`. */
  readonly type?: PageType
  /**
   * The places in it that have an address or a number, by line: those of headings are on the heading's line, others count
   * up to the next one or the next heading. Left out when none is known.
   */
  readonly anchors?: readonly PageAnchor[]
  readonly images: readonly PageImage[]
  /** Absolute address of the site's icon. */
  readonly favicon: string | null
  /** Name of the source that brought the page in: the one that read it last, where there are several. */
  readonly source: string
  /** Names of the other sources that the page belongs to, in alphabetical order; left out when there is none. */
  readonly sharedWith?: readonly string[]
  /** Who may read it, in addition to the readers of its sources; all of these must admit the person. Default: everyone. */
  readonly readers?: readonly PageReaders[]
  readonly fetchedAt: Date
}

/** Names of all sources that a page belongs to, the one that read it last first. */
export const sourcesOf = ({ source, sharedWith = [] }: Pick<Page, "source" | "sharedWith">): string[] => [
  source,
  ...sharedWith,
]

/** The page as one of these sources and no others: the first is the one that read it. */
export function withSources(page: Page, [source, ...others]: readonly [string, ...string[]]): Page {
  const { source: _source, sharedWith: _sharedWith, readers: all = [], ...rest } = page
  const sharedWith = [...new Set(others)].filter((name) => name !== source).sort()
  const readers = all.filter((one) => one.source === source || sharedWith.includes(one.source))
  return {
    ...rest,
    source,
    ...(sharedWith.length > 0 && { sharedWith }),
    ...(readers.length > 0 && { readers }),
  }
}
