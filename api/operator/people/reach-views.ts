import { breather } from "#base/flow/breather.ts"
import { firstPages } from "#crawler/crawl/frontier/source-pages.ts"
import { type ReadersNow, readersNow } from "#crawler/sources/readers/readers-now.ts"
import { declaredNames } from "#crawler/sources/source-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { type Engine, type Page, sourcesOf } from "#engine"
import { EVERYBODY, mayRead, type Principal, type Readers, SIGNED_IN } from "#engine/index/page/readers.ts"

import { UNLIMITED } from "../../identity/accounts/keys/key-scope.ts"
import { type Collections, openCollections } from "../../identity/accounts/reach/collections.ts"
import { indexLimits, type PageLimits, scopedPage } from "../../identity/accounts/reach/scoped-pages.ts"
import { PersonStore } from "../../identity/people/person-store.ts"
import { areLetIn, type Asked, ofPerson, type People, roleTest } from "./asked-person.ts"
import { allGroups } from "./groups.ts"
import { knownPeople } from "./known-people.ts"
import { readersText } from "./page-trace.ts"
import { type PageCounts, reachBySource, reachName, reachOfAll, type SourceReach } from "./pages-in-reach.ts"

export interface LookParts {
  readonly db: StateStore
  readonly engine: Pick<Engine, "get" | "search" | "pagesByReaders">
  /** The sign-on rules for people; null if no provider signs people in. */
  readonly people: People
  readonly counts: PageCounts
}

/** Maximum number of sources in a matrix. */
const MOST_SOURCES = 100
/** Maximum number of pages in a sample, and maximum number of pages of each source that are checked for it. */
const SAMPLE = { pages: 10, looks: 5 }
const NONE: SourceReach = { pages: 0, readable: 0 }

/** The pages that people and groups see, for an administrator. */
export class ReachViews {
  readonly store: PersonStore
  readonly collections: Collections
  readonly #parts: LookParts

  constructor(parts: LookParts) {
    this.#parts = parts
    this.store = new PersonStore(parts.db)
    this.collections = openCollections(parts.db)
  }

  readonly readers = (): Promise<ReadersNow> => readersNow(this.#parts.db)

  /** The pages that a person or principals may see; null for all. */
  limitsOf(limited: Pick<Asked, "scope" | "principals">): Promise<PageLimits | null> {
    return indexLimits(limited, { collections: this.collections, readers: this.readers })
  }

  /**
   * The people who have signed in and may read a page, and the number of people who have any rights. @param effective
   * the combined rules of the page
   */
  async readersAmong(
    page: Page,
    effective: Readers,
  ): Promise<{ readonly of: number; readonly users: readonly string[] }> {
    const users: string[] = []
    let of = 0
    const leaves = roleTest(sourcesOf(page), this.collections)
    for await (const person of knownPeople(this.store)) {
      const asked = ofPerson(person, this.#parts.people)
      if (asked.refusal !== null) continue
      of += 1
      if (areLetIn(asked, effective) && (await leaves(asked)) !== false) users.push(person.user)
    }
    return { of, users }
  }

  /** The sources that a person or principals may see, with page counts and a sample of pages. */
  async seenBy(asked: Asked) {
    const now = await this.readers()
    const rows = await this.#parts.counts.now()
    const limits = asked.refusal === null ? await this.limitsOf(asked) : NOTHING
    const reach = reachBySource(rows, limits)
    const sources = (await this.#names(reach)).map((source) => {
      const own = now.sources.get(source) ?? EVERYBODY
      const one = reach.get(source) ?? NONE
      const isLeft = limits?.sources?.includes(source) ?? true
      const isOpen = isLeft && areLetIn(asked, own)
      return { source, reach: reachName(one, isOpen), ...one, text: `Source ${source} ${readersText(own)}.` }
    })
    const seen = sources.filter(({ readable }) => readable > 0).map(({ source }) => source)
    return { sources, ...reachOfAll(rows, limits), sample: await this.#sample(seen, limits) }
  }

  async #sample(sources: readonly string[], limits: PageLimits | null) {
    const sample: { url: string; title: string; source: string }[] = []
    for (const source of sources) {
      for (const url of await firstPages(this.#parts.db, source, SAMPLE.looks)) {
        if (sample.length >= SAMPLE.pages) return sample
        const page = scopedPage(await this.#parts.engine.get(url), limits)
        if (page !== null) sample.push({ url, title: page.title, source })
      }
    }
    return sample
  }

  /** How much of each source each group may read. @param part text that the sources' names must contain */
  async matrix({ part, limit, offset }: { part: string; limit: number; offset: number }) {
    const now = await this.readers()
    const rows = await this.#parts.counts.now()
    const groups = await allGroups(this.store, now, rows)
    const all = reachBySource(rows, null)
    const named = (await this.#names(all)).filter((name) => name.includes(part))
    const names = named.slice(0, MOST_SOURCES)
    const row = async (
      principal: Principal | null,
      people: number | null,
      more: readonly Principal[] = [],
    ) => {
      const principals = principal === null ? [] : [principal, ...more]
      const reach = reachBySource(rows, await this.limitsOf({ scope: UNLIMITED, principals }))
      const cells = names.map((name) => {
        const one = reach.get(name) ?? NONE
        const isOpen = mayRead(new Set(principals), now.sources.get(name) ?? EVERYBODY)
        return { reach: reachName(one, isOpen), readable: one.readable }
      })
      return { principal, people, cells }
    }
    const lines = [await row(null, null), await row(SIGNED_IN, await this.store.count())]
    const breathe = breather()
    for (const { name, people } of groups.slice(offset, offset + limit)) {
      lines.push(await row(`group:${name}`, people, [SIGNED_IN]))
      await breathe()
    }
    return {
      sources: names.map((source) => ({ source, pages: all.get(source)?.pages ?? 0 })),
      sources_total: named.length,
      rows: lines,
      total: groups.length,
    }
  }

  /** Declared sources, and others that have pages; sorted by name. */
  async #names(reach: ReadonlyMap<string, SourceReach>): Promise<readonly string[]> {
    return [...new Set([...(await declaredNames(this.#parts.db)), ...reach.keys()])].sort()
  }
}

const NOTHING: PageLimits = { sources: [], domains: null, readable: null }
