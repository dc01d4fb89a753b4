import { steadyNow } from "#base/steady-time.ts"
import { pause } from "#base/flow/pause.ts"
import type { HostPast, HostTurn, SharedPace, Turns } from "./host-turn.ts"

/** How fast a host is visited. */
export interface HostManners {
  /** Requests at the same time. */
  readonly concurrency: number
  /** From the end of one request to the start of the next. */
  readonly delayMs: number
}

/** Who visits a host at its own manners; the most careful of all of them set the pace. */
export interface PaceParty {
  /** The host may be free again. */
  wake(): void
}

export interface TurnOptions {
  readonly manners: HostManners
  readonly signal: AbortSignal
  /** Whether nobody wants the turn any longer, such as since the host was given up. */
  readonly isOver?: () => boolean
}

/** So long after a turn of another process its delay counts: while both want the host, it has its next turn within that time. */
const OTHERS_MS = 10_000
/** How soon it is seen that a request of somebody else has ended. */
const POLL_MS = 50
/** How soon it is seen that nobody wants a turn any longer. */
const LONG_POLL_MS = 500

/**
 * The pace of every host, the same for all that one process does: two jobs on one host ask it for no more at once, nor
 * faster, than one. Times are told by `steadyNow()`.
 */
export class HostPaces {
  readonly #hosts = new Map<string, HostPace>()
  readonly #turns: Turns | null

  /** @param turns of this process among others that visit the same hosts. Default: there are none. */
  constructor(turns: Turns | null = null) {
    this.#turns = turns
  }

  /** @param host with its port, as `URL.host` has it */
  of(host: string): HostPace {
    let pace = this.#hosts.get(host)
    if (!pace) {
      const made = new HostPace()
      made.share(this.#turns?.of(host, made) ?? null)
      this.#hosts.set(host, (pace = made))
    }
    return pace
  }

  /** A party visits nothing any more. What a host asked for stays known until its time is over. */
  leave(party: PaceParty, now = steadyNow()): void {
    for (const [host, pace] of this.#hosts) {
      pace.leave(party)
      if (!pace.isQuiet(now)) continue
      this.#hosts.delete(host)
      this.#turns?.forget(host)
    }
  }

  /**
   * Waits until a request to a host may be made, before any that queue up otherwise; it is over when the turn is
   * disposed of.
   * @returns null when nobody wants it any longer.
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
  /** Requests that wait for a turn of their own; they go first. */
  asking = 0
  readonly #parties = new Map<PaceParty, HostManners>()
  #manners: HostManners = { concurrency: 1, delayMs: 0 }
  /** As its robots.txt asks; null: it does not. */
  #crawlDelayMs: number | null = null
  #running = 0
  /** When the last request began or ended. */
  #lastAt = Number.NEGATIVE_INFINITY
  #blockedUntil = 0
  #turn: HostTurn | null = null
  /** Of the process that had the turn before, and may be at the host again. */
  #others = { delayMs: 0, until: 0 }

  /** @param turn without which nothing may be asked of the host; null: no other process visits it */
  share(turn: HostTurn | null): void {
    this.#turn = turn
  }

  /** What other processes have asked of the host, by the time of this one. Told when the turn is this process's. */
  goOn(before: HostPast, now: number): void {
    this.#lastAt = Math.max(this.#lastAt, before.lastAt)
    this.block(before.blockedUntil)
    if (before.crawlDelayMs !== null) this.slow(before.crawlDelayMs)
    this.#others = { delayMs: before.delayMs, until: now + OTHERS_MS }
  }

  /** What the next process has to know. */
  get past(): HostPast {
    const { delayMs } = this.#manners
    return {
      lastAt: this.#lastAt,
      blockedUntil: this.#blockedUntil,
      delayMs,
      crawlDelayMs: this.#crawlDelayMs,
    }
  }

  /** Whether nothing is being asked of the host. */
  get isIdle(): boolean {
    return this.#running === 0
  }

  /** Somebody visits the host at these manners from now on. */
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

  /** From the end of one request to the start of the next. */
  get delayMs(): number {
    return Math.max(this.#manners.delayMs, this.#crawlDelayMs ?? 0)
  }

  /** When the next request may begin, as far as is known; infinite: when another one has ended. */
  freeAt(now: number): number {
    return this.asking > 0 ? Number.POSITIVE_INFINITY : this.freeFor(now)
  }

  /** The same for a request that waits for a turn of its own. */
  freeFor(now: number): number {
    const free = this.#freeByPace(now)
    if (free > now || this.#turn === null) return free
    const turnAt = this.#turn.freeAt(now)
    // With the turn comes what others have asked of the host.
    return turnAt > now ? turnAt : this.#freeByPace(now)
  }

  #freeByPace(now: number): number {
    const concurrency = this.#crawlDelayMs === null ? this.#manners.concurrency : 1
    if (this.#running >= concurrency) return Number.POSITIVE_INFINITY
    // A clock that was set back holds nobody up for longer than the pause.
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

  /** Nothing was asked of the host after all. Follows {@link start} at once. */
  drop(now: number): void {
    this.#running -= 1
    // It could be started, so that the one before was so long ago at least.
    this.#lastAt = Math.min(this.#lastAt, now - this.delayMs)
    this.#settle()
    this.wake()
  }

  /** Slows it down, as its robots.txt asks. */
  slow(delayMs: number): void {
    this.#crawlDelayMs = Math.max(this.#crawlDelayMs ?? 0, delayMs)
  }

  /** Leaves it alone until then. */
  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until)
  }

  /** Tells everybody that it may be free. */
  wake(): void {
    for (const party of this.#parties.keys()) party.wake()
  }

  /** Whether nobody visits it, and nothing has to be kept in mind of it. */
  isQuiet(now: number): boolean {
    return (
      this.#parties.size === 0 && this.#running === 0 && this.asking === 0 && this.#freeByPace(now) <= now
    )
  }

  /** Others may have their turn when nobody here visits the host, or they have waited for it. */
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
