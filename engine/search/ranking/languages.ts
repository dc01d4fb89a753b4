import type { Boosted } from "./preferences.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** Whether the asker reads a language (ISO 639-1). */
export type Reads = (language: string) => boolean

/**
 * The share of its value that a page loses if the asker doesn't read its language. It equals the gain for a preferred
 * language: readable pages that match nearly as well come first, but a much better match stays ahead.
 */
const UNREAD = 0.15

/** Moves pages that the asker can't read behind others that match nearly as well; all keep their places if none can be read. */
export function readableFirst(
  ranked: readonly Boosted[],
  reads: Reads,
  facts: ReadonlyMap<string, PageFacts>,
): readonly Boosted[] {
  const isUnread = ({ id }: Boosted) => {
    const language = facts.get(id)?.language ?? null
    return language !== null && !reads(language)
  }
  if (ranked.every(isUnread) || !ranked.some(isUnread)) return ranked
  return ranked.map((one) =>
    isUnread(one) ? { ...one, boost: one.boost - UNREAD * (one.fused + one.boost) } : one,
  )
}

/** URL parameters that specify a page's language. */
const PARAMETERS = ["lang", "language", "locale", "hl"]

/**
 * Whether two pages are the same page in two languages. They must be on the same host, and their addresses may differ
 * only in the part that names the page's language: `/de/guide` and `/en-GB/guide`, `guide.de.html`, `guide?lang=de`.
 * One of them may lack that part; `/de` and `/en` alone prove nothing.
 */
export function areTranslations(a: PageFacts, b: PageFacts): boolean {
  if (a.language === null || b.language === null || a.language === b.language || a.host !== b.host)
    return false
  const [one, other] = [withoutLanguage(a), withoutLanguage(b)]
  return one.path !== "/" && one.address === other.address && (one.named || other.named)
}

function withoutLanguage({ url, language }: PageFacts): { path: string; address: string; named: boolean } {
  const { pathname, searchParams } = new URL(url)
  const isOwn = (part: string) => part.toLowerCase().split(/[-_]/)[0] === language && part.length <= 7
  const segments = pathname.split("/")
  const kept = segments
    .map((segment) => {
      const [name, ...types] = segment.split(".")
      return [name, ...types.filter((type) => !isOwn(type))].join(".")
    })
    .filter((segment) => !isOwn(segment))
  for (const name of PARAMETERS) if (isOwn(searchParams.get(name) ?? "")) searchParams.delete(name)
  searchParams.sort()
  const path = kept.join("/") || "/"
  const address = `${path}?${searchParams.toString()}`
  const whole = new URL(url).searchParams
  whole.sort()
  return { path, address, named: address !== `${pathname}?${whole.toString()}` }
}
