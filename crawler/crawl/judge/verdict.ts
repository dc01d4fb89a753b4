import type { Page, PageUrl } from "#engine"
import type { ListedFacts } from "../frontier/known-addresses.ts"
import type { CrawlOutcome } from "../../outcome.ts"
import { pageHash } from "../../page/page-hash.ts"
import { pageOf } from "../../page/page-of-reading.ts"
import type { Reading } from "../../reading.ts"
import type { Source } from "../../source.ts"

/** An outcome for an address without a page. */
export type NoPage = Exclude<CrawlOutcome, { kind: "indexed" | "unchanged" }>

/** The decision about a reading. */
export type Verdict =
  | { readonly kind: "page"; readonly page: Page; readonly hash: string }
  | { readonly kind: "none"; readonly outcome: NoPage }

export interface VerdictContext {
  readonly source: Source
  /** Whether noindex is obeyed. */
  readonly obeysNoindex: boolean
  /** The facts about the page that sitemaps and feeds state. */
  readonly facts: ListedFacts
  readonly fetchedAt: Date
  /** Whether the run has visited an address. */
  isVisited(url: PageUrl): Promise<boolean>
}

/** Decides the result of a reading that was requested under the address `from`. */
export async function verdictOn(reading: Reading, from: PageUrl, context: VerdictContext): Promise<Verdict> {
  const { extracted, url } = reading
  const redirected = url !== from
  if (context.obeysNoindex && extracted.robots.noindex) {
    return none({ kind: "skipped", because: "noindex", ...(redirected ? { leadsTo: url } : {}) })
  }
  if (redirected && (await context.isVisited(url))) return none(duplicate(`redirects to ${url}`, url))
  const page = pageOf(reading, context.source, context.facts, context.fetchedAt)
  if (page === null) {
    return none({
      kind: "skipped",
      because: "empty",
      detail: reading.emptyBecause ?? inDoubt("no main content found", reading),
    })
  }
  return { kind: "page", page, hash: pageHash(page) }
}

/** A detail, followed by a note on what may be missing from the page. */
export function inDoubt<Detail extends string | null>(detail: Detail, { doubt }: Reading): Detail | string {
  if (doubt === undefined) return detail
  return detail === null ? doubt : `${detail}; ${doubt}`
}

const none = (outcome: NoPage): Verdict => ({ kind: "none", outcome })

const duplicate = (detail: string, leadsTo: PageUrl): NoPage => ({
  kind: "skipped",
  because: "duplicate",
  detail,
  leadsTo,
})
