import type { PageUrl } from "#engine"
import type { Extracted } from "../extract/extracted.ts"
import { canonicalAddress, isMarkdownType } from "../extract/facts/metadata.ts"
import { readRefresh } from "./refresh.ts"
import { isAdultRating } from "../extract/facts/unsafe.ts"
import { xRobotsTag } from "./robots-directives.ts"

/** The headers of a response, with names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * A page's facts combined with those in the response headers: X-Robots-Tag, Rating, Refresh and a Link header's
 * canonical and markdown mean the same as their HTML forms. A response that varies by Accept may be available as
 * markdown at the same address. `agent` is our product token.
 */
export function withHeaderFacts(
  extracted: Extracted,
  headers: AnswerHeaders,
  url: PageUrl,
  agent: string,
): Extracted {
  const tag = xRobotsTag(headers["x-robots-tag"], agent)
  const links = linksOf(headers["link"])
  const named = links.find(({ rels }) => rels.includes("canonical"))
  const canonical = extracted.canonical ?? (named ? canonicalAddress(named.href, url) : null)
  const markdownAt =
    extracted.markdownAt ?? linkedMarkdown(links, url) ?? (variesByAccept(headers) ? url : null)
  const unsafe = extracted.unsafe || isAdultRating(headers["rating"]?.toString())
  // Browsers read the header before the page, so it takes precedence over the page's own refresh.
  const refresh = readRefresh(headers["refresh"]?.toString() ?? "", url, url)
  const same =
    canonical === extracted.canonical &&
    unsafe === extracted.unsafe &&
    refresh === null &&
    markdownAt === (extracted.markdownAt ?? null)
  if (!tag.noindex && !tag.nofollow && same) return extracted
  const { robots } = extracted
  return {
    ...extracted,
    canonical,
    unsafe,
    ...(markdownAt !== null && { markdownAt }),
    ...(refresh !== null && { refresh }),
    robots: { noindex: robots.noindex || tag.noindex, nofollow: robots.nofollow || tag.nofollow },
  }
}

interface HeaderLink {
  readonly href: string
  readonly rels: readonly string[]
  readonly type: string
}

/** The links of a Link header (RFC 8288). Takes time linear in the header's length, which the site chooses. */
function linksOf(header: string | string[] | undefined): HeaderLink[] {
  const text = typeof header === "string" ? header : (header ?? []).join(", ")
  return text.split(/,(?=\s*<)/).flatMap((link) => {
    const start = link.indexOf("<")
    const end = link.indexOf(">", start)
    if (start < 0 || end < 0) return []
    const parameters = link
      .slice(end + 1)
      .split(";")
      .map((parameter) => parameter.toLowerCase().split("=", 2))
    const valueOf = (wanted: string) =>
      (parameters.find(([name = ""]) => name.trim() === wanted)?.[1] ?? "").replaceAll('"', "").trim()
    return [{ href: link.slice(start + 1, end), rels: valueOf("rel").split(/\s+/), type: valueOf("type") }]
  })
}

function linkedMarkdown(links: readonly HeaderLink[], base: PageUrl): string | null {
  const link = links.find(({ rels, type }) => rels.includes("alternate") && isMarkdownType(type))
  return link === undefined ? null : (URL.parse(link.href, base)?.href ?? null)
}

function variesByAccept({ vary }: AnswerHeaders): boolean {
  const names = (vary ?? "").toString().toLowerCase().split(",")
  return names.some((name) => name.trim() === "accept")
}
