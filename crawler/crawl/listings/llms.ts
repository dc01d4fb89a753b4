import { type PageUrl, toPageUrl } from "#engine"
import { isMarkdownAddress } from "../../page/text-formats.ts"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { lineParser, type ListParser, type Take } from "./list-parser.ts"

/** `[title](address)`, `<address>`, or a bare address, such as after `Source:` in an llms-full.txt. */
const LINK =
  /(?<!!)\[[^[\]\n]{0,300}\]\(\s*<?([^\s()<>]{1,2000})>?[^()\n]{0,300}\)|<(https?:\/\/[^\s<>]{1,2000})>|(?<![(<\w])(https?:\/\/[^\s<>()"'`\]]{1,2000})/g
/** Longer lines are prose with few links. */
const MAX_LINE_CHARS = 20_000
const FURTHER_LIST = /\/llms(?:-full)?\.txt$/i

/**
 * Parses an llms.txt, a list of links in markdown. A link to a page's markdown copy reports the page, with the copy; a
 * link to another llms.txt of the same site reports a further list.
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

/** By llmstxt.org, a page's copy is at its address plus `.md`, and a folder's at `index.html.md`. */
function copied(copy: PageUrl): { readonly url: PageUrl; readonly copy?: PageUrl } {
  if (!isMarkdownAddress(copy)) return { url: copy }
  const page = new URL(copy)
  page.pathname = page.pathname.replace(/\.\w+$/, "").replace(/\/index$/, "/")
  return { url: page.href as PageUrl, copy }
}
