import { steadyNow } from "#base/steady-time.ts"
import { pause } from "#base/flow/pause.ts"
import type { HostPast, HostTurn, SharedPace, Turns } from "./host-turn.ts"

/** How fast a host is visited. */
export interface HostManners {
  /** Maximum number of requests at the same time. */
  readonly concurrency: number
  /** Pause from the end of one request to the start of the next. */
  readonly delayMs: number
}

/** A visitor of a host, with its own limits; the most careful visitor sets the pace. */
export interface PaceParty {
  /** Called when the host may be free again. */
  wake(): void
}

export interface TurnOptions {
  readonly manners: HostManners
  readonly signal: AbortSignal
  /** Whether the turn is no longer wanted, for example because the host was abandoned. */
  readonly isOver?: () => boolean
}

/** How long another process's delay still applies after its turn. If both processes want the host, the other one gets its next turn within this time. */
const OTHERS_MS = 10_000
/** How often we check whether another process's request has ended. */
const POLL_MS = 50
/** How often we check whether a turn is still wanted. */
const LONG_POLL_MS = 500

/**
 * The pace of every host, shared by all jobs of a process: two jobs on one host together send no more requests at once,
 * and send them no faster, than one job would. Times come from `steadyNow()`.
 */
export class HostPaces {
  readonly #hosts = new Map<string, HostPace>()
  readonly #turns: Turns | null

  /** @param turns the turns that this process shares with others that visit the same hosts. Default: there are no others. */
  constructor(turns: Turns | null = null) {
    this.#turns = turns
  }

  /** @param host with its port, as in `URL.host` */
  of(host: string): HostPace {
    let pace = this.#hosts.get(host)
    if (!pace) {
      const made = new HostPace()
      made.share(this.#turns?.of(host, made) ?? null)
      this.#hosts.set(host, (pace = made))
    }
    return pace
  }

  /** Must be called when a party stops visiting. The host's own delays are remembered until they expire. */
  leave(party: PaceParty, now = steadyNow()): void {
    for (const [host, pace] of this.#hosts) {
      pace.leave(party)
      if (!pace.isQuiet(now)) continue
      this.#hosts.delete(host)
      this.#turns?.forget(host)
    }
  }

  /**
   * Waits until a request to a host may be made, ahead of the ordinary queue; the request ends when the turn is disposed of.
   * @returns null when the turn is no longer wanted.
   */
  async turn(
    host: string,
    { manners, signal, isOver = () => false }: TurnOptions,
  ): Promise<Disposable | null> {
    const pace = this.of(host)
    const party: PaceParty = { wake: () => undefined }
    pace.join(party, manners)
    pace.asking += 1
    try {
      for (;;) {
        if (signal.aborted || isOver()) break
        const now = steadyNow()
        const at = pace.freeFor(now)
        if (at <= now) {
          pace.start(now)
          return {
            [Symbol.dispose]: () => {
              pace.end(steadyNow())
              pace.leave(party)
            },
          }
        }
        const ms = at === Infinity ? POLL_MS : Math.min(at - now, LONG_POLL_MS)
        await pause(ms, signal)
      }
    } finally {
      pace.asking -= 1
      pace.wake()
    }
    pace.leave(party)
    return null
  }
}

/** The pace of one host. */
export class HostPace implements SharedPace {
  /** Number of requests that are waiting for a turn of their own; they go first. */
  asking = 0
  readonly #parties = new Map<PaceParty, HostManners>()
  #manners: HostManners = { concurrency: 1, delayMs: 0 }
  /** The delay in the host's robots.txt; `null` if it has none. */
  #crawlDelayMs: number | null = null
  #running = 0
  /** When the last request began or ended. */
  #lastAt = Number.NEGATIVE_INFINITY
  #blockedUntil = 0
  #turn: HostTurn | null = null
  /** The delay of the process that had the turn before and may still want to visit the host; it applies until `until`. */
  #others = { delayMs: 0, until: 0 }

  /** @param turn the turn required for every request to the host; `null` if no other process visits it */
  share(turn: HostTurn | null): void {
    this.#turn = turn
  }

  /** Takes over the host's history from other processes, with times converted to this process's clock. Called when this process gets the turn. */
  goOn(before: HostPast, now: number): void {
    this.#lastAt = Math.max(this.#lastAt, before.lastAt)
    this.block(before.blockedUntil)
    if (before.crawlDelayMs !== null) this.slow(before.crawlDelayMs)
    this.#others = { delayMs: before.delayMs, until: now + OTHERS_MS }
  }

  /** The information about past requests that the next process to get the turn needs. */
  get past(): HostPast {
    const { delayMs } = this.#manners
    return {
      lastAt: this.#lastAt,
      blockedUntil: this.#blockedUntil,
      delayMs,
      crawlDelayMs: this.#crawlDelayMs,
    }
  }

  /** Whether no request to the host is running. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Must be called when a party starts visiting the host with these limits. */
  join(party: PaceParty, manners: HostManners): void {
    this.#parties.set(party, manners)
    this.#judge()
  }

  leave(party: PaceParty): void {
    if (!this.#parties.delete(party)) return
    this.#settle()
    if (this.#parties.size === 0) return
    this.#judge()
    this.wake()
  }

  /** Pause from the end of one request to the start of the next. */
  get delayMs(): number {
    return Math.max(this.#manners.delayMs, this.#crawlDelayMs ?? 0)
  }

  /** When the next request may begin, if known; infinite if that depends on another request ending. */
  freeAt(now: number): number {
    return this.asking > 0 ? Number.POSITIVE_INFINITY : this.freeFor(now)
  }

  /** Like `freeAt`, but for a request that is waiting for a turn of its own. */
  freeFor(now: number): number {
    const free = this.#freeByPace(now)
    if (free > now || this.#turn === null) return free
    const turnAt = this.#turn.freeAt(now)
    // Check the pace again, because getting the turn also brings information about requests from other processes.
    return turnAt > now ? turnAt : this.#freeByPace(now)
  }

  #freeByPace(now: number): number {
    const concurrency = this.#crawlDelayMs === null ? this.#manners.concurrency : 1
    if (this.#running >= concurrency) return Number.POSITIVE_INFINITY
    // If the clock was set back, a request still waits no longer than the delay.
    const last = Math.min(this.#lastAt, now)
    const delayMs = now < this.#others.until ? Math.max(this.delayMs, this.#others.delayMs) : this.delayMs
    return Math.max(last + delayMs, this.#blockedUntil)
  }

  start(now: number): void {
    this.#running += 1
    this.#lastAt = now
  }

  end(now: number): void {
    this.#running -= 1
    this.#lastAt = Math.max(this.#lastAt, now)
    this.#settle()
    this.wake()
  }

  /** Must be called when no request was made after all, immediately after {@link start}. */
  drop(now: number): void {
    this.#running -= 1
    // The request was allowed to start, so the previous one ended at least this long ago.
    this.#lastAt = Math.min(this.#lastAt, now - this.delayMs)
    this.#settle()
    this.wake()
  }

  /** Slows down requests to the host, as its robots.txt asks. */
  slow(delayMs: number): void {
    this.#crawlDelayMs = Math.max(this.#crawlDelayMs ?? 0, delayMs)
  }

  /** Leaves the host alone until the given time. */
  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until)
  }

  /** Notifies all parties that the host may be free. */
  wake(): void {
    for (const party of this.#parties.keys()) party.wake()
  }

  /** Whether nobody is visiting the host, and nothing about it has to be remembered. */
  isQuiet(now: number): boolean {
    return (
      this.#parties.size === 0 && this.#running === 0 && this.asking === 0 && this.#freeByPace(now) <= now
    )
  }

  /** Lets other processes take their turn when nobody here is visiting the host, or when they have waited long enough. */
  #settle(): void {
    if (this.#running === 0) this.#turn?.settle(this.#parties.size > 0)
  }

  #judge(): void {
    const all = [...this.#parties.values()]
    this.#manners = {
      concurrency: Math.min(...all.map(({ concurrency }) => concurrency)),
      delayMs: Math.max(...all.map(({ delayMs }) => delayMs)),
    }
  }
}
