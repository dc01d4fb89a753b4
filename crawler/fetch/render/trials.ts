import type { PageUrl } from "#engine"
import { Lru } from "#base/flow/lru.ts"

/** Why a page that came with text is opened in a browser all the same. */
export type Reason =
  /** Another address has the same text: one document may be sent for all, and scripts make a page of each. */
  | "same-text"
  /** Panels are empty until they are opened. */
  | "panels"
  /** Places for links are empty. */
  | "branches"

/** A navigation or a closed branch of a tree, in the words in which the outcome of a page's visit names it. */
export const LINKS_LEFT = "menu or tree"

/** Pages of a site that a browser may open for one reason without finding anything more, until it is asked no more. */
const MOST_IN_VAIN = 3
/** Texts remembered, of all sites: some 200 bytes each. */
const MAX_TEXTS = 10_000
const MAX_SITES = 1000
/** Addresses remembered of one text. */
const MAX_ADDRESSES = 100

interface SharedText {
  /** Read as they were sent. */
  readonly urls: Set<PageUrl>
  /** Whether scripts were seen to make another page of it. */
  isShell: boolean
}

/** What was learned of sites from pages that a browser opened, though they came with text. */
export class Trials {
  readonly #texts = new Lru<string, SharedText>(MAX_TEXTS)
  /** The page on which each branch was opened. */
  readonly #open = new Lru<string, PageUrl>(MAX_TEXTS)
  readonly #vain = new Lru<string, number>(MAX_SITES)

  /** Notes a page as it was sent. @returns what is known of its text */
  met(url: PageUrl, textHash: string): SharedText {
    const key = `${new URL(url).origin} ${textHash}`
    const known = this.#texts.get(key) ?? { urls: new Set(), isShell: false }
    this.#texts.set(key, known)
    if (known.urls.size < MAX_ADDRESSES) known.urls.add(url)
    return known
  }

  /** Whether it may be worth a browser to look once more. */
  areWorth(url: PageUrl, reason: Reason): boolean {
    return (this.#vain.get(keyOf(url, reason)) ?? 0) < MOST_IN_VAIN
  }

  /** Notes a branch of a site's tree that a page is about to open. @returns whether an earlier page did */
  isOpen(url: PageUrl, mark: string): boolean {
    const key = `${new URL(url).origin} ${mark}`
    const before = this.#open.get(key)
    this.#open.set(key, url)
    return before !== undefined && before !== url
  }

  /** Notes whether a browser found more. */
  end(url: PageUrl, reason: Reason, hasMore: boolean): void {
    const key = keyOf(url, reason)
    this.#vain.set(key, hasMore ? 0 : (this.#vain.get(key) ?? 0) + 1)
  }
}

const keyOf = (url: PageUrl, reason: Reason): string => `${new URL(url).origin} ${reason}`
