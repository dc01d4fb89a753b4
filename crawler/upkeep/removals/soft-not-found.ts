import { randomBytes } from "node:crypto"
import { type Engine, type Page, type PageUrl, routeOf } from "#engine"
import type { Visit } from "../../reading.ts"
import { errorWording } from "./error-wording.ts"
import { resemblance, type Shingles, shinglesOf } from "./resemblance.ts"

export interface SoftNotFoundOptions {
  readonly engine: Pick<Engine, "get">
  /** Visits an address that no page links to, as politely as any other. */
  readonly visit: (url: PageUrl) => Promise<Visit>
}

/** At this similarity or above, a page is an edited version of the one in the index. */
const EDITED = 0.4
/** At this similarity or above, two responses are the same except for a date, an advertisement or a name. */
const SAME = 0.8

interface FrontPage {
  readonly now: Shingles
  /** The front page as indexed when the run began. */
  readonly was: Shingles
}

/**
 * Detects pages that are gone although the site responds with 200: with the text it sends for any address, with its
 * front page, or with a "not found" message. One instance per run; it learns each fact about a host once.
 *
 * Unchanged pages are not checked. For a new page, only its headings are checked; a changed page is compared with the
 * index's copy. Only a page that has changed beyond recognition or calls itself an error costs a visit to an address
 * that cannot exist, once for each host.
 */
export class SoftNotFound {
  readonly #options: SoftNotFoundOptions
  readonly #fronts = new Map<string, Promise<FrontPage>>()
  readonly #absent = new Map<string, Promise<Shingles | null>>()

  constructor(options: SoftNotFoundOptions) {
    this.#options = options
  }

  /**
   * Explains why a page that was just read isn't a real page; `null` if it is one. `isHeld`: whether the index contains
   * another version of it. `isMarked`: as in {@link errorWording}.
   */
  async complaint(
    page: Pick<Page, "url" | "title" | "markdown">,
    { isHeld, isMarked }: { readonly isHeld: boolean; readonly isMarked: boolean },
  ): Promise<string | null> {
    const wording = errorWording(page.title, page.markdown, isMarked)
    if (!isHeld && !isFront(page.url)) {
      if (wording === "not-found") return SAYS_SO
      return wording === "maybe-not-found" && (await this.#isAnswerToAnything(page)) ? FOR_ANY : null
    }
    const now = shinglesOf(page.markdown)
    const held = isHeld ? await this.#options.engine.get(page.url) : null
    const was = held === null ? null : shinglesOf(held.markdown)
    if (isFront(page.url)) {
      // The site may send this text for any address, but it can still be the real text of the front page: a one-page
      // site has no other.
      this.#fronts.set(originOf(page.url), Promise.resolve({ now, was: was ?? now }))
      return wording === null || wording === "maybe-not-found" || isEdited(was, now) ? null : SAYS_SO
    }
    if (was === null || isEdited(was, now)) return null
    const front = await this.#front(page.url)
    // Another address for the front page, such as /index.html, changes whenever the front page does.
    if (resemblance(was, front.was) >= SAME) return null
    if (wording !== null) return SAYS_SO
    if (resemblance(now, front.now) >= SAME) return "it now has the text of the front page"
    return (await this.#isAnswerToAnything(page)) ? FOR_ANY : null
  }

  #front(url: PageUrl): Promise<FrontPage> {
    const origin = originOf(url)
    let front = this.#fronts.get(origin)
    if (!front) {
      front = this.#options.engine.get(`${origin}/` as PageUrl).then((page) => {
        const text = shinglesOf(page?.markdown ?? "")
        return { now: text, was: text }
      })
      this.#fronts.set(origin, front)
    }
    return front
  }

  async #isAnswerToAnything({ url, markdown }: Pick<Page, "url" | "markdown">): Promise<boolean> {
    const { key, address } = impossible(url)
    let absent = this.#absent.get(key)
    if (!absent) this.#absent.set(key, (absent = this.#readAbsent(address)))
    const text = await absent
    return text !== null && resemblance(shinglesOf(markdown, wordsOfAddress(url)), text) >= SAME
  }

  /**
   * The site's response for an address that doesn't exist; `null` if it answers with an error status, as it should, or
   * with no page.
   */
  async #readAbsent(absent: PageUrl): Promise<Shingles | null> {
    const visit = await this.#options.visit(absent)
    if (visit.kind !== "read") return null
    return shinglesOf(visit.reading.extracted.markdown, wordsOfAddress(absent))
  }
}

const SAYS_SO = "its text says so, though its status is 200"
const FOR_ANY = "the site sends the same text for pages that don't exist"

/** Parameters by which programs identify the requested page: `doku.php?id=…`, `index.php?title=…`. */
const PAGE_PARAMETERS = ["id", "title", "page", "pagename", "topic", "wakka", "name"]

/** An address that cannot exist, in the same place as the page, and the key of the group of pages that the address represents. */
function impossible(url: PageUrl): { readonly key: string; readonly address: PageUrl } {
  const name = `no-such-page-${randomBytes(8).toString("hex")}`
  const asked = new URL(url)
  const parameter = PAGE_PARAMETERS.find((one) => /\p{L}/u.test(asked.searchParams.get(one) ?? ""))
  if (parameter !== undefined) {
    asked.search = `?${parameter}=${name}`
    return { key: `${asked.origin}${asked.pathname}?${parameter}`, address: asked.href as PageUrl }
  }
  // The address is in the page's own folder, because that folder and the rest of the site can be served by different
  // programs.
  const address = new URL(name, url)
  address.search = ""
  return { key: asked.origin, address: address.href as PageUrl }
}

function isFront(url: PageUrl): boolean {
  const { pathname, search } = new URL(url)
  return pathname === "/" && search === "" && /^(?:#!?\/)?$/.test(routeOf(url))
}

function isEdited(was: Shingles | null, now: Shingles): boolean {
  return was !== null && resemblance(was, now) >= EDITED
}

function originOf(url: PageUrl): string {
  return new URL(url).origin
}

/** Error pages often repeat the requested address. */
function wordsOfAddress(url: PageUrl): ReadonlySet<string> {
  let text: string = url
  try {
    text = decodeURI(url)
  } catch {
    // The percent-encoding isn't valid UTF-8, so no page can repeat the address in decoded form.
  }
  return new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))
}
