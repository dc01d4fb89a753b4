import { writtenDate } from "#base/text/written-date.ts"
import { type PageUrl, toPageUrl } from "#engine"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { lineParser, listedChange, type ListParser, type Take, xmlListParser } from "./list-parser.ts"

/** Parses a sitemap in plain text, with an address on each line. */
export const textParser = (take: Take): ListParser =>
  lineParser(MAX_URL_CHARS + 1, (line) => {
    // A fast path, because a file of empty lines used to take the longest.
    if (line.trim() === "") return
    // A line that is too long was cut off, so it isn't an address.
    const url = line.length <= MAX_URL_CHARS ? toPageUrl(line.trim()) : null
    if (url !== null) take.page({ url, modifiedAt: null, publishedAt: null, isNews: false })
  })

/** Elements whose text is read. `news:` is the prefix that Google's news sitemaps are required to use. */
const TEXTS = new Set(["loc", "lastmod", "news:publication_date"])

interface Entry {
  readonly kind: "url" | "sitemap"
  loc: string
  lastmod: string
  published: string
  isNews: boolean
}

const newEntry = (kind: Entry["kind"]): Entry => ({
  kind,
  loc: "",
  lastmod: "",
  published: "",
  isNews: false,
})

/** Parses a sitemap in XML (sitemaps.org), or an index of sitemaps. */
export function sitemapParser(base: PageUrl, take: Take): ListParser {
  let entry: Entry | null = null
  let element = ""
  let text = ""
  const report = () => {
    const url = entry && entry.loc.length <= MAX_URL_CHARS ? toPageUrl(entry.loc.trim(), base) : null
    if (entry && url !== null && entry.loc.trim() !== "") {
      const modifiedAt = listedChange(entry.lastmod)
      if (entry.kind === "sitemap") take.sitemap({ url, modifiedAt })
      else take.page({ url, modifiedAt, publishedAt: writtenDate(entry.published), isNews: entry.isNews })
    }
    entry = null
  }
  return xmlListParser(
    {
      onopentagname(name) {
        const key = elementOf(name)
        if (key === "url" || key === "sitemap") {
          // The previous element may have been left open.
          report()
          entry = newEntry(key)
        } else if (key === "news:news" && entry) entry.isNews = true
        else if (TEXTS.has(key)) {
          entry ??= newEntry("url")
          element = key
          text = ""
        }
      },
      ontext(piece) {
        if (element !== "" && text.length <= MAX_URL_CHARS) text += piece
      },
      onclosetag(name) {
        const key = elementOf(name)
        if (key === "url" || key === "sitemap") report()
        if (key !== element || !entry) return
        if (key === "loc") entry.loc = text
        else if (key === "lastmod") entry.lastmod = text
        else entry.published = text
        element = ""
      },
    },
    report,
  )
}

/** Sitemaps may use any prefix, and handwritten ones may use capital letters. The `loc` elements of extensions (`image:loc`, `video:…`) don't name pages. */
function elementOf(written: string): string {
  const name = written.toLowerCase()
  return /^(?:image|video|news|mobile|xhtml):/.test(name) ? name : name.slice(name.indexOf(":") + 1)
}
