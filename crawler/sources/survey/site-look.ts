import type { PageUrl } from "#engine"
import type { Fetched } from "../../fetch/fetch.ts"
import { decodeText } from "../../page/charset.ts"
import { charsetParameter, mediaType } from "../../page/headers/media-type.ts"
import type { Link } from "../../page/extract/extracted.ts"
import { gatherFacts } from "../../page/extract/facts/metadata.ts"
import { type Element, parseTree, walk } from "../../page/extract/html/tree.ts"
import type { Reading } from "../../reading.ts"

/** The first page of a site, with everything that shows which program made it. */
export interface SiteLook {
  /** The address as given by the operator. */
  readonly asked: PageUrl
  /** The address after redirects. */
  readonly url: PageUrl
  readonly headers: Fetched["headers"]
  /** The HTML as sent; truncated if it is long. */
  readonly html: string
  /** The content of `<meta name=generator>`; empty if there is none. */
  readonly generator: string
  readonly meta: ReadonlyMap<string, string>
  /** Absolute addresses of scripts and of the files that `<link>` names. */
  readonly assets: readonly string[]
  readonly links: readonly Link[]
  readonly feeds: readonly string[]
  /** The targets of `<link rel=alternate hreflang>`. */
  readonly alternates: readonly { readonly hreflang: string; readonly href: string }[]
  /** The language in `<html lang>`. */
  readonly language: string | null
  /** Fields of the page's forms, by name. */
  readonly inputs: readonly Input[]
  /** The page as read without a browser. */
  readonly reading: Reading
}

export interface Input {
  readonly name: string
  /** The input type in lower case; `text` if none is given. */
  readonly type: string
}

/** The maximum number of characters parsed, without yielding to other work: even on longer pages, the beginning shows which program made them. */
const MAX_LOOK_CHARS = 500_000

/** The HTML of a response as text; `null` if it isn't HTML. Must be called before anything else reads the body. */
export function htmlOf({ headers, body }: Fetched): string | null {
  const header = headers["content-type"]
  if (!/html/.test(mediaType(header))) return null
  return decodeText(body.subarray(0, MAX_LOOK_CHARS), charsetParameter(header))
}

export function lookAt(
  asked: PageUrl,
  html: string,
  headers: Fetched["headers"],
  reading: Reading,
): SiteLook {
  const document = parseTree(html)
  const { meta, feeds, alternates, links, htmlLanguage, baseUrl } = gatherFacts(document, reading.url)
  return {
    asked,
    url: reading.url,
    headers,
    html,
    generator: meta.get("generator") ?? "",
    meta,
    assets: assetsOf(document, baseUrl),
    links,
    feeds,
    alternates,
    language: htmlLanguage,
    inputs: inputsOf(document),
    reading,
  }
}

function assetsOf(document: Element, baseUrl: string): string[] {
  const found = new Set<string>()
  walk(document, (element) => {
    const address =
      element.tag === "script" ? element.get("src") : element.tag === "link" ? element.get("href") : null
    const url = address === null ? null : URL.parse(address, baseUrl)
    if (url) found.add(url.href)
  })
  return [...found]
}

function inputsOf(document: Element): Input[] {
  const found: Input[] = []
  walk(document, (element) => {
    const name = element.tag === "input" ? element.get("name") : null
    if (name) found.push({ name, type: element.get("type")?.toLowerCase() ?? "text" })
  })
  return found
}
