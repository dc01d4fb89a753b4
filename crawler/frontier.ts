import type { StatementSync } from "node:sqlite"
import type { PageUrl } from "#engine"
import type { Job } from "./jobs.ts"
import type { KnownAddresses, Visited } from "./known-addresses.ts"
import { type StateStore, transaction } from "./state-store.ts"

/** An address to visit. */
export interface FrontierEntry {
  readonly url: PageUrl
  readonly host: string
  readonly depth: number
  /** Visits made before this one. */
  readonly tries: number
}

export interface NewEntry {
  readonly url: PageUrl
  readonly depth: number
  /** Lower goes first. Default 0. */
  readonly priority?: number
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
  readonly #statements = new Map<string, StatementSync>()
  readonly #hosts = new Map<string, HostQueue>()
  readonly #handedOut = new Set<PageUrl>()
  #remembered = new Set<string>()
  #open: number
  #addresses: number
  #sleepUntil = 0

  /** `maxAddresses`: how many addresses the crawl may come to know; what is found beyond is left out. */
  constructor(
    db: StateStore,
    job: Pick<Job, "id" | "source">,
    known: KnownAddresses,
    manners: (url: PageUrl) => HostManners,
    maxAddresses = Number.POSITIVE_INFINITY,
  ) {
    this.#db = db
    this.#job = job
    this.#known = known
    this.#manners = manners
    this.#maxAddresses = maxAddresses
    const hosts = db
      .prepare("select distinct host, url from crawl_url where job = ? and outcome is null group by host")
      .all(job.id)
    for (const row of hosts) this.#host(row["url"] as PageUrl, String(row["host"]))
    const open = db
      .prepare("select count(*) as n from crawl_url where job = ? and outcome is null")
      .get(job.id)
    this.#open = Number(open?.["n"])
    this.#addresses = Number(
      db.prepare("select count(*) as n from crawl_url where job = ?").get(job.id)?.["n"],
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

  /** Adds what is not yet known, as far as there is room. @returns how many were new. */
  add(entries: readonly NewEntry[]): number {
    const unknown = entries.filter(({ url }) => url.length <= MAX_URL_CHARS && !this.#remembered.has(url))
    let added = 0
    for (let from = 0; from < unknown.length && !this.isFull; from += ROWS) {
      added += this.#insert(unknown.slice(from, from + ROWS))
    }
    if (added > 0) this.#sleepUntil = 0
    return added
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
  next(now = Date.now()): FrontierEntry | null {
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
  hasNext(now = Date.now()): boolean {
    if (now < this.#sleepUntil) return false
    for (const queue of this.#hosts.values()) {
      if (queue.running >= queue.manners.concurrency || queue.nextAt > now) continue
      if (queue.ready.length === 0) this.#fill(queue, now)
      if (queue.ready.length > 0) return true
    }
    return false
  }

  /** The connection is free again; the outcome follows by {@link record} or {@link postpone}. */
  release(entry: FrontierEntry, now = Date.now()): void {
    const queue = this.#host(entry.url, entry.host)
    queue.running -= 1
    queue.nextAt = Math.max(queue.nextAt, now + queue.manners.delayMs)
    this.#sleepUntil = 0
  }

  /** Takes an entry back that needs no visit after all, since its outcome is known. */
  drop(entry: FrontierEntry): void {
    this.#host(entry.url, entry.host).running -= 1
    this.#sleepUntil = 0
  }

  /** Slows a host down, as its robots.txt asks. */
  setDelay(entry: FrontierEntry, delayMs: number): void {
    const queue = this.#host(entry.url, entry.host)
    queue.manners = { concurrency: 1, delayMs: Math.max(queue.manners.delayMs, delayMs) }
  }

  /** Leaves a host alone until then. */
  block(entry: FrontierEntry, until: number): void {
    const queue = this.#host(entry.url, entry.host)
    queue.nextAt = Math.max(queue.nextAt, until)
  }

  /** Closes every open address of a host, but those in hand, with one outcome. */
  giveUp(host: string, outcome: string, detail: string): void {
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
        "update crawl_url set outcome = ?, detail = ? where job = ? and url = ? and outcome is null",
      )
      const join = this.#prepare(
        `insert or ignore into crawl_url (job, url, host, depth, priority, due, outcome, detail)
         values (?, ?, ?, 0, 0, 0, ?, ?)`,
      )
      const count = this.#prepare(
        `insert into job_outcome values (?, ?, 1) on conflict (job, outcome) do update set count = count + 1`,
      )
      for (const { url, outcome, detail } of results) {
        const was = Number(close.run(outcome, detail, this.#job.id, url).changes)
        const joined =
          was === 1 ? 0 : Number(join.run(this.#job.id, url, new URL(url).host, outcome, detail).changes)
        closed += was
        if (was + joined > 0) count.run(this.#job.id, outcome)
      }
      this.#known.record(this.#job.id, this.#job.source.name, results)
      // A crawl that gets on is not one that takes down its process each time.
      this.#prepare("update job set crashes = 0 where id = ? and crashes > 0").run(this.#job.id)
    })
    this.#open -= closed
    for (const { url } of results) this.#handedOut.delete(url)
    this.#sleepUntil = 0
  }

  /** The recorded outcome of an address; null while it is open or unknown. */
  outcomeOf(url: PageUrl): string | null {
    const row = this.#prepare("select outcome from crawl_url where job = ? and url = ?").get(
      this.#job.id,
      url,
    )
    return (row?.["outcome"] ?? null) as string | null
  }

  #insert(entries: readonly NewEntry[]): number {
    if (this.#remembered.size > REMEMBERED) this.#remembered = new Set()
    let added = 0
    const spellings: string[] = []
    transaction(this.#db, () => {
      const insert = this.#prepare(
        "insert or ignore into crawl_url (job, url, host, depth, priority, due) values (?, ?, ?, ?, ?, 0)",
      )
      for (const { url, depth, priority = 0 } of entries) {
        if (this.#addresses + added >= this.#maxAddresses) break
        const { host, href } = new URL(url)
        // The parser's own text: that of a link may be a part of its whole page, which would be remembered with it.
        spellings.push(href)
        const { changes } = insert.run(this.#job.id, url, host, depth, priority)
        if (changes === 0) continue
        added += 1
        this.#host(url, host).emptyUntil = 0
      }
    })
    for (const url of spellings) this.#remembered.add(url)
    this.#open += added
    this.#addresses += added
    return added
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
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
      `select url, depth, tries from crawl_url where job = ? and host = ? and outcome is null and due <= ?
         order by priority, depth limit ?`,
    ).all(this.#job.id, queue.host, now, CHUNK + this.#handedOut.size)
    for (const row of rows) {
      const url = row["url"] as PageUrl
      if (this.#handedOut.has(url)) continue
      this.#handedOut.add(url)
      queue.ready.push({ url, host: queue.host, depth: Number(row["depth"]), tries: Number(row["tries"]) })
      if (queue.ready.length === CHUNK) break
    }
    if (queue.ready.length > 0) return
    const due = this.#prepare(
      "select min(due) as due from crawl_url where job = ? and host = ? and outcome is null and due > ?",
    ).get(this.#job.id, queue.host, now)?.["due"]
    queue.emptyUntil = due === null || due === undefined ? Number.POSITIVE_INFINITY : Number(due)
  }
}
