import { type PageUrl, toPageUrl } from "#engine"
import { isMarkdownAddress } from "../../page/text-formats.ts"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { lineParser, type ListParser, type Take } from "./list-parser.ts"

/** `[title](address)`, `<address>`, or a bare one, such as behind the `Source:` of an llms-full.txt. */
const LINK =
  /(?<!!)\[[^[\]\n]{0,300}\]\(\s*<?([^\s()<>]{1,2000})>?[^()\n]{0,300}\)|<(https?:\/\/[^\s<>]{1,2000})>|(?<![(<\w])(https?:\/\/[^\s<>()"'`\]]{1,2000})/g
/** Longer lines are text with few links. */
const MAX_LINE_CHARS = 20_000
const FURTHER_LIST = /\/llms(?:-full)?\.txt$/i

/**
 * Parses an llms.txt, a list of links in markdown. Where it links the markdown copy of a page, the page is taken, and the
 * copy with it; another llms.txt of the same site is a further list.
 */
export function llmsParser(base: PageUrl, take: Take): ListParser {
  const { origin } = new URL(base)
  return lineParser(MAX_LINE_CHARS, (line) => {
    for (const [, named, marked, bare] of line.matchAll(LINK)) {
      const address = named ?? marked ?? bare?.replace(/[.,;:!?]+$/, "") ?? ""
      const url = address.startsWith("#") ? null : toPageUrl(address, base)
      if (url === null || url.length > MAX_URL_CHARS || url === base) continue
      const { origin: at, pathname } = new URL(url)
      if (at === origin && FURTHER_LIST.test(pathname)) take.sitemap({ url, modifiedAt: null })
      else take.page({ ...copied(url), modifiedAt: null, publishedAt: null, isNews: false })
    }
  })
}

/** By llmstxt.org, the copy of a page has its address with `.md` behind, and that of a folder is its `index.html.md`. */
function copied(copy: PageUrl): { readonly url: PageUrl; readonly copy?: PageUrl } {
  if (!isMarkdownAddress(copy)) return { url: copy }
  const page = new URL(copy)
  page.pathname = page.pathname.replace(/\.\w+$/, "").replace(/\/index$/, "/")
  return { url: page.href as PageUrl, copy }
}
