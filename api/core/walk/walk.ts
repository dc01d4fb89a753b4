import { Refusal } from "#base/errors.ts"
import { unlessAborted } from "#base/flow/unless-aborted.ts"
import type { ReadResult, WalkedPage, WalkOptions } from "#crawler"
import { toPageUrl } from "#engine"

import type { Reach } from "../../identity/accounts/reach/reach.ts"
import type { CallMemory } from "../read/live-memory.ts"
import { liveUrl } from "../read/live-url.ts"
import type { Relevance } from "../relevance/relevance.ts"
import { judgeLinks } from "./relevant-pages.ts"

/** A site to walk, and how far to go from the address that a caller gave. */
export type Site = Omit<WalkOptions, keyof Walking | "admits" | "pause">

/** The parts and options of a walk. */
export interface Walking extends Pick<WalkOptions, "rendering" | "sitemap"> {
  /** No page outside this reach is read or listed. */
  readonly reach: Pick<Reach, "addresses" | "keepsOut" | "reader">
  readonly memory: CallMemory
  /** Judges which links are followed; null if all are. */
  readonly relevance: Relevance | null
  /** Whether the last level and external addresses are listed without being read. */
  readonly discoverOnly: boolean
  readonly signal: AbortSignal
}

/**
 * Walks a site until `signal` aborts; returns the pages found by then.
 *
 * @param onPage called with each page as it arrives
 * @throws Refusal for an address that is invalid or may not be read
 * @throws PatternError for an invalid pattern
 */
export async function walk(
  site: Site,
  { reach, memory, relevance, ...options }: Walking,
  onPage: (page: WalkedPage) => void,
): Promise<void> {
  // The crawler's code is loaded when it is first needed, like the reader.
  const { walkSite } = await import("#crawler")
  const url = startUrl(site.url)
  const admits = await reach.addresses()
  const start = toPageUrl(url)
  if (start !== null && !admits(start))
    throw new Refusal("forbidden", "URL is not supported. This key may not read it.")
  const pages = walkSite(memory.metered(reach.reader), {
    ...site,
    ...options,
    ...(relevance && { judge: judgeLinks(relevance) }),
    url,
    admits,
  })
  try {
    for (let first = true; ; first = false) {
      const step = await unlessAborted(pages.next(), options.signal)
      if (step === null || step.done) return
      if (first && isBlocked(step.value.result)) throw unsupported()
      onPage(step.value)
    }
  } finally {
    // Not awaited: a generator that is waiting for a page returns only when that page arrives.
    void pages.return(undefined).catch(() => {})
  }
}

const unsupported = () => new Refusal("forbidden", "URL is not supported")

function startUrl(text: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text.trim())?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") throw unsupported()
  const url = liveUrl(text)
  if (url === null) throw new Refusal("wrong", "Invalid url. Must be an http or https address.")
  return url
}

const isBlocked = (result: ReadResult | null): boolean =>
  result?.kind === "failed" && result.because === "blocked-address"
