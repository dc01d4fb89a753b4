import { routeOf } from "#engine/index/page/page-url.ts"
import { type Extracted, NO_CONTENT } from "./extracted.ts"
import { LinkResolver } from "./html/link-resolver.ts"
import { addMeta, canonicalAddress, isRefresh, routedBase, withOwnRoutes } from "./facts/metadata.ts"
import { readDescription, readRobots } from "./facts/page-head.ts"
import { readTitle } from "./facts/title.ts"
import { decodeReferences, StartTagScanner, type TagListener } from "./html/start-tags.ts"
import { collapse, Element } from "./html/tree.ts"

/**
 * `extractLinks` in steps of a millisecond or two, for callers that cannot wait for a large document. It imports
 * nothing from the full extraction, which only the threads that read pages load.
 */
export class LinkReading {
  readonly #url: string
  readonly #head = new LinkListener()
  readonly #scanner: StartTagScanner
  readonly #follows = new Map<string, boolean>()
  #scanned = 0
  #resolver: LinkResolver | null = null
  #hasRoutes = false
  #resolved = 0

  constructor(html: string, url: string) {
    this.#url = url
    this.#scanner = new StartTagScanner(html, this.#head)
  }

  /** @returns whether there is more to do */
  step(): boolean {
    if (this.#resolver === null) {
      this.#scanned += STEP_CHARS
      // The base can be anywhere, so links are resolved only after the whole document has been scanned.
      if (!this.#scanner.run(this.#scanned)) {
        const hrefs = this.#head.anchors.map(({ href }) => href)
        const base = withOwnRoutes(this.#baseUrl(), hrefs)
        this.#hasRoutes = routeOf(base) !== ""
        this.#resolver = new LinkResolver(base)
      }
      return true
    }
    const { anchors } = this.#head
    for (const anchor of anchors.slice(this.#resolved, this.#resolved + STEP_LINKS)) {
      if (anchor.href.startsWith("#") && !this.#hasRoutes) continue
      const url = this.#resolver.resolve(anchor.href)
      // A link is followed when any anchor allows it.
      if (url !== null && this.#follows.get(url) !== true) this.#follows.set(url, !anchor.nofollow)
    }
    this.#resolved += STEP_LINKS
    return this.#resolved < anchors.length
  }

  /** Whether the document might redirect. Only the full extraction determines the target. */
  get mayRefresh(): boolean {
    return this.#head.mayRefresh
  }

  /** The result. Must be called only when there are no more steps. */
  end(): Extracted {
    const { meta, title, canonical } = this.#head
    const baseUrl = this.#baseUrl()
    const titleTag = collapse(decodeReferences(title.slice(0, MAX_TITLE_CHARS * 10))).slice(
      0,
      MAX_TITLE_CHARS,
    )
    const facts = { meta, titleTag, baseUrl, headings: [], jsonLd: [] }
    return {
      ...NO_CONTENT,
      type: "html",
      title: readTitle(facts, this.#url).title,
      description: readDescription(facts),
      canonical: canonicalAddress(canonical, baseUrl),
      robots: readRobots(facts),
      links: [...this.#follows].map(([url, follow]) => ({ url, text: "", nofollow: !follow })),
    }
  }

  #baseUrl(): string {
    const { base } = this.#head
    return routedBase(base, this.#url)
  }
}

const STEP_CHARS = 64 * 1024
const STEP_LINKS = 500

const MAX_TITLE_CHARS = 2000
const MAX_LINKS = 20_000

interface Anchor {
  readonly href: string
  readonly nofollow: boolean
}

class LinkListener implements TagListener {
  readonly elements = new Set(["a", "area", "base", "link", "meta"])
  readonly attributes = new Set(["content", "href", "http-equiv", "itemprop", "name", "property", "rel"])
  readonly meta = new Map<string, string>()
  readonly anchors: Anchor[] = []
  title = ""
  mayRefresh = false
  base: string | null = null
  canonical: string | null = null

  onTitle(text: string): void {
    if (this.title === "") this.title = text
  }

  onStartTag(tag: string, attributes: readonly string[]): void {
    if (tag === "meta") {
      const element = new Element(tag, null)
      element.attributes = attributes
      addMeta(this.meta, element)
      this.mayRefresh ||= isRefresh(element)
      return
    }
    const href = valueOf(attributes, "href")
    if (href === null) return
    if (tag === "base") this.base ??= href
    else if (tag === "link") {
      const rel = valueOf(attributes, "rel")?.toLowerCase() ?? ""
      if (href !== "" && ` ${rel} `.includes(" canonical ")) this.canonical ??= href
    } else if (this.anchors.length < MAX_LINKS) {
      // The link leads to another place in the same document, unless it is a route.
      if (href.trimStart().startsWith("#") && routeOf(href) === "") return
      const rel = valueOf(attributes, "rel")
      this.anchors.push({ href: href.trim(), nofollow: rel !== null && NOFOLLOW.test(rel) })
    }
  }
}

const NOFOLLOW = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i

function valueOf(attributes: readonly string[], name: string): string | null {
  for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1] ?? null
  return null
}
