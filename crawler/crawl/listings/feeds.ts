import { writtenDate } from "#base/text/written-date.ts"
import { type PageUrl, toPageUrl } from "#engine"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { type ListParser, type Take, xmlListParser } from "./list-parser.ts"

interface Entry {
  link: string
  /** The entry's own name, which may be its address. */
  id: string
  published: string
  updated: string
  isNews: boolean
}

/** Dates by the elements of RSS 2.0, Dublin Core (RSS 1.0) and Atom. */
const DATES: Readonly<Record<string, "published" | "updated">> = {
  pubDate: "published",
  "dc:date": "published",
  published: "published",
  issued: "published",
  updated: "updated",
  modified: "updated",
  "dcterms:modified": "updated",
}

/**
 * Parses a feed: RSS 2.0, RSS 1.0 (RDF) or Atom (RFC 4287). Its entries count as news when the feed, or the entry, is
 * of a category of that name; a feed alone does not make its entries news, since blogs have feeds too.
 */
export function feedParser(base: PageUrl, take: Take): ListParser {
  let entry: Entry | null = null
  let isNewsFeed = false
  let element = ""
  let text = ""
  let idIsAddress = true
  const report = () => {
    if (!entry) return
    const address = entry.link.trim() || (/^https?:\/\//.test(entry.id.trim()) ? entry.id.trim() : "")
    const url = address !== "" && address.length <= MAX_URL_CHARS ? toPageUrl(address, base) : null
    if (url !== null) {
      const publishedAt = writtenDate(entry.published)
      const modifiedAt = writtenDate(entry.updated) ?? publishedAt
      take.page({ url, publishedAt, modifiedAt, isNews: isNewsFeed || entry.isNews })
    }
    entry = null
  }
  const category = (name: string) => {
    if (name.trim().toLowerCase() !== "news") return
    if (entry) entry.isNews = true
    else isNewsFeed = true
  }
  return xmlListParser(
    {
      onopentag(name, attributes) {
        if (name === "item" || name === "entry") {
          report()
          entry = { link: "", id: attributes["rdf:about"] ?? "", published: "", updated: "", isNews: false }
          return
        }
        element = name
        text = ""
        if (name === "guid") idIsAddress = attributes["isPermaLink"] !== "false"
        if (name === "category" && attributes["term"] !== undefined) category(attributes["term"])
        const { href, rel = "alternate" } = attributes
        if (name === "link" && href !== undefined && rel === "alternate" && entry && entry.link === "")
          entry.link = href
      },
      ontext(piece) {
        if (element !== "" && text.length <= MAX_URL_CHARS) text += piece
      },
      onclosetag(name) {
        if (name === "item" || name === "entry") report()
        if (name !== element) return
        element = ""
        if (name === "category") category(text)
        if (!entry) return
        const date = DATES[name]
        if (date) entry[date] = text
        else if (name === "link" && text.trim() !== "") entry.link = text
        else if ((name === "guid" && idIsAddress) || name === "id") entry.id = text
      },
    },
    report,
  )
}
