import type { DocumentFacts } from "./metadata.ts"
import { collapse, textOf } from "../html/tree.ts"

/** What titles are read from. */
type TitleFacts = Pick<DocumentFacts, "baseUrl" | "headings" | "jsonLd" | "meta" | "titleTag">

export function readTitle(facts: TitleFacts): string {
  const tag = facts.titleTag
  const shared = facts.meta.get("og:title") ?? facts.meta.get("twitter:title") ?? null
  const headings = facts.headings.map((heading) => textOf(heading, 500)).filter((text) => text !== "")
  const same = (a: string, b: string) => normal(a) === normal(b)
  // A heading or shared title that the title tag repeats with something added is the title without the site's name.
  for (const candidate of [...headings, ...(shared ? [shared] : [])]) {
    if (
      candidate.length >= 4 &&
      tag !== "" &&
      normal(tag).includes(normal(candidate)) &&
      normal(candidate) !== ""
    )
      return collapse(candidate)
  }
  if (shared) return withoutSite(shared, facts)
  for (const object of facts.jsonLd) {
    const headline = object["headline"]
    if (typeof headline === "string" && headline !== "") return collapse(headline)
  }
  if (tag !== "") return withoutSite(tag, facts)
  const [heading] = headings
  return heading && !same(heading, "") ? heading : ""
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
}

/** Drops "| Site" or "Site -" where the rest of the document names the site so. */
function withoutSite(title: string, facts: TitleFacts): string {
  const site = facts.meta.get("og:site_name") ?? facts.meta.get("application-name")
  const parts = title.split(/\s+[|·•»«–—:-]\s+/)
  if (parts.length < 2) return title
  const host = normal(
    URL.parse(facts.baseUrl)
      ?.hostname.replace(/^www\./, "")
      .replace(/\.[^.]+$/, "") ?? "",
  )
  const isSite = (part: string) =>
    normal(part) !== "" && ((site !== undefined && normal(part) === normal(site)) || normal(part) === host)
  if (isSite(parts.at(-1)!))
    return title.slice(0, title.lastIndexOf(parts.at(-1)!)).replace(/\s+[|·•»«–—:-]\s+$/, "")
  if (isSite(parts[0]!)) return title.slice(parts[0]!.length).replace(/^\s+[|·•»«–—:-]\s+/, "")
  return title
}

export function readDescription(facts: Pick<DocumentFacts, "meta">): string | null {
  return (
    facts.meta.get("description") ??
    facts.meta.get("og:description") ??
    facts.meta.get("twitter:description") ??
    null
  )
}

export function readRobots(facts: Pick<DocumentFacts, "meta">): { noindex: boolean; nofollow: boolean } {
  const rules = `${facts.meta.get("robots") ?? ""},${facts.meta.get("fossick") ?? ""}`
    .toLowerCase()
    .split(/[\s,]+/)
  const none = rules.includes("none")
  return { noindex: none || rules.includes("noindex"), nofollow: none || rules.includes("nofollow") }
}
