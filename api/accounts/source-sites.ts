import type { Jobs, Source, StateStore } from "#crawler"
import type { PageUrl } from "#engine"

import type { AddressTest } from "./reach.ts"

/**
 * Which addresses belong to sources: those that a crawl of them may visit, by seeds, scope and patterns. Of a source
 * that nobody declared its last crawl tells. What is known of neither has no addresses.
 */
export function sourceSites(db: StateStore, jobs: Jobs): (names: readonly string[]) => Promise<AddressTest> {
  return async (names) => {
    // Loaded with the first call that needs it, like everything that only live calls need.
    const [{ membership }, { SourceTable }] = await Promise.all([
      import("#crawler/scope.ts"),
      import("#crawler/sources/source-table.ts"),
    ])
    const table = new SourceTable(db, jobs)
    const sources = names.flatMap((name): Source[] => {
      const source = table.get(name)?.source ?? jobs.list({ source: name, limit: 1 })[0]?.source
      return source === undefined ? [] : [source]
    })
    const tests = sources.map((source) => membership(source, new Map<string, PageUrl>()))
    return (url) => tests.some((test) => test(url))
  }
}
