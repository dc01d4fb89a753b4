import type { PageUrl } from "#engine"
import type { MarkdownCopy } from "./crawl/copies/markdown-copy.ts"
import type { Extracted } from "./page/extract/extracted.ts"
import type { Fetched, FetchFailure, FetchOptions, Validators } from "./fetch/fetch.ts"
import type { CrawlOutcome } from "./outcome.ts"
import type { Rendering } from "./source.ts"

/** One address, fetched and read. */
export interface Reading {
  /** The page's address after redirects, in canonical spelling. */
  readonly url: PageUrl
  readonly status: number
  readonly contentType: string
  /** The size of the decoded body, in bytes. */
  readonly bytes: number
  readonly extracted: Extracted
  /**
   * Validators from the server's response; left out if the page does not depend on the response alone, for example if a
   * browser rendered it.
   */
  readonly validators?: Validators
  /** Digest of the headers that name readers. Left out if the response has none. */
  readonly readersSent?: string
  /** The crawl's record of the page's markdown copy. Left out if the page has no copy. */
  readonly copy?: MarkdownCopy | undefined
  /** Whether a browser rendered the page. */
  readonly rendered?: boolean
  /** Whether a browser rendered the page from a document that the site sends for other addresses too. */
  readonly isShell?: boolean
  /** Other addresses with the same document that were read without a browser and must be read again. */
  readonly readAnew?: readonly PageUrl[]
  /** Describes what might be missing because no browser opened the page. */
  readonly doubt?: string
  /** The reason, if known, in words; set for a reading without main content. */
  readonly emptyBecause?: string
  /** The document as sent by the site, or its final state in the browser; set with `withHtml`, for an HTML page. */
  readonly html?: string
  /** A picture of the page as shown by a browser; set with `screenshot`. */
  readonly screenshot?: Screenshot
}

/** A picture of a page. */
export interface Screenshot {
  readonly type: "image/png" | "image/jpeg"
  readonly bytes: Uint8Array
}

/** How a picture of a page is taken. */
export interface ScreenshotOptions {
  /** Whether to include the whole height of the page, up to the size limit of a picture, rather than only the first screen. */
  readonly fullPage: boolean
  /** The JPEG quality, from 0 to 100; not for a PNG. */
  readonly quality?: number | undefined
  /** The size of the browser's window in pixels. Default: the browser's own size. */
  readonly viewport?: { readonly width: number; readonly height: number } | undefined
}

/** A reading, or the reason why the page was not read. */
export type ReadResult =
  | { readonly kind: "read"; readonly reading: Reading }
  | Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>

/**
 * Reads addresses for live calls and for crawls: address guard, fetch, decode, extract.
 *
 * - `read()` never rejects because of anything a site does; such failures are returned as values. It rejects only on a
 * bug.
 * - The address guard checks every hop against the allowed networks before a connection is made.
 * - Extraction runs in worker threads with a time limit; the event loop stays free.
 */
export interface Reader extends AsyncDisposable {
  read(url: string, options?: ReadOptions): Promise<ReadResult>
  /**
   * The pages that a site's sitemaps list, each once; empty if there are no sitemaps. Obeys robots.txt, and never
   * rejects because of anything a site does.
   * @param site any address of the site
   */
  sitemap(site: PageUrl, options: SitemapOptions): Promise<readonly PageUrl[]>
}

export interface SitemapOptions {
  /** The maximum number of pages to return. */
  readonly limit: number
  /** Decides which of the listed pages are returned. Default: all. */
  readonly wants?: (page: PageUrl) => boolean
  /** Decides which files of origins other than the site's may be read. Default: all. */
  readonly admits?: (file: PageUrl) => boolean
  readonly signal?: AbortSignal
}

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Time limit for the whole visit, including redirects and extraction. Default from the settings. */
  readonly timeoutMs?: number
  /** Whether to obey robots.txt. Default false: an address requested by name is read as a browser would read it. */
  readonly robots?: boolean
  /**
   * Whether to read only an HTML page's head and its links, at a small fraction of the cost: the main content and
   * everything found in it are empty. Default false.
   */
  readonly linksOnly?: boolean
  /** How the page is read. Default `http`. */
  readonly rendering?: Rendering
  /** Whether to return the document itself with its reading. Default false. */
  readonly withHtml?: boolean
  /** If set, a picture of the page is taken; only with the rendering `browser`. */
  readonly screenshot?: ScreenshotOptions
  /** The shortest time in milliseconds that a browser waits before reading a page. Default 0. */
  readonly settleMs?: number
  /**
   * Decides which addresses may be read: the given one, and every target of a redirect or a script. Others end the
   * visit as `out-of-scope`. Default: all.
   */
  readonly admits?: (url: PageUrl) => boolean
}

/** A {@link ReadResult}, or one of the results that only crawls need. */
export type Visit =
  | { readonly kind: "read"; readonly reading: Reading }
  | Unmodified
  | Extract<CrawlOutcome, { kind: "skipped" | "postponed" }>
  | FetchFailure

/** The given validators are still valid, or the page's markdown copy is unchanged. */
export interface Unmodified {
  readonly kind: "unmodified"
  readonly url: PageUrl
  /** The validators in this response. */
  readonly validators: Validators
  readonly noindex: boolean
  /** As in {@link Reading}. */
  readonly readersSent?: string
  /** Set when the visit requested the copy and not the page. */
  readonly copy?: MarkdownCopy
}

export interface VisitOptions
  extends ReadOptions, Pick<FetchOptions, "after" | "memory" | "onRedirect" | "validators"> {
  /** Whether this is the last try, in which case a whole document is accepted even if its response was cut off. Default true. */
  readonly isLastTry?: boolean
  /** Whether a browser rendered the page at the last visit, from a document that its site sends for other addresses too. */
  readonly isShell?: boolean
  /** The source of the page, for text recognition if the document has pictures of text. Default: no text recognition. */
  readonly scansOf?: string
  /** Called just before a fetched response is read. */
  readonly onReading?: () => Promise<void>
  /** Called with the site's response before anything is read from it: the bytes are no longer available after the call. */
  readonly onFetched?: (fetched: Fetched) => void
}

export interface WalkOptions {
  readonly url: string
  /** The maximum number of link steps from the start, at least 0. */
  readonly maxDepth: number
  /** The maximum number of links followed from one page. */
  readonly maxBreadth: number
  /** The maximum number of pages visited in total. */
  readonly limit: number
  /** Regular expressions (RE2 syntax) for the path; a page is accepted if its path matches any of them. If empty, all pages are accepted. */
  readonly selectPaths?: readonly string[]
  readonly excludePaths?: readonly string[]
  /** Regular expressions (RE2 syntax) for the host. */
  readonly selectDomains?: readonly string[]
  readonly excludeDomains?: readonly string[]
  /**
   * How pages are discovered: `include` adds the pages in the site's sitemaps to those found through links, `only`
   * follows no links. With `discoverOnly`, an `only` walk reports the start if a sitemap lists it. Default: only
   * through links.
   */
  readonly sitemap?: "include" | "only"
  /** Whether to also return, after all others, the pages that are linked but outside the start's registrable domain. */
  readonly allowExternal: boolean
  /**
   * Whether to report the pages at `maxDepth` without reading them, and read only the head and links of the others, as
   * a map does. Default false.
   */
  readonly discoverOnly?: boolean
  /** Rates from 0 to 1 how well each link matches the wanted content. If set, only the best links are followed, best first. */
  readonly judge?: (links: readonly { readonly url: PageUrl; readonly text: string }[]) => Promise<number[]>
  /** How pages are read. Default `http`. */
  readonly rendering?: Rendering
  /** Decides which addresses may be named or read; other addresses on pages are ignored. Default: all. */
  readonly admits?: (url: PageUrl) => boolean
  readonly signal?: AbortSignal
  /** Lets the walk be paused. Default: it can't be. */
  readonly pause?: WalkPause
}

/** The remaining work of a paused walk, in a form that JSON can store. */
export interface WalkFrontier {
  /** The start's address after redirects; null if it was not read. */
  readonly start: PageUrl | null
  /** The number of pages that the walk may still return. */
  readonly left: number
  /** Addresses that were visited, and their targets after redirects. */
  readonly done: readonly PageUrl[]
  /** The remaining addresses of the current level, and the known ones of the next. */
  readonly waiting: readonly WalkStep[]
  readonly next: readonly WalkStep[]
  /** Addresses outside the start's domain, which come last. */
  readonly external: readonly WalkStep[]
}

/** An address that a walk has found. */
export interface WalkStep {
  readonly url: PageUrl
  readonly depth: number
  /** How well the link to the address matches, by {@link WalkOptions.judge}; 0 without a judge. */
  readonly score: number
}

/** Lets a walk be paused between pages and continued later. */
export interface WalkPause {
  /** The state in which an earlier walk with the same options was paused; null for a new walk. */
  readonly from: WalkFrontier | null
  /** Whether to pause: pages that are already being read are still returned, and no others are started. */
  isDue(): Promise<boolean>
  /** Receives the remaining work; the walk ends after that. */
  keep(left: WalkFrontier): void
}

/** One page of a walk. */
export interface WalkedPage {
  readonly url: PageUrl
  readonly depth: number
  /** Null for an address that was only discovered: on the last level of a map, outside the domain, or in a sitemap that a map read. */
  readonly result: ReadResult | null
}
