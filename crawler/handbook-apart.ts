import type { Engine, PageFilter, Query } from "#engine"
import { delegate } from "#engine/lifecycle/generations/delegate.ts"
import { hostName } from "#engine/index/page/domains.ts"
import { parseQueryText } from "#engine/text/query-text.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { othersHavePages, somePage } from "./crawl/frontier/source-pages.ts"
import { HANDBOOK_SOURCE } from "./handbook-source.ts"
import type { CrawlerConfig } from "./settings.ts"
import { isDeclared } from "./sources/source-names.ts"

/** How long the last answer is used before the store is queried again. */
const KNOWN_MS = 1000

/** The host of the handbook's pages, if they are to be left out of results; null if they are not. */
type Apart = { readonly host: string | null } | null

/**
 * The same engine, but its results leave out the appliance's own handbook once other sources have pages, or always if
 * the setting says so. The handbook is found when a query names it: by its host in `includeDomains`, in a preference or
 * after `site:`, or in a filter by source. This costs the index one more condition, and the store at most one query a
 * second.
 *
 * @param remembered may keep the last answer for times when the store does not respond
 */
export function handbookApart(
  engine: Engine,
  db: StateStore,
  { handbook }: Pick<CrawlerConfig, "handbook">,
  remembered: (look: () => Promise<Apart>) => () => Promise<Apart> = (look) => look,
): Engine {
  if (handbook === "always") return engine
  let known: { readonly apart: Promise<Apart>; readonly until: number } | undefined
  const apart = remembered(async () => {
    if (!known || known.until < steadyNow()) {
      const look = { apart: lookFor(db, handbook === "off"), until: steadyNow() + KNOWN_MS }
      // The next query tries again after an error.
      look.apart.catch(() => (known = known === look ? undefined : known))
      known = look
    }
    return await known.apart
  })
  /** The query, changed to leave out the handbook where necessary. */
  const asked = async <Q extends Pick<Query, "text"> & { readonly filter?: PageFilter }>(
    query: Q,
  ): Promise<Q> => {
    const now = (query.filter?.sources ?? []).length > 0 ? null : await apart()
    if (now === null || hostsIn(query).some((name) => hostName(name) === now.host)) return query
    const excludeSources = [...(query.filter?.excludeSources ?? []), HANDBOOK_SOURCE]
    return { ...query, filter: { ...query.filter, excludeSources } }
  }
  return {
    ...delegate(engine),
    search: async (query, options) => engine.search(await asked(query), options),
    facets: async (query, options) => engine.facets(await asked(query), options),
    suggest: async (query) => engine.suggest(await asked(query)),
  }
}

async function lookFor(db: StateStore, isOff: boolean): Promise<Apart> {
  // An older version allowed a declared source with this name; such a source is treated like any other.
  if (await isDeclared(db, HANDBOOK_SOURCE)) return null
  const page = await somePage(db, HANDBOOK_SOURCE)
  const host = page === null ? null : hostName(new URL(page).hostname)
  return isOff || (host !== null && (await othersHavePages(db, HANDBOOK_SOURCE))) ? { host } : null
}

function hostsIn({
  text,
  filter,
  preference,
}: Pick<Query, "text" | "preference"> & { readonly filter?: PageFilter }): readonly string[] {
  const { includeDomains } = typeof text === "string" ? parseQueryText(text) : text
  return [...includeDomains, ...(filter?.includeDomains ?? []), ...(preference?.domains ?? [])]
}
