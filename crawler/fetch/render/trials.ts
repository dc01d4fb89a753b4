import type { PageUrl } from "#engine"
import { Lru } from "#base/flow/memory/lru.ts"
import { steadyNow } from "#base/steady-time.ts"

/** Why a page that already has text is opened in a browser too. */
export type Reason =
  /** Another address has the same text: one document may be sent for all of them, and scripts turn it into different pages. */
  | "same-text"
  /** Panels are empty until they are opened. */
  | "panels"
  /** Elements that should contain links are empty. */
  | "branches"

/** The term that a visit's detail uses for an empty navigation or a closed branch of a tree. */
export const LINKS_LEFT = "menu or tree"

/** Maximum number of pages in a row on which a browser, used for one reason, found nothing more. After that, no more pages of the site are opened for that reason. */
const MOST_IN_VAIN = 3
/** How long to wait before trying again: sites change, and the reader of live calls runs for weeks. */
const VAIN_FOR_MS = 60 * 60_000
/** Maximum number of texts remembered across all sites, at about 200 bytes each. */
const MAX_TEXTS = 10_000
const MAX_SITES = 1000
/** Maximum number of addresses remembered for one text. */
const MAX_ADDRESSES = 100

interface Vain {
  /** Number of pages in a row on which a browser found nothing more. */
  readonly pages: number
  readonly lastAt: number
}

interface SharedText {
  /** Addresses that were read without a browser and have this text. */
  readonly urls: Set<PageUrl>
  /** Whether rendering in a browser proved that scripts turn the document into another page. */
  isShell: boolean
}

/** Remembers for each site whether it was worth opening pages that already had text in a browser. */
export class Trials {
  readonly #texts = new Lru<string, SharedText>(MAX_TEXTS)
  /** The page on which each branch was opened. */
  readonly #open = new Lru<string, PageUrl>(MAX_TEXTS)
  readonly #vain = new Lru<string, Vain>(MAX_SITES)

  /** Records a page that was read without a browser. @returns what is known about its text */
  met(url: PageUrl, textHash: string): SharedText {
    const key = keyOf(url, textHash)
    const known = this.#texts.get(key) ?? { urls: new Set(), isShell: false }
    this.#texts.set(key, known)
    if (known.urls.size < MAX_ADDRESSES) known.urls.add(url)
    return known
  }

  /** Whether a browser should open another page of this site for this reason. */
  areWorth(url: PageUrl, reason: Reason): boolean {
    const vain = this.#vain.get(keyOf(url, reason))
    return vain === undefined || vain.pages < MOST_IN_VAIN || steadyNow() - vain.lastAt >= VAIN_FOR_MS
  }

  /** Records that a page is about to open a branch of its site's tree. @returns whether another page has opened it */
  isOpen(url: PageUrl, mark: string): boolean {
    const key = keyOf(url, mark)
    const before = this.#open.get(key)
    this.#open.set(key, url)
    return before !== undefined && before !== url
  }

  /** Records whether a browser found more. */
  end(url: PageUrl, reason: Reason, hasMore: boolean): void {
    const key = keyOf(url, reason)
    const pages = hasMore ? 0 : (this.#vain.get(key)?.pages ?? 0) + 1
    this.#vain.set(key, { pages, lastAt: steadyNow() })
  }
}

/** A key for something on the site of `url`. */
const keyOf = (url: PageUrl, what: string): string => `${new URL(url).origin} ${what}`
