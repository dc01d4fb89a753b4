import type { OutcomeName } from "../outcome-name.ts"
import type { PageUrl } from "#engine"
import { steadyNow } from "#base/steady-time.ts"
import type { Job } from "../job.ts"
import {
  type Found,
  FOUND_SOMEHOW,
  type FoundHow,
  type KnownAddress,
  type KnownAddresses,
  type ListedFacts,
  type Visited,
} from "./known-addresses.ts"
import { prepareOnce, type StateStore, transaction } from "#base/store/state-store.ts"

/** An address to visit. */
export interface FrontierEntry {
  readonly url: PageUrl
  readonly host: string
  readonly depth: number
  /** Visits made before this one. */
  readonly tries: number
  /** What was said of it in this run. */
  readonly facts: ListedFacts
}

/** Addresses found in one place. */
export interface Finding {
  readonly how: FoundHow
  /** The page, sitemap or feed that names them; null for seeds. */
  readonly on: string | null
  readonly depth: number
  /** Leave out those of the source that are not due. */
  readonly onlyDue?: boolean
}

/** An address as a sitemap or feed lists it. */
export interface ListedAddress extends ListedFacts {
  readonly url: PageUrl
}

export interface HostManners {
  /** Visits at the same time. */
  readonly concurrency: number
  /** From the end of one visit to the start of the next. */
  readonly delayMs: number
}

interface HostQueue {
  readonly host: string
  manners: HostManners
  running: number
  nextAt: number
  /** Read from the store, not handed out yet. */
  readonly ready: FrontierEntry[]
  /** Nothing to be found in the store before this. */
  emptyUntil: number
}

/** Longer addresses are left out. RFC 9110 §4.1 asks for 8000 octets at least. */
export const MAX_URL_CHARS = 8000

const CHUNK = 64
/** Rows of one write transaction, so that nobody waits long for the store. */
const ROWS = 1000
/** Links go before what sitemaps and feeds list, and that before what earlier runs left. */
const LISTED_PRIORITY = 1
const KNOWN_PRIORITY = 2
/** Addresses remembered as known, so that a site's navigation is not looked up in the store for each page. */
const REMEMBERED = 200_000

/**
 * What a crawl has to visit, in `state.db`. An address is open until its outcome is recorded; what is handed
 * out is known in memory only, so a lost process leaves nothing to clean up: whatever has no outcome is
 * visited again. One process works on a crawl at a time (it holds the index for writing).
 *
 * Hosts take turns; within a host, lower priority and depth go first.
 */
export class Frontier {
  readonly #db: StateStore
  readonly #job: Pick<Job, "id" | "source">
  readonly #known: KnownAddresses
  readonly #manners: (url: PageUrl) => HostManners
  readonly #maxAddresses: number
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #hosts = new Map<string, HostQueue>()
  readonly #handedOut = new Set<PageUrl>()
  #remembered = new Set<string>()
  #open: number
  #addresses: number
  #sleepUntil = 0
  #knownAdded = 0

  /**
   * `maxAddresses`: how many addresses the crawl may come to know; what is found beyond is left out.
   * `maxWaitMs`: the longest that {@link postpone} is asked for.
   */
  constructor(
    db: StateStore,
    job: Pick<Job, "id" | "source">,
    known: KnownAddresses,
    manners: (url: PageUrl) => HostManners,
    maxAddresses = Number.POSITIVE_INFINITY,
    maxWaitMs = Number.POSITIVE_INFINITY,
  ) {
    this.#db = db
    this.#prepare = prepareOnce(db)
    this.#job = job
    this.#known = known
    this.#manners = manners
    this.#maxAddresses = maxAddresses
    if (Number.isFinite(maxWaitMs)) {
      // Put off by a process whose clock was ahead: nothing waits for that time to come round again.
      db.prepare("update crawl_url set due = 0 where job = ? and outcome is null and due > ?").run(
        job.id,
        steadyNow() + maxWaitMs,
      )
    }
    const hosts = db
      .prepare("select distinct host, url from crawl_url where job = ? and outcome is null group by host")
      .all(job.id)
    for (const row of hosts) this.#host(row["url"] as PageUrl, String(row["host"]))
    const open = db
      .prepare("select count(*) as n from crawl_url where job = ? and outcome is null")
      .get(job.id)
    this.#open = Number(open?.["n"])
    this.#addresses = Number(
      db.prepare("select count(*) as n from crawl_url where job = ? and found_how is not null").get(job.id)?.[
        "n"
      ],
    )
  }

  /** Addresses without an outcome, those being visited among them. */
  get open(): number {
    return this.#open
  }

  /** Visits handed out whose outcome is not recorded. */
  get handedOut(): number {
    return this.#handedOut.size
  }

  /** Whether {@link add} leaves out whatever comes. */
  get isFull(): boolean {
    return this.#addresses >= this.#maxAddresses
  }

  /** Adds what the run does not know, as far as there is room. @returns how many were new. */
  add(urls: readonly PageUrl[], finding: Finding): number {
    const unknown = urls.filter((url) => url.length <= MAX_URL_CHARS && !this.#remembered.has(url))
    let added = 0
    for (let from = 0; from < unknown.length && !this.isFull; from += ROWS) {
      if (this.#remembered.size > REMEMBERED) this.#remembered = new Set()
      added += transaction(this.#db, () => this.#insert(unknown.slice(from, from + ROWS), finding))
    }
    if (added > 0) this.#sleepUntil = 0
    return added
  }

  /**
   * Adds what a sitemap or feed lists, and takes down what it says. With `isDue`, of the source's known addresses
   * only those it holds for.
   */
  list(
    entries: readonly ListedAddress[],
    {
      how,
      on,
      isDue,
    }: { how: "sitemap" | "feed"; on: string; isDue?: (known: KnownAddress, facts: ListedFacts) => boolean },
  ): void {
    const { id, source } = this.#job
    const listedIn = how === "sitemap" ? on : null
    for (let from = 0; from < entries.length && !this.isFull; from += ROWS) {
      transaction(this.#db, () => {
        for (const entry of entries.slice(from, from + ROWS)) {
          if (entry.url.length > MAX_URL_CHARS) continue
          const known = this.#known.list(source.name, id, entry.url, listedIn, entry)
          if (known && isDue && !isDue(known, entry)) continue
          this.#insert([entry.url], { how, on, depth: 1 }, LISTED_PRIORITY)
          this.#prepare(
            `update crawl_url set modified_at = coalesce(?3, modified_at), published_at = coalesce(?4, published_at),
               news = max(news, ?5), listed_in = coalesce(?6, listed_in)
             where job = ?1 and url = ?2 and outcome is null`,
          ).run(id, entry.url, entry.modifiedAt, entry.publishedAt, entry.isNews ? 1 : 0, listedIn)
        }
      })
    }
    this.#sleepUntil = 0
  }

  /**
   * Adds addresses that earlier runs left, behind what is new and in this order. They take no room from what is
   * found anew.
   */
  revisit(addresses: readonly Pick<KnownAddress, "url" | "depth">[]): void {
    for (let from = 0; from < addresses.length; from += ROWS) {
      transaction(this.#db, () => {
        const insert = this.#prepare(
          "insert or ignore into crawl_url (job, url, host, depth, priority, due) values (?, ?, ?, ?, ?, 0)",
        )
        const demote = this.#prepare(
          "update crawl_url set priority = ? where job = ? and url = ? and outcome is null and found_how <> 'seed'",
        )
        for (const { url, depth } of addresses.slice(from, from + ROWS)) {
          const { host } = new URL(url)
          const priority = KNOWN_PRIORITY + this.#knownAdded++
          if (insert.run(this.#job.id, url, host, depth, priority).changes === 0) {
            // Found already, by a link to it: new pages go before it, and those that waited longer.
            demote.run(priority, this.#job.id, url)
            continue
          }
          this.#open += 1
          this.#host(url, host).emptyUntil = 0
        }
      })
    }
    this.#sleepUntil = 0
  }

  /** Whether an address that was handed out still has no recorded outcome. Answered without the store. */
  isOpen(entry: FrontierEntry): boolean {
    return this.#handedOut.has(entry.url)
  }

  /** Whether this very spelling was added lately; a fast test before anything is parsed. */
  remembers(url: string): boolean {
    return this.#remembered.has(url)
  }

  /** Hands out the next address that may be visited now, or null. */
  next(now = steadyNow()): FrontierEntry | null {
    if (now < this.#sleepUntil) return null
    let wake = Number.POSITIVE_INFINITY
    for (const queue of this.#hosts.values()) {
      if (queue.running >= queue.manners.concurrency) continue
      if (queue.nextAt > now) {
        wake = Math.min(wake, queue.nextAt)
        continue
      }
      if (queue.ready.length === 0) this.#fill(queue, now)
      let entry = queue.ready.shift()
      // A redirect to it may have closed it while it was ready.
      while (entry && !this.#handedOut.has(entry.url)) entry = queue.ready.shift()
      if (!entry) {
        wake = Math.min(wake, queue.emptyUntil)
        continue
      }
      queue.running += 1
      queue.nextAt = now + queue.manners.delayMs
      // To the end of the round.
      this.#hosts.delete(queue.host)
      this.#hosts.set(queue.host, queue)
      return entry
    }
    this.#sleepUntil = wake
    return null
  }

  /** Whether {@link next} would hand something out. */
  hasNext(now = steadyNow()): boolean {
    if (now < this.#sleepUntil) return false
    for (const queue of this.#hosts.values()) {
      if (queue.running >= queue.manners.concurrency || queue.nextAt > now) continue
      if (queue.ready.length === 0) this.#fill(queue, now)
      if (queue.ready.length > 0) return true
    }
    return false
  }

  /** The connection is free again; the outcome follows by {@link record} or {@link postpone}. */
  release(entry: FrontierEntry, now = steadyNow()): void {
    const queue = this.#host(entry.url, entry.host)
    queue.running -= 1
    queue.nextAt = Math.max(queue.nextAt, now + queue.manners.delayMs)
    this.#sleepUntil = 0
  }

  /** Takes an entry back that needs no visit after all, since its outcome is known. */
  drop(entry: FrontierEntry, now = steadyNow()): void {
    const queue = this.#host(entry.url, entry.host)
    queue.running -= 1
    // Nothing was asked of the host.
    queue.nextAt = Math.min(queue.nextAt, now)
    this.#sleepUntil = 0
  }

  /** Slows a host down, as its robots.txt asks. */
  setDelay(entry: FrontierEntry, delayMs: number): void {
    const queue = this.#host(entry.url, entry.host)
    queue.manners = { concurrency: 1, delayMs: Math.max(queue.manners.delayMs, delayMs) }
  }

  /** From the end of one visit to a host to the start of the next. */
  delayOf(entry: Pick<FrontierEntry, "url" | "host">): number {
    return this.#host(entry.url, entry.host).manners.delayMs
  }

  /** Leaves a host alone until then. */
  block(entry: Pick<FrontierEntry, "url" | "host">, until: number): void {
    const queue = this.#host(entry.url, entry.host)
    queue.nextAt = Math.max(queue.nextAt, until)
  }

  /** Closes every open address of a host, but those in hand, with one outcome. */
  giveUp(host: string, outcome: OutcomeName, detail: string): void {
    for (const { url } of this.#hosts.get(host)?.ready.splice(0) ?? []) this.#handedOut.delete(url)
    const results = this.#prepare("select url from crawl_url where job = ? and host = ? and outcome is null")
      .all(this.#job.id, host)
      .map((row) => ({ url: row["url"] as PageUrl, outcome, detail }))
      .filter(({ url }) => !this.#handedOut.has(url))
    for (let from = 0; from < results.length; from += ROWS) this.record(results.slice(from, from + ROWS))
  }

  /** Puts an address back, to be tried again from then on. */
  postpone(entry: FrontierEntry, until: number, tries = entry.tries + 1): void {
    this.#prepare("update crawl_url set due = ?, tries = ? where job = ? and url = ?").run(
      until,
      tries,
      this.#job.id,
      entry.url,
    )
    this.#handedOut.delete(entry.url)
    const queue = this.#host(entry.url, entry.host)
    queue.emptyUntil = Math.min(queue.emptyUntil, until)
    this.#sleepUntil = 0
  }

  /**
   * Closes addresses with their outcomes, in one transaction, and counts them for the job. An address that was
   * not in the frontier, such as the target of a redirect, joins it closed.
   */
  record(results: readonly Visited[]): void {
    let closed = 0
    transaction(this.#db, () => {
      const close = this.#prepare(
        `update crawl_url set outcome = ?, detail = ? where job = ? and url = ? and outcome is null
         returning depth, found_how, found_on, modified_at, published_at, news, listed_in`,
      )
      const join = this.#prepare(
        `insert or ignore into crawl_url (job, url, host, depth, priority, due, outcome, detail, found_how, found_on)
         values (?, ?, ?, ?, 0, 0, ?, ?, ?, ?)`,
      )
      const count = this.#prepare(
        `insert into job_outcome values (?, ?, 1) on conflict (job, outcome) do update set count = count + 1`,
      )
      const { id } = this.#job
      const visits = results.map((visit) => {
        const { url, outcome, detail, found = FOUND_SOMEHOW } = visit
        const row = close.get(outcome, detail, id, url)
        if (row) {
          closed += 1
          count.run(id, outcome)
          return { ...visit, found: foundOf(row) }
        }
        const { changes } = join.run(
          id,
          url,
          new URL(url).host,
          found.depth,
          outcome,
          detail,
          found.how,
          found.on,
        )
        if (changes > 0) count.run(id, outcome)
        else this.#revise(visit)
        return { ...visit, found }
      })
      this.#known.record(this.#job, visits)
    })
    this.#open -= closed
    for (const { url } of results) this.#handedOut.delete(url)
    this.#sleepUntil = 0
  }

  /** Opens addresses again that were closed: what they were taken for has turned out to be nothing. */
  reopen(urls: readonly PageUrl[]): void {
    if (urls.length === 0) return
    transaction(this.#db, () => {
      for (const url of urls) {
        const before = this.outcomeOf(url)
        if (before === null) continue
        const { id } = this.#job
        this.#prepare("update crawl_url set outcome = null, detail = null where job = ? and url = ?").run(
          id,
          url,
        )
        this.#uncount(before)
        this.#open += 1
        this.#host(url, new URL(url).host).emptyUntil = 0
      }
    })
    this.#sleepUntil = 0
  }

  #uncount(outcome: OutcomeName): void {
    const { id } = this.#job
    this.#prepare("update job_outcome set count = count - 1 where job = ? and outcome = ?").run(id, outcome)
    this.#prepare("delete from job_outcome where job = ? and outcome = ? and count <= 0").run(id, outcome)
  }

  /** Corrects an outcome that is recorded: a page may turn out to be another one's. Runs in the caller's transaction. */
  #revise({ url, outcome, detail }: Visited): void {
    const { id } = this.#job
    const before = this.outcomeOf(url)
    if (before === null || before === outcome) return
    this.#prepare("update crawl_url set outcome = ?, detail = ? where job = ? and url = ?").run(
      outcome,
      detail,
      id,
      url,
    )
    this.#uncount(before)
    this.#prepare(
      `insert into job_outcome values (?, ?, 1) on conflict (job, outcome) do update set count = count + 1`,
    ).run(id, outcome)
  }

  /** The recorded outcome of an address; null while it is open or unknown. */
  outcomeOf(url: PageUrl): OutcomeName | null {
    const row = this.#prepare("select outcome from crawl_url where job = ? and url = ?").get(
      this.#job.id,
      url,
    )
    return (row?.["outcome"] ?? null) as OutcomeName | null
  }

  // Runs in the caller's transaction.
  #insert(urls: readonly PageUrl[], { how, on, depth, onlyDue = false }: Finding, priority = 0): number {
    const { id, source } = this.#job
    const insert = this.#prepare(
      `insert or ignore into crawl_url (job, url, host, depth, priority, due, found_how, found_on)
       values (?, ?, ?, ?, ?, 0, ?, ?)`,
    )
    // One that an earlier run left may turn out to be nearer.
    const advance = this.#prepare(
      `update crawl_url set depth = min(depth, ?3), found_how = ?4, found_on = ?5
       where job = ?1 and url = ?2 and outcome is null and found_how is null`,
    )
    const notDue = this.#prepare(
      "select 1 from known_address where url = ? and source = ? and due_at > ? and job <> ?",
    )
    const now = onlyDue ? this.#known.now() : 0
    let added = 0
    for (const url of urls) {
      if (this.#addresses >= this.#maxAddresses) break
      const { host, href } = new URL(url)
      // The parser's own text: that of a link may be a part of its whole page, which would be remembered with it.
      this.#remembered.add(href)
      if (onlyDue && notDue.get(url, source.name, now, id)) continue
      if (insert.run(id, url, host, depth, priority, how, on).changes === 0) {
        advance.run(id, url, depth, how, on)
        continue
      }
      added += 1
      this.#open += 1
      this.#addresses += 1
      this.#host(url, host).emptyUntil = 0
    }
    return added
  }

  #host(url: PageUrl, host: string): HostQueue {
    let queue = this.#hosts.get(host)
    if (!queue) {
      queue = { host, manners: this.#manners(url), running: 0, nextAt: 0, ready: [], emptyUntil: 0 }
      this.#hosts.set(host, queue)
    }
    return queue
  }

  #fill(queue: HostQueue, now: number): void {
    if (queue.emptyUntil > now) return
    const rows = this.#prepare(
      `select url, depth, tries, modified_at, published_at, news from crawl_url where job = ? and host = ? and outcome is null and due <= ?
         order by priority, depth limit ?`,
    ).all(this.#job.id, queue.host, now, CHUNK + this.#handedOut.size)
    for (const row of rows) {
      const url = row["url"] as PageUrl
      if (this.#handedOut.has(url)) continue
      this.#handedOut.add(url)
      const { depth, tries } = row
      queue.ready.push({
        url,
        host: queue.host,
        depth: Number(depth),
        tries: Number(tries),
        facts: factsOf(row),
      })
      if (queue.ready.length === CHUNK) break
    }
    if (queue.ready.length > 0) return
    const due = this.#prepare(
      "select min(due) as due from crawl_url where job = ? and host = ? and outcome is null and due > ?",
    ).get(this.#job.id, queue.host, now)?.["due"]
    queue.emptyUntil = due === null || due === undefined ? Number.POSITIVE_INFINITY : Number(due)
  }
}

function foundOf(row: Record<string, unknown>): Found {
  return {
    depth: Number(row["depth"]),
    how: row["found_how"] as FoundHow | null,
    on: row["found_on"] as string | null,
    listedIn: row["listed_in"] as string | null,
    ...factsOf(row),
  }
}

function factsOf(row: Record<string, unknown>): ListedFacts {
  return {
    modifiedAt: row["modified_at"] as number | null,
    publishedAt: row["published_at"] as number | null,
    isNews: row["news"] === 1,
  }
}
