import { type PageUrl, toPageUrl } from "#engine"
import { isMarkdownAddress } from "../../page/text-formats.ts"
import { MAX_URL_CHARS } from "../frontier/frontier.ts"
import { lineParser, type ListParser, type Take } from "./list-parser.ts"

/** A title, with one pair of brackets or an image inside, and its address, with one pair of parentheses inside. */
const NAMED =
  /(?<!!)\[(?:[^[\]\n]|\[[^[\]\n]{0,300}\]){0,300}\]\(\s*(?:<([^<>\n]{1,2000})>|((?:[^\s()<>]|\([^\s()<>]{0,300}\)){1,2000}))\s*(?:"[^"\n]{0,300}"\s*|'[^'\n]{0,300}'\s*|[^()\n]{0,300})\)/
/** An address defined for links elsewhere in the file: `[title]: address`. */
const DEFINED = /^ {0,3}\[[^[\]\n]{1,300}\]:\s*<?([^\s<>]{1,2000})/
/** An address in angle brackets, or a bare one, for example after `Source:` in an llms-full.txt. */
const BARE = /<(https?:\/\/[^\s<>]{1,2000})>|(?<![(<\w])(https?:\/\/[^\s<>()"'`\]]{1,2000})/
const LINK = new RegExp(`${NAMED.source}|${BARE.source}`, "g")
const FENCE = /^\s*(`{3,}|~{3,})/
/** Lines longer than this are prose with few links. */
const MAX_LINE_CHARS = 20_000
const FURTHER_LIST = /\/llms(?:-full)?\.txt$/i

/**
 * Parses an llms.txt, a list of links in markdown. A link to a page's markdown copy is reported as the page, with the
 * copy; a link to another llms.txt of the same site is reported as a further list.
 */
export function llmsParser(base: PageUrl, take: Take): ListParser {
  const { origin } = new URL(base)
  const report = (address: string) => {
    const url = address.startsWith("#") ? null : toPageUrl(address, base)
    if (url === null || url.length > MAX_URL_CHARS || url === base) return
    const { origin: at, pathname } = new URL(url)
    if (at === origin && FURTHER_LIST.test(pathname)) take.sitemap({ url, modifiedAt: null })
    else take.page({ ...copied(url), modifiedAt: null, publishedAt: null, isNews: false })
  }
  /** The fence of an open code block, whose links are examples; empty outside one. */
  let fence = ""
  return lineParser(MAX_LINE_CHARS, (line) => {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : ""
    if (fence !== "" || mark !== undefined) return
    const defined = DEFINED.exec(line)?.[1]
    if (defined !== undefined) return report(defined)
    for (const [, angled, named, marked, bare] of line.matchAll(LINK))
      report(angled ?? named ?? marked ?? bare?.replace(/[.,;:!?]+$/, "") ?? "")
  })
}

/** According to llmstxt.org, a page's copy is at its address plus `.md`, and a folder's at `index.html.md`. */
function copied(copy: PageUrl): { readonly url: PageUrl; readonly copy?: PageUrl } {
  if (!isMarkdownAddress(copy)) return { url: copy }
  const page = new URL(copy)
  page.pathname = page.pathname.replace(/\.\w+$/, "").replace(/\/index$/, "/")
  return { url: page.href as PageUrl, copy }
}
