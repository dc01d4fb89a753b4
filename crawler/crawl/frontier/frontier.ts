import { once } from "#base/store/query/once.ts"
import { type Queries, queriesOf } from "#base/store/query/queries.ts"
import { lesser } from "#base/store/query/words.ts"
import type { CrawlUrl, FoundHow, FrontierTables, ListingKind } from "./frontier-schema.ts"
import { OutcomeBook } from "./outcome-book.ts"
import { type FrontierEntry, HostQueues, type OpenAddresses } from "./host-queues.ts"
import { type HostManners, HostPaces } from "../../fetch/hosts/host-paces.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import type { PageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { Job } from "../../job.ts"
import {
  type KnownAddress,
  type KnownAddresses,
  listedFacts,
  type ListedFacts,
  type Visited,
} from "./known-addresses.ts"
import { type StateStore, transaction } from "#base/store/state-store.ts"

/** Addresses found in one place. */
export interface Finding {
  readonly how: FoundHow
  /** The page, sitemap or feed that names them; `null` for seeds. */
  readonly on: string | null
  readonly depth: number
  /** Whether to leave out addresses of the source that are not due. */
  readonly onlyDue?: boolean
}

/** An address as a sitemap or feed lists it. */
export interface ListedAddress extends ListedFacts {
  readonly url: PageUrl
  /** Its markdown copy according to the list, in case the address itself is missing. */
  readonly copy?: PageUrl
}

/** Maximum length of an address; longer ones are left out. RFC 9110 §4.1 asks for at least 8000 octets. */
export const MAX_URL_CHARS = 8000

/** Rows per write transaction, few enough that nobody waits long for the store. */
const ROWS = 1000
/** Links are visited before addresses from sitemaps and feeds, and these before addresses left over from earlier runs. */
const LISTED_PRIORITY = 1
const KNOWN_PRIORITY = 2
/** Recorded instead of a sitemap for pages of a source that is not a website, wherever its content is. */
export const IN_CONTENT = "content"
/** Number of addresses remembered as known, so that a site's navigation is not looked up in the store for each page. */
const REMEMBERED = 200_000

type Added = CrawlUrl<"host" | "depth" | "priority" | "found_how" | "found_on">

const insert = once((q: Queries<FrontierTables>, row: Added) => {
  const { job, url, host, depth, priority, found_how, found_on } = row
  return q
    .insertInto("crawl_url")
    .values({ job, url, host, depth, priority, due: 0, found_how, found_on })
    .onConflict((conflict) => conflict.doNothing())
})

const openAt = (q: Queries<FrontierTables>, { job, url }: CrawlUrl) =>
  q.updateTable("crawl_url").where((eb) => eb.and({ job, url, outcome: null }))

const advance = once((q: Queries<FrontierTables>, row: CrawlUrl<"depth" | "found_how" | "found_on">) =>
  openAt(q, row)
    .set((eb) => ({ depth: lesser(eb.ref("depth"), eb.val(row.depth)) }))
    .set({ found_how: row.found_how, found_on: row.found_on })
    .where("found_how", "is", null),
)

const demote = once((q: Queries<FrontierTables>, row: CrawlUrl<"priority">) =>
  openAt(q, row).set({ priority: row.priority }).where("found_how", "<>", "seed"),
)

const noteFacts = once(
  (q: Queries<FrontierTables>, row: CrawlUrl<"modified_at" | "published_at" | "news" | "listed_in">) =>
    openAt(q, row).set(listedFacts(row)),
)

const postpone = once((q: Queries<FrontierTables>, { job, url, due, tries }: CrawlUrl<"due" | "tries">) =>
  q
    .updateTable("crawl_url")
    .set({ due, tries })
    .where((eb) => eb.and({ job, url })),
)

const notDue = once(
  (q: Queries<FrontierTables>, { job, url, source, now }: CrawlUrl & { source: string; now: number }) =>
    q
      .selectFrom("known_address")
      .select("url")
      .where((eb) => eb.and({ url, source }))
      .where("due_at", ">", now)
      .where("job", "<>", job),
)

interface OpenHost {
  readonly job: number
  readonly host: string
}

const openOf = (q: Queries<FrontierTables>, { job, host }: OpenHost) =>
  q.selectFrom("crawl_url").where((eb) => eb.and({ job, host, outcome: null }))

const dueBy = once((q: Queries<FrontierTables>, one: OpenHost & { now: number; limit: number }) =>
  openOf(q, one)
    .select(["url", "depth", "tries", "modified_at as modifiedAt", "published_at as publishedAt", "news"])
    .where("due", "<=", one.now)
    .orderBy("priority")
    .orderBy("depth")
    .limit(one.limit),
)

const dueAfter = once((q: Queries<FrontierTables>, one: OpenHost & { now: number }) =>
  openOf(q, one)
    .select((eb) => eb.fn.min<number | null>("due").as("due"))
    .where("due", ">", one.now),
)

/**
 * The addresses that a crawl has to visit, in `state.db`. An address is open until its outcome is recorded. Addresses
 * that are handed out are recorded only in memory, so a lost process leaves nothing to clean up: every address without
 * an outcome is visited again. One process works on a crawl at a time, and its name is in the job's row.
 *
 * Hosts take turns; within a host, lower priority and depth go first.
 */
export class Frontier implements OpenAddresses, Disposable {
  readonly #db: StateStore
  readonly #job: Pick<Job, "id" | "source">
  readonly #known: KnownAddresses
  readonly #maxAddresses: number
  readonly #queues: HostQueues
  readonly #outcomes: OutcomeBook
  #remembered = new Set<string>()
  #open = 0
  #addresses = 0
  #knownAdded = 0

  private constructor(
    db: StateStore,
    job: Pick<Job, "id" | "source">,
    known: KnownAddresses,
    manners: (url: PageUrl) => HostManners,
    maxAddresses: number,
    paces: HostPaces,
  ) {
    this.#db = db
    this.#job = job
    this.#known = known
    this.#queues = new HostQueues(manners, this, paces)
    this.#outcomes = new OutcomeBook(db, job, known)
    this.#maxAddresses = maxAddresses
  }

  /**
   * `maxAddresses`: how many addresses the crawl may learn of; further ones are left out. `maxWaitMs`: the longest wait
   * that {@link postpone} may be given. `paces`: the paces of hosts, which other jobs may also visit.
   */
  static async open(
    db: StateStore,
    job: Pick<Job, "id" | "source">,
    known: KnownAddresses,
    manners: (url: PageUrl) => HostManners,
    maxAddresses = Number.POSITIVE_INFINITY,
    maxWaitMs = Number.POSITIVE_INFINITY,
    paces = new HostPaces(),
  ): Promise<Frontier> {
    const frontier = new Frontier(db, job, known, manners, maxAddresses, paces)
    await frontier.#read(maxWaitMs)
    return frontier
  }

  async #read(maxWaitMs: number): Promise<void> {
    const { id } = this.#job
    const queries = queriesOf<FrontierTables>(this.#db)
    if (Number.isFinite(maxWaitMs)) {
      // These addresses were postponed by a process whose clock was ahead; they do not wait until the clock reaches
      // that time.
      await queries
        .updateTable("crawl_url")
        .set({ due: 0 })
        .where("job", "=", id)
        .where("outcome", "is", null)
        .where("due", ">", steadyNow() + maxWaitMs)
        .execute()
    }
    const addresses = queries.selectFrom("crawl_url").where("job", "=", id)
    const counted = addresses.select((eb) => eb.fn.countAll<number>().as("n"))
    this.#open = (await counted.where("outcome", "is", null).executeTakeFirstOrThrow()).n
    this.#addresses = (await counted.where("found_how", "is not", null).executeTakeFirstOrThrow()).n
    const hosts = await addresses
      .select((eb) => ["host", eb.fn.min("url").as("url")])
      .where("outcome", "is", null)
      .groupBy("host")
      .execute()
    for (const { url, host } of hosts) this.#queues.found(url, host)
  }

  [Symbol.dispose](): void {
    this.#queues[Symbol.dispose]()
  }

  /** Addresses without an outcome, including those being visited. */
  get open(): number {
    return this.#open
  }

  /** Number of visits that were handed out and whose outcome is not recorded yet. */
  get handedOut(): number {
    return this.#queues.handedOut
  }

  /** Whether {@link add} leaves out every new address. */
  get isFull(): boolean {
    return this.#addresses >= this.#maxAddresses
  }

  /** Adds addresses that are new to the run, while there is room. @returns how many were new. */
  async add(urls: readonly PageUrl[], finding: Finding): Promise<number> {
    const unknown = urls.filter((url) => url.length <= MAX_URL_CHARS && !this.#remembered.has(url))
    let added = 0
    for (let from = 0; from < unknown.length && !this.isFull; from += ROWS) {
      if (this.#remembered.size > REMEMBERED) this.#remembered = new Set()
      const some = unknown.slice(from, from + ROWS)
      // The addresses are remembered before anything is awaited, so that another page with the same links need not look
      // them up.
      for (const url of some) this.#remember(url)
      added += await this.#adding((isNew) => this.#insert(some, finding, isNew))
    }
    return added
  }

  /** Runs `work` in a transaction, and queues the addresses that it adds once they are visible to all connections. @returns how many were added */
  async #adding(work: (isNew: (url: PageUrl) => void) => Promise<void>): Promise<number> {
    const added: PageUrl[] = []
    await transaction(this.#db, () =>
      work((url) => {
        added.push(url)
        this.#open += 1
      }),
    )
    for (const url of added) this.#queues.found(url, new URL(url).host)
    if (added.length > 0) this.#queues.wake()
    return added.length
  }

  // Stores the URL parser's own string: a link's string may be a slice of its whole page, which would stay in memory
  // with it.
  #remember(url: PageUrl): void {
    this.#remembered.add(new URL(url).href)
  }

  /**
   * Adds the addresses that a sitemap, a feed or the content of a source lists, and stores the facts they state.
   * `isDue` decides which of the source's known addresses are added.
   */
  async list(
    entries: readonly ListedAddress[],
    {
      how,
      on,
      isDue,
    }: {
      how: ListingKind | "content"
      on: string
      isDue?: (known: KnownAddress, facts: ListedFacts) => boolean
    },
  ): Promise<void> {
    const { id, source } = this.#job
    const listedIn = how === "sitemap" ? on : how === "content" ? IN_CONTENT : null
    // A file is reached only from its folder, so its depth is 0.
    const depth = how === "content" ? 0 : 1
    for (let from = 0; from < entries.length && !this.isFull; from += ROWS) {
      await this.#adding(async (isNew) => {
        for (const entry of entries.slice(from, from + ROWS)) {
          if (entry.url.length > MAX_URL_CHARS) continue
          const known = await this.#known.list(source.name, id, entry.url, listedIn, entry)
          if (known && isDue && !isDue(known, entry)) continue
          await this.#insert([entry.url], { how, on, depth }, isNew, LISTED_PRIORITY)
          this.#remember(entry.url)
          await noteFacts.run(this.#db, {
            job: id,
            url: entry.url,
            modified_at: entry.modifiedAt,
            published_at: entry.publishedAt,
            news: entry.isNews ? 1 : 0,
            listed_in: listedIn,
          })
        }
      })
    }
  }

  /**
   * Adds addresses left over from earlier runs, after new ones and in this order. They do not use up the room for newly
   * found addresses.
   */
  async revisit(addresses: readonly Pick<KnownAddress, "url" | "depth">[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += ROWS) {
      await this.#adding(async (isNew) => {
        for (const { url, depth } of addresses.slice(from, from + ROWS)) {
          const { host } = new URL(url)
          const priority = KNOWN_PRIORITY + this.#knownAdded++
          const added = { job: this.#job.id, url, host, depth, priority, found_how: null, found_on: null }
          if ((await insert.run(this.#db, added)) === 0) {
            // The address was already found through a link: new pages are visited before it, and so are those that have
            // waited longer.
            await demote.run(this.#db, added)
          } else isNew(url)
        }
      })
    }
  }

  /** Whether an address that was handed out still has no recorded outcome. Does not query the store. */
  isOpen(entry: FrontierEntry): boolean {
    return this.#queues.isOut(entry.url)
  }

  /** Whether exactly this spelling was added recently; a fast test before anything is parsed. */
  remembers(url: string): boolean {
    return this.#remembered.has(url)
  }

  /** Same as {@link HostQueues.next}. */
  async next(now?: number): Promise<FrontierEntry | null> {
    return await this.#queues.next(now)
  }

  /** Same as {@link HostQueues.hasNext}. */
  async hasNext(now?: number): Promise<boolean> {
    return await this.#queues.hasNext(now)
  }

  /** Same as {@link HostQueues.freeAt}. */
  freeAt(now?: number): number {
    return this.#queues.freeAt(now)
  }

  /** Same as {@link HostQueues.release}. */
  release(entry: FrontierEntry, now?: number): void {
    this.#queues.release(entry, now)
  }

  /** Same as {@link HostQueues.drop}. */
  drop(entry: FrontierEntry, now?: number): void {
    this.#queues.drop(entry, now)
  }

  /** Same as {@link HostQueues.putBack}. */
  putBack(entry: FrontierEntry, now?: number): void {
    this.#queues.putBack(entry, now)
  }

  /** Same as {@link HostQueues.setDelay}. */
  setDelay(entry: FrontierEntry, delayMs: number): void {
    this.#queues.setDelay(entry, delayMs)
  }

  /** Same as {@link HostQueues.delayOf}. */
  delayOf(entry: Pick<FrontierEntry, "url" | "host">): number {
    return this.#queues.delayOf(entry)
  }

  /** Same as {@link HostQueues.block}. */
  block(entry: Pick<FrontierEntry, "url" | "host">, until: number): void {
    this.#queues.block(entry, until)
  }

  async due(host: string, now: number, limit: number): Promise<FrontierEntry[]> {
    const rows = await dueBy.all(this.#db, { job: this.#job.id, host, now, limit })
    return rows.map(({ url, depth, tries, modifiedAt, publishedAt, news }) => {
      return { url, host, depth, tries, facts: { modifiedAt, publishedAt, isNews: news === 1 } }
    })
  }

  async nextDue(host: string, now: number): Promise<number> {
    const next = await dueAfter.get(this.#db, { job: this.#job.id, host, now })
    return next?.due ?? Number.POSITIVE_INFINITY
  }

  /** Closes every open address of a host, except those being visited, with one outcome. */
  async giveUp(host: string, outcome: OutcomeName, detail: string): Promise<void> {
    this.#queues.withdraw(host)
    const { id: job } = this.#job
    const rows = await openOf(queriesOf(this.#db), { job, host }).select("url").execute()
    const results = rows
      .map(({ url }) => ({ url, outcome, detail }))
      .filter(({ url }) => this.#queues.reserve(url))
    for (let from = 0; from < results.length; from += ROWS)
      await this.record(results.slice(from, from + ROWS))
  }

  /** Puts an address back, to be tried again at a given time. */
  async postpone(entry: FrontierEntry, until: number, tries = entry.tries + 1): Promise<void> {
    await postpone.run(this.#db, { job: this.#job.id, url: entry.url, due: until, tries })
    this.#queues.postpone(entry, until)
  }

  /** See {@link OutcomeBook.record}. */
  async record(results: readonly Visited[]): Promise<void> {
    const closed = await this.#outcomes.record(results)
    this.#open -= closed
    for (const { url } of results) this.#queues.closed(url)
  }

  /** See {@link OutcomeBook.reopen}. */
  async reopen(urls: readonly PageUrl[]): Promise<void> {
    if (urls.length === 0) return
    for (const url of await this.#outcomes.reopen(urls)) {
      this.#open += 1
      this.#queues.found(url, new URL(url).host)
    }
    this.#queues.wake()
  }

  /** Same as {@link OutcomeBook.outcomeOf}. */
  async outcomeOf(url: PageUrl): Promise<OutcomeName | null> {
    return await this.#outcomes.outcomeOf(url)
  }

  // Runs in the caller's transaction.
  async #insert(
    urls: readonly PageUrl[],
    { how: found_how, on: found_on, depth, onlyDue = false }: Finding,
    isNew: (url: PageUrl) => void,
    priority = 0,
  ): Promise<void> {
    const { id, source } = this.#job
    const now = onlyDue ? this.#known.now() : 0
    for (const url of urls) {
      if (this.isFull) break
      const { host } = new URL(url)
      if (onlyDue && (await notDue.get(this.#db, { url, source: source.name, now, job: id }))) continue
      if ((await insert.run(this.#db, { job: id, url, host, depth, priority, found_how, found_on })) === 0) {
        // An address left over from an earlier run may turn out to be nearer to a seed.
        await advance.run(this.#db, { job: id, url, depth, found_how, found_on })
        continue
      }
      this.#addresses += 1
      isNew(url)
    }
  }
}
