import type { Page, PageUrl } from "#engine"
import type { ListedFacts } from "../frontier/known-addresses.ts"
import type { CrawlOutcome } from "../outcome.ts"
import { pageHash } from "../page/page-hash.ts"
import type { Reading } from "../reading.ts"
import type { Source } from "../source.ts"

/** An outcome that leaves no page. */
export type NoPage = Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>

/** What a reading amounts to. */
export type Verdict =
  | { readonly kind: "page"; readonly page: Page; readonly hash: string }
  | { readonly kind: "none"; readonly outcome: NoPage }

export interface VerdictContext {
  readonly source: Source
  /** Whether noindex is obeyed. */
  readonly obeys: boolean
  /** What sitemaps and feeds say of the page. */
  readonly facts: ListedFacts
  readonly fetchedAt: Date
  /** Whether the run has visited an address. */
  isVisited(url: PageUrl): boolean
}

/** Decides what a reading amounts to, asked for under the address `from`. */
export function verdictOn(reading: Reading, from: PageUrl, context: VerdictContext): Verdict {
  const { extracted, url } = reading
  const redirected = url !== from
  if (context.obeys && extracted.robots.noindex) {
    return none({ kind: "skipped", because: "noindex", ...(redirected ? { leadsTo: url } : {}) })
  }
  if (redirected && context.isVisited(url)) return none(duplicate(`redirects to ${url}`, url))
  if (extracted.markdown.trim() === "") {
    return none({
      kind: "skipped",
      because: "empty",
      detail: reading.emptyBecause ?? "no main content found",
    })
  }
  const page = pageOf(reading, context.source, context.facts, context.fetchedAt)
  return { kind: "page", page, hash: pageHash(page) }
}

/** The page that a reading makes for a source. */
export function pageOf(reading: Reading, source: Source, facts: ListedFacts, fetchedAt: Date): Page {
  const { extracted, url } = reading
  const { topic, country, language, safe } = source.pages
  const listedTopic = facts.isNews ? "news" : null
  const listedDate = facts.publishedAt === null ? null : new Date(facts.publishedAt)
  return {
    url,
    title: extracted.title,
    description: extracted.description,
    markdown: extracted.markdown,
    language: extracted.language ?? language,
    author: extracted.author,
    publishedAt: extracted.publishedAt ?? listedDate,
    topic: topic ?? extracted.topic ?? listedTopic,
    country: extracted.country ?? country,
    unsafe: safe === null ? extracted.unsafe : !safe,
    images: extracted.images,
    favicon: extracted.favicon,
    source: source.name,
    fetchedAt,
  }
}

const none = (outcome: NoPage): Verdict => ({ kind: "none", outcome })

const duplicate = (detail: string, leadsTo: PageUrl): NoPage => ({
  kind: "skipped",
  because: "duplicate",
  detail,
  leadsTo,
})
