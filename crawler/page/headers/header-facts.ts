import type { PageUrl } from "#engine"
import type { Extracted } from "../extract/extracted.ts"
import { canonicalAddress } from "../extract/facts/metadata.ts"
import { readRefresh } from "./refresh.ts"
import { isAdultRating } from "../extract/facts/unsafe.ts"
import { xRobotsTag } from "./robots-directives.ts"

/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * What a page says, with what its answer's headers say of it: X-Robots-Tag, Rating, Refresh and a Link header's
 * canonical mean the same as their HTML forms. `agent` is our product token.
 */
export function withHeaderFacts(
  extracted: Extracted,
  headers: AnswerHeaders,
  url: PageUrl,
  agent: string,
): Extracted {
  const tag = xRobotsTag(headers["x-robots-tag"], agent)
  const canonical = extracted.canonical ?? linkCanonical(headers["link"], url)
  const unsafe = extracted.unsafe || isAdultRating(headers["rating"]?.toString())
  // Browsers read it before the page, so it comes before the page's own.
  const refresh = readRefresh(headers["refresh"]?.toString() ?? "", url, url)
  const same = canonical === extracted.canonical && unsafe === extracted.unsafe && refresh === null
  if (!tag.noindex && !tag.nofollow && same) return extracted
  const { robots } = extracted
  return {
    ...extracted,
    canonical,
    unsafe,
    ...(refresh !== null && { refresh }),
    robots: { noindex: robots.noindex || tag.noindex, nofollow: robots.nofollow || tag.nofollow },
  }
}

/** `Link: <…>; rel="canonical"` (RFC 8288, RFC 6596). Linear in the header's length, which the site chooses. */
function linkCanonical(header: string | string[] | undefined, base: PageUrl): string | null {
  const text = typeof header === "string" ? header : (header ?? []).join(", ")
  for (const link of text.split(/,(?=\s*<)/)) {
    const start = link.indexOf("<")
    const end = link.indexOf(">", start)
    if (start < 0 || end < 0) continue
    const isCanonical = link
      .slice(end + 1)
      .split(";")
      .some((parameter) => {
        const [name = "", value = ""] = parameter.toLowerCase().split("=", 2)
        return name.trim() === "rel" && value.replaceAll('"', "").trim().split(/\s+/).includes("canonical")
      })
    if (isCanonical) return canonicalAddress(link.slice(start + 1, end), base)
  }
  return null
}
