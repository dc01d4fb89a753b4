import type { PageAnchor, PageImage, PageTopic, PageType } from "#engine"
import type { LeftToScripts } from "./facts/left-to-scripts.ts"
import type { Readers } from "#engine/index/page/readers.ts"
import type { Refresh } from "../headers/refresh.ts"

/** The content of one HTML document, read in a single pass. All addresses are absolute. */
export interface Extracted {
  readonly title: string
  readonly description: string | null
  /** The main content as markdown; empty when the document has none. */
  readonly markdown: string
  /** See `Page`. Left out when there are none. */
  readonly anchors?: readonly PageAnchor[]
  /** The type that the document was read as. */
  readonly type: PageType
  /** ISO 639-1 code from the document, otherwise detected from its text; null when neither is certain. */
  readonly language: string | null
  readonly author: string | null
  readonly publishedAt: Date | null
  /** See `Page`. */
  readonly topic: PageTopic | null
  readonly country: string | null
  readonly unsafe: boolean
  /** Images of the main content, in reading order, without duplicates. */
  readonly images: readonly PageImage[]
  readonly favicon: string | null
  /** `<link rel=canonical>`, as an absolute address. */
  readonly canonical: string | null
  /** From `<meta name=robots>` (and `fossick`). */
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean }
  /** The contents of the page's `<meta name=fossick-readers>` tags. Left out if there are none. */
  readonly readerTags?: readonly string[]
  /**
   * The people who may read the page, according to its tags, its headers and its origin. Left out when none of them
   * names readers.
   */
  readonly ownReaders?: Readers
  /** Address of the page's markdown version, if the page or its headers name one. */
  readonly markdownAt?: string
  readonly links: readonly Link[]
  /** RSS and Atom feeds the document names. */
  readonly feeds: readonly string[]
  /** The address to which the page redirects its reader. Left out when it doesn't. */
  readonly refresh?: Refresh
  /** Whether the program that generated the page marks it as missing, regardless of the HTTP status. */
  readonly isMissing?: boolean
  /** Whether the page is mostly a list of other pages of its site. Left out if not. */
  readonly isListing?: true
  /** Parts that may be missing because scripts create them. Left out if no script could. */
  readonly leftToScripts?: LeftToScripts
  /** Numbers, from 1, of the pages that have no text and are waiting for text recognition. Left out when every page has text. */
  readonly pictured?: readonly number[]
  /** How the document was read, for the operator: `no text layer`, `the first 1000 of 1200 pages were read`. */
  readonly note?: string
}

export interface Link {
  /** Absolute http(s) address, without a fragment unless the document uses routes (`#/guide`). */
  readonly url: string
  /** Visible text of the anchor, with white space collapsed. */
  readonly text: string
  readonly nofollow: boolean
}

/** The fields of a document of which at most the head was read. */
export const NO_CONTENT = {
  markdown: "",
  language: null,
  author: null,
  publishedAt: null,
  topic: null,
  country: null,
  unsafe: false,
  images: [],
  favicon: null,
  feeds: [],
} satisfies Partial<Extracted>
