import type { WalkOptions } from "#crawler"
import type { Rendering } from "#crawler/source.ts"
import type { PageUrl } from "#engine"

import type { FieldReader } from "../../server/wire/fields.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import { type Formats, readFormats, type Version } from "./documents/formats.ts"

/** How pages are read, and the formats to return. */
export interface ScrapeRequest {
  readonly formats: Formats
  readonly rendering: Rendering
  /** Minimum number of milliseconds that a browser waits on the page; 0 if no browser is requested. */
  readonly waitMs: number
  readonly timeoutMs: number
  /** Maximum age in milliseconds of a stored page that may be returned without rereading it; 0 to always read. */
  readonly maxAgeMs: number
  /** Options that clients always send but that cannot be honoured; listed in the document's `warning`. */
  readonly warnings: readonly string[]
}

export const MAX_URL_CHARS = 4000
const MAX_TIMEOUT_MS = 300_000
/** Firecrawl's own default timeouts: 60 seconds, or 30 in version 1. */
const TIMEOUT_MS: Readonly<Record<Version, number>> = { 1: 30_000, 2: 60_000 }
const MAX_WAIT_MS = 60_000

const MAIN_CONTENT = "onlyMainContent=false has no effect: only the main content of a page is read."

/** Fields that don't affect the result. */
const LABELS = ["origin", "integration", "auditMetadata"]

/**
 * Reads the options of a scrape, which are among other fields of the body.
 * @throws ApiError 400 naming the first field that is wrong or cannot be honoured
 */
export function readScrapeOptions(body: FieldReader, version: Version): ScrapeRequest {
  const formats = readFormats(body, version)
  const timeoutMs = body.number("timeout", 1000, MAX_TIMEOUT_MS) ?? TIMEOUT_MS[version]
  const waitMs = body.number("waitFor", 0, MAX_WAIT_MS) ?? 0
  const maxAgeMs = body.number("maxAge", 0, Number.MAX_SAFE_INTEGER) ?? 0
  const isFast = body.boolean("fastMode") ?? false
  const isWhole = body.boolean("onlyMainContent") === false
  refuseUnknowable(body, version)
  if (isFast && (formats.screenshot !== null || waitMs > 0)) {
    throw body.refusal("fastMode", "A screenshot and waitFor need a browser, which fastMode doesn't use.")
  }
  const inBrowser = formats.screenshot !== null || waitMs > 0
  return {
    formats,
    rendering: isFast ? "http" : inBrowser ? "browser" : "auto",
    waitMs,
    timeoutMs,
    maxAgeMs,
    warnings: isWhole ? [MAIN_CONTENT] : [],
  }
}

/** Checks options that cannot be honoured: they are accepted with their neutral value, and refused with any other. */
function refuseUnknowable(body: FieldReader, version: Version): void {
  body.passedOver(...LABELS)
  // The Python client sends these with every call. No data from a scrape is kept here, and certificates are always
  // checked.
  body.passedOver("storeInCache", "skipTlsVerification")
  body.only([true], ["removeBase64Images"], "Images are returned as addresses.")
  body.only([true], ["blockAds"], "Only the main content is read, which has no ads.")
  body.only([false], ["mobile"], "Mobile devices aren't emulated.")
  body.only(["basic", "auto"], ["proxy"], "Proxies can't be chosen here.")
  body.only(
    [{}],
    ["headers", "location"],
    "Headers and logins are set per source, and pages are read from where the appliance runs.",
  )
  body.only([[]], ["includeTags", "excludeTags"], "The main content of a page is detected automatically.")
  body.only([[]], ["actions"], "Filling in forms and clicking aren't supported.")
  body.only([false], ["redactPII", "lockdown", "domainTools", "zeroDataRetention"], "Not supported here.")
  body.only([], ["minAge", "profile", "useMock", "threatProtection", "toolDetail"], "Not supported here.")
  body.only([true], ["parsePDF"], "PDF files are always read.")
  if (version === 1) {
    body.only([], ["agent"], "Not supported here.")
  } else {
    body.only(
      [["pdf"], [{ type: "pdf" }], [{ type: "pdf", mode: "auto" }], [{ type: "pdf", mode: "fast" }]],
      ["parsers"],
      "PDF files are read without text recognition.",
    )
  }
}

/** @throws ApiError 400 when the field doesn't contain an address */
export function readUrl(body: FieldReader): { readonly given: string; readonly url: PageUrl } {
  const given = body.requiredString("url", MAX_URL_CHARS)
  const url = liveUrl(given)
  if (url === null) throw body.refusal("url", "Must be an http or https address.")
  return { given, url }
}

const SITEMAP_MODES = ["skip", "include", "only"] as const

/** Whether addresses come from a site's sitemaps: in addition to its links, or instead of them. */
export type SitemapMode = (typeof SITEMAP_MODES)[number]

/** Reads the fields that the two versions name differently. @throws ApiError 400 */
export function readSitemap(body: FieldReader, version: Version, otherwise: SitemapMode): SitemapMode {
  if (version === 2) return body.oneOf("sitemap", SITEMAP_MODES) ?? otherwise
  const ignores = body.boolean("ignoreSitemap")
  if (body.boolean("sitemapOnly") === true) return "only"
  return ignores === undefined ? otherwise : ignores ? "skip" : "include"
}

/** The sitemap option for a walk. */
export const walkedSitemap = (mode: SitemapMode): Pick<WalkOptions, "sitemap"> =>
  mode === "skip" ? {} : { sitemap: mode }

/** A pattern that matches only the host of an address. */
export const hostPattern = (url: PageUrl): string =>
  `^${new URL(url).hostname.replaceAll(/[^a-z0-9]/gi, String.raw`\$&`)}$`
