import { steadyNow } from "#base/steady-time.ts"

/** Time between attempts to get the turn for hosts where another process has it. */
export const RETRY_MS = 500
/** How soon the store's answer is noticed. It is noticed at once if a party is woken. */
const ANSWER_MS = 10
/** Minimum duration of a turn while other processes are waiting: passing a turn on takes longer than the one-second pause after each page. */
const TURN_MS = 5000

/** What is known about earlier requests to a host. Times come from `steadyNow()`. */
export interface HostPast {
  /** When the last request began or ended; minus infinity if there was none. */
  readonly lastAt: number
  readonly blockedUntil: number
  /** The longest delay between requests that any of the host's visitors wants. */
  readonly delayMs: number
  /** The delay in the host's robots.txt; `null` if it sets none, or has not been read. */
  readonly crawlDelayMs: number | null
}

/** The part of a host's pace that its turn needs. */
export interface SharedPace {
  /** Whether no request to the host is running. */
  readonly isIdle: boolean
  /** The information about past requests that the next process to get the turn needs. */
  readonly past: HostPast
  /** Called when this process gets the turn, with what is known about earlier requests. */
  goOn(before: HostPast, now: number): void
  wake(): void
}

/** The turns that a process shares with others that visit the same hosts. */
export interface Turns {
  of(host: string, pace: SharedPace): HostTurn
  /** Must be called when the host's pace is no longer tracked. */
  forget(host: string): void
}

interface HostTurnParts {
  readonly isSound: () => boolean
  /** Queries the store, and begins the turn if it is available. Never rejects. */
  readonly take: (turn: HostTurn) => Promise<void>
  /** Returns before the store has been updated; a later `take` waits. */
  readonly giveBack: (turn: HostTurn) => void
}

/** The turn of this process at one host. */
export class HostTurn {
  readonly pace: SharedPace
  /** Whether this process has the turn. Without it, the process makes no visits to the host. */
  isHeld = false
  /** Whether this process wants the turn while another process has it. */
  isWanted = false
  readonly #parts: HostTurnParts
  #since = 0
  #tryAt = Number.NEGATIVE_INFINITY
  #isAsking = false
  /** Whether others have waited long enough: the turn moves to them once no request is running. */
  #handsOn = false

  constructor(pace: SharedPace, parts: HostTurnParts) {
    this.pace = pace
    this.#parts = parts
  }

  /** When other processes allow a visit to the host. Requests the turn if this process doesn't have it. */
  freeAt(now: number): number {
    if (this.isHeld) return this.#handsOn || !this.#parts.isSound() ? now + RETRY_MS : now
    this.isWanted = true
    if (!this.#isAsking && this.mayTry(now)) void this.#ask()
    return now + (this.#isAsking ? ANSWER_MS : RETRY_MS)
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    await this.#parts.take(this)
    this.#isAsking = false
  }

  /** Whether the turn may be requested now: `false` if it was requested a moment ago. Returning `true` counts as a try. */
  mayTry(now: number): boolean {
    if (now < this.#tryAt) return false
    this.#tryAt = now + RETRY_MS
    return true
  }

  /** Must be called when this process gets the turn. */
  begin(now: number, past: HostPast): void {
    this.isHeld = true
    this.isWanted = false
    this.#handsOn = false
    this.#since = now
    this.pace.goOn(past, now)
    this.pace.wake()
  }

  /** Must be called when other processes want their turn. */
  handOn(now: number): void {
    if (!this.isHeld || now - this.#since < TURN_MS) return
    this.#handsOn = true
    if (this.pace.isIdle) this.settle(true)
  }

  /** Must be called when no request is running. @param isVisited whether this process has more requests for the host */
  settle(isVisited: boolean): void {
    if (!isVisited) this.isWanted = false
    if (!this.isHeld || (isVisited && !this.#handsOn)) return
    this.isHeld = false
    // Waiting processes check every `RETRY_MS`.
    this.#tryAt = steadyNow() + 2 * RETRY_MS
    this.#parts.giveBack(this)
  }
}
