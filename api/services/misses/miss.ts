import { type Missing, MISS_CAUSES, type MissCause } from "#crawler/reporting/why/cause.ts"
import type { PageUrl } from "#engine"

/**
 * Why nothing was found: the reason why an address is not in the index, or
 * - `filter`: a filter in the request excluded the matches.
 * - `reach`: what was asked for does not exist, or the key has no access to it.
 * - `no-match`: no page matches.
 */
export type Cause = MissCause | "filter" | "reach" | "no-match"

export const CAUSES: readonly Cause[] = [...MISS_CAUSES, "filter", "reach", "no-match"]

/** Why nothing was found, in wire format. */
export interface Miss {
  readonly cause: Cause
  /** The explanation for people and models, including what they can do. */
  readonly text: string
  /** The address that the cause is about. */
  readonly url?: string
  readonly title?: string
  /** When the page was removed or last visited. */
  readonly at?: string
  /** The reason why a page was removed. */
  readonly reason?: string
  /** The address under which the index has the page. */
  readonly held_as?: string
  /** Parameters that excluded the matches. */
  readonly filters?: readonly string[]
  /** The explanation from `fossick why`; for admin keys. */
  readonly detail?: string
}

const REMOVED_FOR: Readonly<Record<string, string>> = {
  "not-found": "the site answered 404",
  gone: "the site answered 410",
  noindex: "it asks not to be indexed",
  robots: "robots.txt disallows it",
  "out-of-scope": "it no longer belongs to its source",
  moved: "it leads to another page in the index",
  "leads-elsewhere": "its address now leads elsewhere",
}

/** The text for each cause, for an address or for a question. */
const WORDS: Readonly<Record<Exclude<MissCause, "removed" | "other-address">, string>> = {
  "not-crawled": "it belongs to a source, but no crawl has read it yet",
  "out-of-scope": "it doesn't belong to any source",
  robots: "the site's robots.txt disallows it",
  noindex: "the page asks not to be indexed",
  "not-found": "the site says there is no such page",
  "login-failed": "the crawler could not log in to read it",
  logout: "it is a logout link, which the crawler does not follow while it is logged in",
  trap: "it is one of a series of addresses that led to nothing new",
  unreadable: "it was fetched, but no text could be read from it",
  unreachable: "the site did not answer, or answered with an error",
  lost: "the index lost it; the next crawl restores it",
}

export const REACH_TEXT =
  "Nothing that this key may see matches. The key is limited to some sources or domains; this answer doesn't say whether anything else matches."

/** Why an address is not a page in the index: for people, without a full stop. */
export function causeText({ cause, at, reason, heldAs }: Missing): string {
  if (cause === "removed") {
    const when = at === null ? "" : ` on ${at.toISOString().slice(0, 10)}`
    return `it was removed${when}: ${REMOVED_FOR[reason ?? ""] ?? "it no longer exists"}`
  }
  if (cause === "other-address") {
    return heldAs === null ? "the page is stored under another address" : `the page is stored as ${heldAs}`
  }
  return WORDS[cause]
}

/** The miss for an address. */
export function missOf(
  url: PageUrl,
  missing: Missing,
  { title, detail }: { readonly title?: string | null; readonly detail?: string | undefined } = {},
): Miss {
  const { cause, at, reason, heldAs } = missing
  const called = title === undefined || title === null || title === "" ? url : `${title} (${url})`
  return {
    cause,
    text: `${called} is not in the index: ${causeText(missing)}.`,
    url,
    ...(title && { title }),
    ...(at !== null && { at: at.toISOString() }),
    ...(cause === "removed" && reason !== null && { reason }),
    ...(heldAs !== null && { held_as: heldAs }),
    ...(detail !== undefined && { detail }),
  }
}
