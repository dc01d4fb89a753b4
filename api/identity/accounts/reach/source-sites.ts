import type { Jobs, Source, StateStore } from "#crawler"

import type { AddressTest } from "./reach.ts"

/**
 * Which addresses belong to sources. These are the addresses that a crawl may visit, according to seeds and their
 * redirects, scope and patterns. For an undeclared source, its last crawl decides. A source that is neither declared
 * nor crawled has no addresses.
 */
export function sourceSites(db: StateStore, jobs: Jobs): (names: readonly string[]) => Promise<AddressTest> {
  // Loaded on the first call that needs these modules, like everything needed only for live calls.
  const load = async () => {
    const [{ membership }, { landingsOf }, { SourceTable }] = await Promise.all([
      import("#crawler/crawl/scope/scope.ts"),
      import("#crawler/jobs/landings.ts"),
      import("#crawler/sources/source-table.ts"),
    ])
    const table = new SourceTable(db, jobs)
    const sourceOf = async (name: string) =>
      (await table.get(name))?.source ?? (await jobs.list({ source: name, limit: 1 }))[0]?.source
    return {
      sourceOf,
      testOf: async (source: Source) => membership(source, await landingsOf(db, source.name)),
    }
  }
  let loading: ReturnType<typeof load> | undefined
  return async (names) => {
    const { sourceOf, testOf } = await (loading ??= load())
    const sources = (await Promise.all(names.map(sourceOf))).filter((source) => source !== undefined)
    const tests = await Promise.all(sources.map(testOf))
    return (url) => tests.some((test) => test(url))
  }
}
