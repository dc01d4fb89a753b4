import type { PageUrl } from "#engine"
import type { MarkdownCopy } from "./crawl/copies/markdown-copy.ts"
import type { Extracted } from "./page/extract/extracted.ts"
import type { Fetched, FetchFailure, FetchOptions, Validators } from "./fetch/fetch.ts"
import type { CrawlOutcome } from "./outcome.ts"
import type { Rendering } from "./source.ts"

/** One address, fetched and read. */
export interface Reading {
  /** Where the content was found: the address after redirects, canonical spelling. */
  readonly url: PageUrl
  readonly status: number
  readonly contentType: string
  /** Bytes of the decoded body. */
  readonly bytes: number
  readonly extracted: Extracted
  /**
   * From the server's answer; left out when the answer alone does not make the page, as with a page that a browser
   * made.
   */
  readonly validators?: Validators
  /** Digest of the headers that name readers. Omitted if the answer has none. */
  readonly readersSent?: string
  /** The crawl's record of its markdown copy. Left out when it has none. */
  readonly copy?: MarkdownCopy | undefined
  /** Whether a browser made the page. */
  readonly rendered?: boolean
  /** Whether a browser made it from a document that the site sends for other addresses too. */
  readonly isShell?: boolean
  /** Other addresses of that document that were read without a browser, and must be read again. */
  readonly readAnew?: readonly PageUrl[]
  /** Says what may be missing because no browser opened the page. */
  readonly doubt?: string
  /** For a reading without main content: the known reason, in words. */
  readonly emptyBecause?: string
  /** With `withHtml`, of an HTML page: the document as the site sent it, or as a browser ended with it. */
  readonly html?: string
  /** With `screenshot`: the page as a browser shows it. */
  readonly screenshot?: Screenshot
}

/** A picture of a page. */
export interface Screenshot {
  readonly type: "image/png" | "image/jpeg"
  readonly bytes: Uint8Array
}

/** How a picture of a page is taken. */
export interface ScreenshotOptions {
  /** The whole height of the page, up to the limit of a picture, and not the first screen alone. */
  readonly fullPage: boolean
  /** For a JPEG, 0 to 100; a PNG has none. */
  readonly quality?: number | undefined
  /** Pixels. Default: the browser's. */
  readonly viewport?: { readonly width: number; readonly height: number } | undefined
}

/** A reading, or the reason why the page was not read. */
export type ReadResult =
  | { readonly kind: "read"; readonly reading: Reading }
  | Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>

/**
 * Reads addresses for live calls and for crawls: address guard, fetch, decode, extract.
 *
 * - `read()` never rejects for what a site does; that is a value. It rejects only on a bug.
 * - The address guard checks every hop against the allowed networks before a connection is made.
 * - Extraction runs in worker threads with a time limit; the event loop stays free.
 */
export interface Reader extends AsyncDisposable {
  read(url: string, options?: ReadOptions): Promise<ReadResult>
  /**
   * The pages that the sitemaps of a site list, each once; empty where there are none. It obeys robots.txt, and never rejects for what a
   * site does.
   * @param site any address of it
   */
  sitemap(site: PageUrl, options: SitemapOptions): Promise<readonly PageUrl[]>
}

export interface SitemapOptions {
  /** Pages at most. */
  readonly limit: number
  /** Which of the listed pages count. Default: all. */
  readonly wants?: (page: PageUrl) => boolean
  /** Which files of other origins than the site's may be read. Default: all. */
  readonly admits?: (file: PageUrl) => boolean
  readonly signal?: AbortSignal
}

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** Whole visit, redirects and extraction included. Default from the settings. */
  readonly timeoutMs?: number
  /** Obey robots.txt. Default false: an address asked for by name is read as a browser would. */
  readonly robots?: boolean
  /**
   * Read no more of an HTML page than its head and its links, which costs a small part: the main content and all
   * that is found in it are empty. Default false.
   */
  readonly linksOnly?: boolean
  /** Default `http`. */
  readonly rendering?: Rendering
  /** Keep the document itself beside its reading. Default false. */
  readonly withHtml?: boolean
  /** Take a picture of the page; with the rendering `browser` alone. */
  readonly screenshot?: ScreenshotOptions
  /** Milliseconds that a browser leaves a page at least before it is read. Default 0. */
  readonly settleMs?: number
  /**
   * Which addresses may be read: the one given, and each that a redirect or a script leads to. Others end the visit as
   * `out-of-scope`. Default: all.
   */
  readonly admits?: (url: PageUrl) => boolean
}

/** {@link ReadResult}, with what only crawls need to know. */
export type Visit =
  | { readonly kind: "read"; readonly reading: Reading }
  | Unmodified
  | Extract<CrawlOutcome, { kind: "skipped" | "postponed" }>
  | FetchFailure

/** The validators that were sent still hold, or the page's markdown copy is the same as before. */
export interface Unmodified {
  readonly kind: "unmodified"
  readonly url: PageUrl
  /** As sent with this answer. */
  readonly validators: Validators
  readonly noindex: boolean
  /** As of {@link Reading}. */
  readonly readersSent?: string
  /** Set when the visit asked for the copy and not for the page. */
  readonly copy?: MarkdownCopy
}

export interface VisitOptions
  extends ReadOptions, Pick<FetchOptions, "after" | "memory" | "onRedirect" | "validators"> {
  /** Whether this is the last try, so that a whole document counts even if its answer was cut off. Default true. */
  readonly isLastTry?: boolean
  /** Whether a browser made the page at the last visit, from a document that its site sends for other addresses too. */
  readonly isShell?: boolean
  /** The source for whose page text is to be recognised, where a document shows pictures of it. Default: none is recognised. */
  readonly scansOf?: string
  /** Called just before a fetched answer is read. */
  readonly onReading?: () => Promise<void>
  /** Called with the site's answer before anything is read from it: the bytes are gone when the call is over. */
  readonly onFetched?: (fetched: Fetched) => void
}

export interface WalkOptions {
  readonly url: string
  /** Link steps from the start, at least 0. */
  readonly maxDepth: number
  /** Links followed from one page. */
  readonly maxBreadth: number
  /** Pages visited in all. */
  readonly limit: number
  /** Regular expressions (RE2 syntax) on the path; a page passes when any matches. Empty: all pass. */
  readonly selectPaths?: readonly string[]
  readonly excludePaths?: readonly string[]
  /** Regular expressions (RE2 syntax) on the host. */
  readonly selectDomains?: readonly string[]
  readonly excludeDomains?: readonly string[]
  /**
   * Where pages come from: `include` adds the pages of the site's sitemaps to the links, `only` follows no links.
   * With `discoverOnly`, an `only` walk reports the start if a sitemap lists it. Default: links alone.
   */
  readonly sitemap?: "include" | "only"
  /** Also give the pages that links out of the start's registrable domain lead to, after all others. */
  readonly allowExternal: boolean
  /**
   * Report the pages at `maxDepth` without reading them, and read no more than head and links of the others, as a
   * map does. Default false.
   */
  readonly discoverOnly?: boolean
  /** How well links fit what is looked for, each 0 to 1. With it the best are followed first, and only they. */
  readonly judge?: (links: readonly { readonly url: PageUrl; readonly text: string }[]) => Promise<number[]>
  /** How pages are read. Default `http`. */
  readonly rendering?: Rendering
  /** Which addresses may be named or read; what pages say of others is passed over. Default: all. */
  readonly admits?: (url: PageUrl) => boolean
  readonly signal?: AbortSignal
  /** Default: it goes through to its end. */
  readonly pause?: WalkPause
}

/** The remaining work of a paused walk, in a form that JSON can store. */
export interface WalkFrontier {
  /** Where the start led to; null: it was not read. */
  readonly start: PageUrl | null
  /** Pages that it may still give. */
  readonly left: number
  /** Addresses that were visited, and those they led to. */
  readonly done: readonly PageUrl[]
  /** The rest of the current level, and the known part of the next. */
  readonly waiting: readonly WalkStep[]
  readonly next: readonly WalkStep[]
  /** Addresses outside, which come last. */
  readonly external: readonly WalkStep[]
}

/** An address that a walk has found. */
export interface WalkStep {
  readonly url: PageUrl
  readonly depth: number
  /** How well its link fits, by {@link WalkOptions.judge}; 0 without one. */
  readonly score: number
}

/** Lets a walk be paused between two pages and gone on with later. */
export interface WalkPause {
  /** Where an earlier walk of the same options was paused. */
  readonly from: WalkFrontier | null
  /** Whether to pause: pages that are being read already are given first, no other is begun. */
  isDue(): Promise<boolean>
  /** Receives the remaining work, and the walk ends. */
  keep(left: WalkFrontier): void
}

/** One page of a walk. */
export interface WalkedPage {
  readonly url: PageUrl
  readonly depth: number
  /** Null for an address that was only discovered (the last level of a map, external links, what a map has from a sitemap). */
  readonly result: ReadResult | null
}
