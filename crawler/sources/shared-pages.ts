import { sourceAsRun } from "../jobs/source-runs.ts"
import { type Engine, type Page, type PageUrl, sourcesOf, withSources } from "#engine"
import type { Clock } from "#base/clock.ts"
import { queriesOf } from "#base/store/query/queries.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"
import { KnownAddresses } from "../crawl/frontier/known-addresses.ts"
import type { Source } from "../source.ts"
import { forgetPagesForNobody } from "./readers/pages-for-nobody.ts"
import { ReaderRules } from "./readers/reader-rules.ts"
import { isDeclared } from "./source-names.ts"
import { migrateSources, type SourceTables } from "./source-schema.ts"

/** A page that a source gives up. */
export interface LetGo {
  readonly url: PageUrl
  /** Whether the site reported that this address is gone; false if it was left out by the source's own rules. */
  readonly isGone: boolean
}

/** If a name without a declared source hasn't visited a page for this long, it is assumed that it won't visit the page again. */
const ABANDONED_MS = 30 * 24 * 3_600_000

/** The login with which a source reads its pages. */
type Identity = Pick<Source, "login"> & Partial<Pick<Source, "clientCert">>

/**
 * Tracks which sources the pages in the index belong to, from the perspective of one source: a page that it reads then
 * belongs to it as well as to the sources that already have the page, and a page that it gives up stays with the
 * others. The caller has the index open for writing.
 */
export class SharedPages {
  readonly #db: StateStore
  readonly #engine: Pick<Engine, "get" | "holdersOf" | "index" | "remove">
  readonly #source: Pick<Source, "name"> & Identity
  readonly #clock: Clock
  readonly #rules: ReaderRules
  readonly #identities = new Map<string, string>()

  constructor(
    db: StateStore,
    engine: Pick<Engine, "get" | "holdersOf" | "index" | "remove">,
    source: Pick<Source, "name"> & Identity,
    clock: Clock = Date.now,
  ) {
    migrateSources(db)
    this.#db = db
    this.#engine = engine
    this.#source = source
    this.#clock = clock
    this.#rules = new ReaderRules(db)
  }

  /**
   * Returns pages as they must be stored in the index now that this source has read them, including those that other
   * sources also have. Sources with a different login are removed from a page, because a page shown to one login is not
   * meant for everyone who may see the other's pages; this is recorded before the page is written. Readers that the
   * other sources name are kept. The readers of all pages are registered.
   */
  async joined(pages: readonly Page[]): Promise<Page[]> {
    const known = new KnownAddresses(this.#db, this.#clock)
    const joined = await Promise.all(
      pages.map(async (page) => {
        const holders = await this.#engine.holdersOf(page.url)
        const others = holders.filter((name) => name !== this.#source.name)
        if (others.length === 0) return page
        const alike: string[] = []
        for (const name of others) if (await this.#logsInAlike(name)) alike.push(name)
        if (alike.length < others.length) {
          await transaction(this.#db, async () => {
            for (const name of others) if (!alike.includes(name)) await known.setHash(page.url, name, null)
          })
        }
        const held = alike.length === 0 ? null : await this.#engine.get(page.url)
        return withSources(withReadersOf(page, held), [page.source, ...alike])
      }),
    )
    await this.#rules.register(joined)
    return joined
  }

  /** Whether this source may share the indexed page. */
  async mayShare(page: Page): Promise<boolean> {
    for (const name of sourcesOf(page))
      if (name !== this.#source.name && !(await this.#logsInAlike(name))) return false
    return true
  }

  /**
   * Removes pages from this source. Pages that other sources also have stay in the index. But if the site says that a
   * page is gone, it is also removed from sources that won't visit it again.
   * @returns the pages that left the index
   */
  async letGo(pages: readonly LetGo[]): Promise<PageUrl[]> {
    const known = new KnownAddresses(this.#db, this.#clock)
    const left: PageUrl[] = []
    const stay: Page[] = []
    for (const { url, isGone } of pages) {
      const page = await this.#engine.get(url)
      const others = page ? sourcesOf(page).filter((name) => name !== this.#source.name) : []
      const abandoned: string[] = []
      for (const name of isGone ? others : []) if (await this.#isAbandoned(url, name)) abandoned.push(name)
      const [first, ...more] = others.filter((name) => !abandoned.includes(name))
      if (page && first !== undefined) {
        if (others.length < sourcesOf(page).length || abandoned.length > 0)
          stay.push(withSources(page, [first, ...more]))
        continue
      }
      left.push(url)
      await transaction(this.#db, async () => {
        for (const name of abandoned) await known.setHash(url, name, null)
      })
    }
    await this.#rules.register(stay)
    if (stay.length > 0) await this.#engine.index(stay)
    if (left.length > 0) await this.#engine.remove(left)
    await forgetPagesForNobody(this.#db, left)
    return left
  }

  async #logsInAlike(name: string): Promise<boolean> {
    let identity = this.#identities.get(name)
    if (identity === undefined)
      this.#identities.set(name, (identity = identityIn(await identityOf(this.#db, name))))
    return identity === identityIn(this.#source)
  }

  async #isAbandoned(url: PageUrl, name: string): Promise<boolean> {
    if (await isDeclared(this.#db, name)) return false
    const known = await new KnownAddresses(this.#db).get(url, name)
    return known === null || known.visitedAt < this.#clock() - ABANDONED_MS
  }
}

/** A page, with the readers that other sources name in another copy of it. */
export function withReadersOf(page: Page, copy: Page | null): Page {
  const others = (copy?.readers ?? []).filter(({ source }) => source !== page.source)
  return others.length === 0 ? page : { ...page, readers: [...(page.readers ?? []), ...others] }
}

const identityIn = ({ login, clientCert = null }: Identity): string => JSON.stringify([login, clientCert])

/** The login of a source: as declared, or otherwise as in its last run. */
export async function identityOf(db: StateStore, name: string): Promise<Identity> {
  const declared = queriesOf<SourceTables>(db).selectFrom("source").select("spec").where("name", "=", name)
  const row = await declared.executeTakeFirst()
  const source = row ? (JSON.parse(row.spec) as Partial<Source>) : await sourceAsRun(db, name)
  return { login: source?.login ?? null, clientCert: source?.clientCert ?? null }
}
