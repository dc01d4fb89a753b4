import type { PageType } from "./page-type.ts"
import type { PageReaders } from "./readers.ts"
import type { PageUrl } from "./page-url.ts"

/** An image that belongs to a page's content. */
export interface PageImage {
  /** Absolute http(s) address. */
  readonly url: string
  /** Alternative text or caption; `null` if the page has none. */
  readonly description: string | null
}

/**
 * A place in a page's main content: its line in the markdown, from 0; the fragment of the address that links there
 * (`install`, as written in RFC 3986; `page=3` in a PDF, RFC 8118), empty if there is none; and in a document, the
 * number of the page or slide that begins or continues there, as readers know it (`3`, `iv`).
 */
export type PageAnchor = readonly [line: number, fragment: string, page?: string]

export type PageTopic = "news" | "finance"

export const PAGE_TOPICS: readonly PageTopic[] = ["news", "finance"]

/** A page as read by the crawler and stored by the engine. */
export interface Page {
  readonly url: PageUrl
  readonly title: string
  readonly description: string | null
  /** Main content as markdown, without navigation, banners or footers. */
  readonly markdown: string
  /** ISO 639-1, lower case (`en`); `null` if unknown. */
  readonly language: string | null
  readonly author: string | null
  readonly publishedAt: Date | null
  /** The kind of page, if the page says so or its source sets it; otherwise `null`. */
  readonly topic: PageTopic | null
  /** The country that the page was made for or in: ISO 3166-1 alpha-2, lower case (`fr`); `null` if unknown. */
  readonly country: string | null
  /** Whether the page is labelled as adult content, or reads like it. */
  readonly unsafe: boolean
  /** Whether the page is mostly a list of other pages of its site, like tag and archive pages. Omitted if false. */
  readonly isListing?: true
  /** The format the page is written in; omitted if the page's address implies it: see `typeOf`. */
  readonly type?: PageType
  /**
   * The places in the page that have an address or a number, by line: the place of a heading is on the heading's line,
   * others apply up to the next place or heading. Omitted if none are known.
   */
  readonly anchors?: readonly PageAnchor[]
  readonly images: readonly PageImage[]
  /** Absolute address of the site's icon. */
  readonly favicon: string | null
  /** Name of the source that the page came from; if there are several, the one that read it last. */
  readonly source: string
  /** Names of the other sources that the page belongs to, in alphabetical order; omitted if there are none. */
  readonly sharedWith?: readonly string[]
  /** Restrictions on who may read the page, in addition to those of its sources: all of these must admit the person. Default: everyone. */
  readonly readers?: readonly PageReaders[]
  readonly fetchedAt: Date
}

/** Names of all sources that a page belongs to, starting with the one that read it last. */
export const sourcesOf = ({ source, sharedWith = [] }: Pick<Page, "source" | "sharedWith">): string[] => [
  source,
  ...sharedWith,
]

/** The page with only the given sources: the first is the one that read it. */
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
