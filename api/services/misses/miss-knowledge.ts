import type { Jobs, StateStore } from "#crawler"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { declaredNames } from "#crawler/sources/source-names.ts"
import type { Lead } from "#crawler/reporting/coverage/leads.ts"
import type { SourceCoverage } from "#crawler/reporting/coverage/source-coverage.ts"
import { type Unread, unreadOf } from "#crawler/reporting/coverage/unread.ts"
import type { Missing } from "#crawler/reporting/why/cause.ts"
import type { Engine, Page, PageUrl } from "#engine"
import { sourcesOf } from "#engine/index/page/page.ts"
import type { QueryText } from "#engine/text/query-text.ts"

import { isMiss } from "./miss-threshold.ts"
import type { AskedQuery } from "./narrow-filters.ts"

/** The reader of an explanation, and the limits of what it may contain. */
export interface View {
  /** Sources that may be mentioned; null: all. */
  readonly sources: readonly string[] | null
  /** Whether an address may be named. */
  readonly admits: (url: PageUrl) => boolean
  /** The stored page, if the caller may see it. */
  readonly page: (url: PageUrl) => Promise<Page | null>
}

/** How much of a source is in the index. */
export interface AskedSource extends SourceCoverage {
  /** Number of pages that are found only by their words until their vectors are made. */
  readonly waiting: number
}

/** Information from crawls about missing pages. */
export interface MissKnowledge {
  /** Why an address is not a page in the index, and the explanation from `fossick why`; `null` if the address is a page. */
  missing(url: PageUrl, view: View): Promise<{ readonly missing: Missing; readonly summary: string } | null>
  sources(names: readonly string[]): Promise<readonly AskedSource[]>
  /** The given sources with pages that could not be read. */
  unread(names: readonly string[]): Promise<readonly Unread[]>
  /**
   * The names of the declared sources, and the names in `asked` that were ever crawled: one-off crawls are mentioned
   * only if asked for.
   */
  names(asked?: readonly string[]): Promise<readonly string[]>
  /** Whether the index is still empty: no source, and only pages of the handbook. */
  isUnfilled(): Promise<boolean>
  /** Whether the whole index has an answer to a search, regardless of scope; only for the operator. */
  answersBeyond(query: AskedQuery): Promise<boolean>
  leads(question: QueryText, sources: readonly string[], view: View, limit: number): Promise<readonly Lead[]>
}

/** Maximum number of pages whose links are searched for an address: this takes about 20 ms, during which no other call is answered. */
const MOST_LINKING = 500

/** Reads the records of crawls, and never writes; its parts are loaded on the first miss. */
export function openMissKnowledge(
  db: StateStore,
  jobs: Jobs,
  engine: Pick<Engine, "coverage" | "pagesWithoutVectors" | "allPages" | "search">,
  sourceNames: () => Promise<readonly string[]>,
): MissKnowledge {
  const load = async () => {
    const [{ tracePage }, { causeOf }, { sourceCoverage }, { leads }, { SourceTable }, { Removals }] =
      await Promise.all([
        import("#crawler/reporting/why/trace.ts"),
        import("#crawler/reporting/why/cause.ts"),
        import("#crawler/reporting/coverage/source-coverage.ts"),
        import("#crawler/reporting/coverage/leads.ts"),
        import("#crawler/sources/source-table.ts"),
        import("#crawler/upkeep/removals/removals.ts"),
      ])
    return {
      tracePage,
      causeOf,
      sourceCoverage,
      leads,
      sources: new SourceTable(db, jobs),
      removals: new Removals(db),
    }
  }
  let loading: ReturnType<typeof load> | undefined
  const loaded = async () => await (loading ??= load())
  return {
    async missing(url, view) {
      const { tracePage, causeOf, sources, removals } = await loaded()
      const trace = await tracePage(url, {
        db,
        jobs,
        sources,
        removals,
        engine: {
          get: view.page,
          coverage: (one) => engine.coverage(one),
          search: async () => ({ hits: [] }),
        },
        conceals: true,
        only: view.sources,
        mostLinking: MOST_LINKING,
      })
      const missing = causeOf(trace)
      return missing && { missing, summary: trace.summary }
    },
    async sources(names) {
      const { sourceCoverage, sources } = await loaded()
      return await Promise.all(
        names.map(async (name) => ({
          ...(await sourceCoverage(name, { db, jobs, sources })),
          waiting: await engine.pagesWithoutVectors(name),
        })),
      )
    },
    unread: (names) => unreadOf(db, names),
    async names(asked = []) {
      const declared = await declaredNames(db)
      // Crawled sources are looked up only if needed: every search calls this, and few name a source.
      if (asked.length === 0) return declared
      return [...new Set([...declared, ...(await sourceNames()).filter((name) => asked.includes(name))])]
    },
    async isUnfilled() {
      if ((await declaredNames(db)).length > 0) return false
      // If another machine fills the index, its sources are not known here.
      for await (const { page } of engine.allPages())
        if (!sourcesOf(page).includes(HANDBOOK_SOURCE)) return false
      return true
    },
    async answersBeyond(query) {
      const { hits } = await engine.search({ ...query, limit: 1, passagesPerPage: 0, withMarkdown: false })
      return !isMiss(hits)
    },
    async leads(question, sources, { admits }, limit) {
      const { leads } = await loaded()
      return await leads(question, { db, sources, mayName: admits, limit })
    },
  }
}
