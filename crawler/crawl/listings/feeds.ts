import { writtenDate } from "#base/text/written-date.ts"
import { type PageUrl, toPageUrl } from "#engine"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { type ListParser, type Take, xmlListParser } from "./list-parser.ts"

/** An entry while it is being read. Addresses are resolved against the base of their element. */
interface Entry {
  /** The entry's namespace. Elements that describe the entry have the same namespace, none, or Atom's. */
  readonly namespace: string
  /** The number of {@link OpenElement}s from the root down to the entry. */
  readonly depth: number
  readonly links: Partial<Record<LinkKind, PageUrl>>
  published: string
  updated: string
  isNews: boolean
}

/** The kinds of links that an entry's address may come from; the first kind present is used. */
type LinkKind = "original" | "page" | "alternate" | "name"

/** Date elements of RSS, Dublin Core (RSS 1.0) and Atom 1.0 and 0.3, in lower case. */
const DATES: ReadonlyMap<string, "published" | "updated"> = new Map([
  ["pubdate", "published"],
  ["dc:date", "published"],
  ["published", "published"],
  ["issued", "published"],
  ["updated", "updated"],
  ["modified", "updated"],
  ["dcterms:modified", "updated"],
])

/** Namespaces that are read, with the prefixes used for them here. */
const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ["http://www.w3.org/2005/Atom", "atom"],
  ["http://purl.org/atom/ns#", "atom"],
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ["http://rssnamespace.org/feedburner/ext/1.0", "feedburner"],
])
/** Maximum number of namespace prefixes: more than any feed declares. Each element that declares a namespace copies them all. */
const MAX_PREFIXES = 100

/** Elements that contain only text: when one is left open, the elements after it are treated as being outside it. */
const TEXTS = new Set([
  "title",
  "link",
  "guid",
  "id",
  "pubdate",
  "published",
  "updated",
  "issued",
  "modified",
])
const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i
const ALTERNATE = /(?:^|\s)(?:https?:\/\/www\.iana\.org\/assignments\/relation\/)?alternate(?:\s|$)/i

interface OpenElement {
  /** The element's name without its prefix, in lower case. */
  readonly local: string
  readonly namespace: string
  readonly base: string
  /** Namespaces by prefix. */
  readonly prefixes: ReadonlyMap<string, string>
}

/**
 * Parses a feed: RSS 0.9 to 2.0, RDF, Atom (RFC 4287) or the channel definition format. Only elements directly in an
 * entry describe it: a picture, an author or the feed it was taken from has links and names too. Entries count as news
 * if the feed or the entry has a category of that name; being in a feed does not make an entry news, since blogs have
 * feeds too.
 */
export function feedParser(base: PageUrl, take: Take): ListParser {
  const parser = new FeedParser(base, take)
  return xmlListParser(
    {
      onopentag: (name, attributes) => {
        parser.open(name, attributes)
      },
      ontext: (piece) => {
        parser.text(piece)
      },
      onclosetag: () => {
        parser.close()
      },
    },
    () => {
      parser.report()
    },
  )
}

class FeedParser {
  readonly #take: Take
  readonly #open: OpenElement[]
  #entry: Entry | null = null
  #isNewsFeed = false
  /** The local name of the element whose text is being read; empty if there is none. */
  #reading = ""
  #readingDepth = 0
  #text = ""
  #attributes: Readonly<Record<string, string>> = {}

  constructor(base: PageUrl, take: Take) {
    this.#take = take
    this.#open = [{ local: "", namespace: "", base, prefixes: new Map() }]
  }

  open(name: string, given: Readonly<Record<string, string>>): void {
    const element = openElement(name, given, this.#open.at(-1)!)
    this.#open.push(element)
    if (this.#isEntry(element)) {
      this.#beginEntry(element.namespace, inSmallLetters(given))
      return
    }
    const own = this.#ownName(element)
    if (own === null) return
    const attributes = inSmallLetters(given)
    this.#reading = own
    this.#readingDepth = this.#open.length
    this.#text = ""
    this.#attributes = attributes
    if (own === "category") this.#category(attributes["term"] ?? "")
    if (own === "link" && attributes["href"] !== undefined) this.#linkTo(attributes["href"])
  }

  text(piece: string): void {
    if (this.#reading !== "" && this.#text.length <= MAX_URL_CHARS) this.#text += piece
  }

  close(): void {
    if (this.#reading !== "" && this.#open.length === this.#readingDepth) {
      this.#read(this.#reading, this.#text.trim())
      this.#reading = ""
    }
    if (this.#entry?.depth === this.#open.length) this.report()
    if (this.#open.length > 1) this.#open.pop()
  }

  /** Reports the entry that was read, if it has an address. */
  report(): void {
    const entry = this.#entry
    this.#entry = null
    this.#reading = ""
    if (entry === null) return
    const { original, page, alternate, name } = entry.links
    const url = original ?? page ?? alternate ?? name
    if (url === undefined) return
    const publishedAt = writtenDate(entry.published)
    const modifiedAt = writtenDate(entry.updated) ?? publishedAt
    this.#take.page({ url, publishedAt, modifiedAt, isNews: this.#isNewsFeed || entry.isNews })
  }

  #beginEntry(namespace: string, attributes: Readonly<Record<string, string>>): void {
    this.report()
    const depth = this.#open.length
    this.#entry = { namespace, depth, links: {}, published: "", updated: "", isNews: false }
    this.#link("name", aboutOf(attributes))
    this.#link("page", attributes["href"])
  }

  /** An entry may be inside another that was left open, but not inside an extension or a quoted page. */
  #isEntry({ local, namespace }: OpenElement): boolean {
    return (
      (local === "item" || local === "entry") && (this.#entry === null || namespace === this.#entry.namespace)
    )
  }

  /** The name of an element that describes the entry or, outside an entry, the feed; `null` if it describes something else. */
  #ownName({ local, namespace }: OpenElement): string | null {
    const depth = this.#entry?.depth ?? 0
    if (this.#entry === null && local !== "category") return null
    for (let at = depth; this.#entry !== null && at < this.#open.length - 1; at++)
      if (!TEXTS.has(this.#open[at]!.local)) return null
    const prefix = NAMESPACES.get(namespace) ?? namespace
    if (namespace === "" || namespace === this.#entry?.namespace || prefix === "atom") return local
    return `${prefix}:${local}`
  }

  #read(name: string, text: string): void {
    if (name === "category") this.#category(text)
    const entry = this.#entry
    const date = DATES.get(name)
    if (entry === null || text === "") return
    if (date !== undefined) entry[date] = text
    else if (name === "link" && this.#attributes["href"] === undefined) this.#linkTo(text)
    else if (name === "feedburner:origlink") this.#link("original", text)
    else if (name === "id" || (name === "guid" && this.#attributes["ispermalink"]?.toLowerCase() !== "false"))
      if (/^https?:\/\//i.test(text)) this.#link("name", text)
  }

  #category(name: string): void {
    if (name.trim().toLowerCase() !== "news") return
    if (this.#entry) this.#entry.isNews = true
    else this.#isNewsFeed = true
  }

  /** Only links to the entry's page are used; a link without a relation is treated as such a link. */
  #linkTo(href: string): void {
    const { rel = "alternate", type = "text/html" } = this.#attributes
    if (ALTERNATE.test(rel)) this.#link(HTML_TYPES.test(type) ? "page" : "alternate", href)
  }

  #link(kind: LinkKind, address: string | undefined): void {
    if (this.#entry === null || address === undefined || address.trim() === "") return
    if (address.length > MAX_URL_CHARS) return
    // Some feeds escape the ampersand twice.
    const url = toPageUrl(address.trim().replaceAll("&amp;", "&"), this.#open.at(-1)!.base)
    if (url !== null) this.#entry.links[kind] ??= url
  }
}

/** Resolves an element's name, namespace and base from its attributes and the element around it. */
function openElement(
  name: string,
  attributes: Readonly<Record<string, string>>,
  around: OpenElement,
): OpenElement {
  let { base } = around
  let own: Map<string, string> | null = null
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "xmlns" || key.startsWith("xmlns:")) {
      own ??= new Map(around.prefixes)
      if (own.size < MAX_PREFIXES) own.set(key.slice("xmlns:".length).toLowerCase(), value.trim())
    } else if (/^(?:xml:)?base$/i.test(key)) base = URL.parse(value.trim(), base)?.href ?? base
  }
  const prefixes = own ?? around.prefixes
  const [local = "", prefix = ""] = name.toLowerCase().split(":").toReversed()
  return { local, namespace: prefixes.get(prefix) ?? prefix, base, prefixes }
}

/** The `rdf:about` attribute, whatever the prefix for RDF. */
const aboutOf = (attributes: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(attributes).find(([name]) => /(?:^|:)about$/.test(name))?.[1]

const inSmallLetters = (attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]))
