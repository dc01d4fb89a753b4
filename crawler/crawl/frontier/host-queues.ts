import { Serial } from "#base/flow/serial.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { PageUrl } from "#engine"
import type { HostManners, HostPace, HostPaces, PaceParty } from "../../fetch/hosts/host-paces.ts"
import type { ListedFacts } from "./known-addresses.ts"

/** An address to visit. */
export interface FrontierEntry {
  readonly url: PageUrl
  readonly host: string
  readonly depth: number
  /** Number of visits made before this one. */
  readonly tries: number
  /** The facts from lists in this run. */
  readonly facts: ListedFacts
}

interface HostQueue {
  readonly host: string
  readonly pace: HostPace
  /** Addresses that were read from the store and are not handed out yet. */
  readonly ready: FrontierEntry[]
  /** Nothing can be found in the store before this time. */
  emptyUntil: number
}

/** Changes since the store was queried for a host's addresses. */
interface Filling {
  /** Addresses that were closed or postponed since then: the store's answer is ignored for these. */
  readonly gone: Set<PageUrl>
  /** Whether addresses may have been added that are missing from the store's answer. */
  isLate: boolean
}

/** Where the open addresses of hosts are kept. */
export interface OpenAddresses {
  /** The first addresses of a host that are due, up to `limit`. */
  due(host: string, now: number, limit: number): Promise<FrontierEntry[]>
  /** When a host's next address is due; infinite if it has none. */
  nextDue(host: string, now: number): Promise<number>
}

const CHUNK = 64

/**
 * Hands out addresses host by host, each host at its own pace, which other jobs can share, and knows which addresses
 * are handed out. All of it is in memory, so a lost process leaves nothing to clean up.
 */
export class HostQueues implements PaceParty, Disposable {
  readonly #manners: (url: PageUrl) => HostManners
  readonly #open: OpenAddresses
  readonly #paces: HostPaces
  readonly #hosts = new Map<string, HostQueue>()
  readonly #handedOut = new Set<PageUrl>()
  /** Serializes callers that may have to query the store. */
  readonly #callers = new Serial()
  #filling: Filling | null = null
  #sleepUntil = 0
  /** Number of calls of {@link wake}: if one is made during a search for an address, the queues do not go to sleep after it. */
  #woken = 0

  constructor(manners: (url: PageUrl) => HostManners, open: OpenAddresses, paces: HostPaces) {
    this.#manners = manners
    this.#open = open
    this.#paces = paces
  }

  [Symbol.dispose](): void {
    this.#paces.leave(this)
  }

  /** Number of visits handed out whose outcome is not recorded, and of addresses that are ready to be handed out. */
  get handedOut(): number {
    return this.#handedOut.size
  }

  /** Whether an address is handed out, or ready to be. */
  isOut(url: PageUrl): boolean {
    return this.#handedOut.has(url)
  }

  /** Call this when a host has a new open address. */
  found(url: PageUrl, host: string): void {
    this.#host(url, host).emptyUntil = 0
    if (this.#filling) this.#filling.isLate = true
  }

  /** Call this when an address that could not be handed out before may be handed out now. */
  wake(): void {
    this.#woken += 1
    this.#sleepUntil = 0
  }

  /** Call this when an address has its outcome. */
  closed(url: PageUrl): void {
    this.#handedOut.delete(url)
    this.#passed(url)
  }

  /** Reserves an address that gets its outcome without a visit. @returns false when it is handed out, or ready to be */
  reserve(url: PageUrl): boolean {
    if (this.#handedOut.has(url)) return false
    this.#handedOut.add(url)
    return true
  }

  /** Stops handing out the host's ready addresses. */
  withdraw(host: string): void {
    for (const { url } of this.#hosts.get(host)?.ready.splice(0) ?? []) this.#handedOut.delete(url)
  }

  /** Makes an address wait until the given time. */
  postpone({ url, host }: Pick<FrontierEntry, "url" | "host">, until: number): void {
    this.#handedOut.delete(url)
    this.#passed(url)
    const queue = this.#host(url, host)
    queue.emptyUntil = Math.min(queue.emptyUntil, until)
    this.wake()
  }

  /** Hands out the next address that may be visited now, or null. */
  async next(now = steadyNow()): Promise<FrontierEntry | null> {
    return await this.#callers.run(() => this.#next(now))
  }

  async #next(now: number): Promise<FrontierEntry | null> {
    if (now < this.#sleepUntil) return null
    const woken = this.#woken
    let wake = Number.POSITIVE_INFINITY
    for (const queue of this.#hosts.values()) {
      if (this.#wantsMore(queue, now)) await this.#fill(queue, now)
      // This is determined only now, because other jobs may have started a request to the host while the store was
      // queried.
      const freeAt = queue.pace.freeAt(now)
      if (freeAt > now) {
        wake = Math.min(wake, freeAt)
        continue
      }
      let entry = queue.ready.shift()
      // A redirect to the address may have closed it while it was ready.
      while (entry && !this.#handedOut.has(entry.url)) entry = queue.ready.shift()
      if (!entry) {
        wake = Math.min(wake, queue.emptyUntil)
        continue
      }
      queue.pace.start(now)
      // Moves the host to the end of the round.
      this.#hosts.delete(queue.host)
      this.#hosts.set(queue.host, queue)
      return entry
    }
    if (this.#woken === woken) this.#sleepUntil = wake
    return null
  }

  /** Whether {@link next} would return an address. */
  async hasNext(now = steadyNow()): Promise<boolean> {
    return await this.#callers.run(() => this.#hasNext(now))
  }

  async #hasNext(now: number): Promise<boolean> {
    if (now < this.#sleepUntil) return false
    for (const queue of this.#hosts.values()) {
      if (this.#wantsMore(queue, now)) await this.#fill(queue, now)
      if (queue.ready.length > 0 && queue.pace.freeAt(now) <= now) return true
    }
    return false
  }

  /**
   * When the next address may be handed out, as far as is known; ready addresses are considered due now. Infinite if
   * there is none, or if another process is visiting its host.
   */
  freeAt(now = steadyNow()): number {
    let first = Number.POSITIVE_INFINITY
    for (const { pace, ready, emptyUntil } of this.#hosts.values()) {
      const free = Math.max(pace.freeAt(now), ready.length > 0 ? now : emptyUntil)
      first = Math.min(first, Math.max(free, now))
      if (first <= now) break
    }
    return first
  }

  /** Frees the connection; the outcome follows through {@link record} or {@link postpone}. */
  release(entry: FrontierEntry, now = steadyNow()): void {
    this.#host(entry.url, entry.host).pace.end(now)
    this.wake()
  }

  /** Takes back an entry that needs no visit after all, because its outcome is known. */
  drop(entry: FrontierEntry, now = steadyNow()): void {
    this.#host(entry.url, entry.host).pace.drop(now)
    this.wake()
  }

  /** Takes back an entry, to be handed out again before any other address on its host. */
  putBack(entry: FrontierEntry, now = steadyNow()): void {
    this.#host(entry.url, entry.host).ready.unshift(entry)
    this.drop(entry, now)
  }

  /** Slows a host down for all jobs, as its robots.txt requests. */
  setDelay(entry: FrontierEntry, delayMs: number): void {
    this.#host(entry.url, entry.host).pace.slow(delayMs)
  }

  /** The pause from the end of one visit to a host to the start of the next. */
  delayOf(entry: Pick<FrontierEntry, "url" | "host">): number {
    return this.#host(entry.url, entry.host).pace.delayMs
  }

  /** Leaves a host alone until the given time, together with all hosts that share its pace. */
  block(entry: Pick<FrontierEntry, "url" | "host">, until: number): void {
    this.#host(entry.url, entry.host).pace.block(until)
  }

  #host(url: PageUrl, host: string): HostQueue {
    let queue = this.#hosts.get(host)
    if (!queue) {
      const pace = this.#paces.of(host)
      pace.join(this, this.#manners(url))
      queue = { host, pace, ready: [], emptyUntil: 0 }
      this.#hosts.set(host, queue)
    }
    return queue
  }

  /** Whether to query the store for addresses of a host that may be visited now. */
  #wantsMore({ ready, emptyUntil, pace }: HostQueue, now: number): boolean {
    return ready.length === 0 && emptyUntil <= now && pace.freeAt(now) <= now
  }

  async #fill(queue: HostQueue, now: number): Promise<void> {
    const filling: Filling = (this.#filling = { gone: new Set(), isLate: false })
    try {
      for (const entry of await this.#open.due(queue.host, now, CHUNK + this.#handedOut.size)) {
        if (this.#handedOut.has(entry.url) || filling.gone.has(entry.url)) continue
        this.#handedOut.add(entry.url)
        queue.ready.push(entry)
        if (queue.ready.length === CHUNK) break
      }
      if (queue.ready.length > 0) return
      const next = await this.#open.nextDue(queue.host, now)
      if (!filling.isLate) queue.emptyUntil = next
    } finally {
      this.#filling = null
    }
  }

  /** Marks the store's pending answer about an address as outdated. */
  #passed(url: PageUrl): void {
    if (this.#filling === null) return
    this.#filling.gone.add(url)
    this.#filling.isLate = true
  }
}
