import { steadyNow } from "#base/steady-time.ts"

/** Between two attempts to have the turn at hosts where another process has it. */
export const RETRY_MS = 500
/** How soon it is seen that the store has answered. Where a party is woken, it is seen at once. */
const ANSWER_MS = 10
/** The shortest turn where others want theirs: to hand one on takes longer than the pause of a second after each page. */
const TURN_MS = 5000

/** What is known about earlier requests to a host. Times come from `steadyNow()`. */
export interface HostPast {
  /** When the last one began or ended; minus infinity: there was none. */
  readonly lastAt: number
  readonly blockedUntil: number
  /** The shortest pause between two requests that its visitors want. */
  readonly delayMs: number
  /** The delay in its robots.txt; null: it has none, or it has not been read. */
  readonly crawlDelayMs: number | null
}

/** The part of a host's pace that its turn needs. */
export interface SharedPace {
  /** Whether nothing is being asked of the host. */
  readonly isIdle: boolean
  /** What the next process needs to know. */
  readonly past: HostPast
  /** The turn has come, with what is known of earlier requests. */
  goOn(before: HostPast, now: number): void
  wake(): void
}

/** The turns of a process among others that visit the same hosts. */
export interface Turns {
  of(host: string, pace: SharedPace): HostTurn
  /** The host's pace is not kept any longer. */
  forget(host: string): void
}

interface HostTurnParts {
  readonly isSound: () => boolean
  /** Asks the store, and has the turn begin if it can be had. Never rejects. */
  readonly take: (turn: HostTurn) => Promise<void>
  /** Returns before the store has it; a later `take` waits. */
  readonly giveBack: (turn: HostTurn) => void
}

/** The turn of this process at one host. */
export class HostTurn {
  readonly pace: SharedPace
  /** Nothing is visited without it. */
  isHeld = false
  /** Another process has it. */
  isWanted = false
  readonly #parts: HostTurnParts
  #since = 0
  #tryAt = Number.NEGATIVE_INFINITY
  #isAsking = false
  /** Others have waited long enough: the turn moves to them when no request is under way. */
  #handsOn = false

  constructor(pace: SharedPace, parts: HostTurnParts) {
    this.pace = pace
    this.#parts = parts
  }

  /** When other processes allow a visit to the host; the turn is requested then. */
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

  /** Whether it was not asked for a moment ago; it is now. */
  mayTry(now: number): boolean {
    if (now < this.#tryAt) return false
    this.#tryAt = now + RETRY_MS
    return true
  }

  /** It is this process's. */
  begin(now: number, past: HostPast): void {
    this.isHeld = true
    this.isWanted = false
    this.#handsOn = false
    this.#since = now
    this.pace.goOn(past, now)
    this.pace.wake()
  }

  /** Others want theirs. */
  handOn(now: number): void {
    if (!this.isHeld || now - this.#since < TURN_MS) return
    this.#handsOn = true
    if (this.pace.isIdle) this.settle(true)
  }

  /** No request is under way. @param isVisited whether this process has more to ask of the host */
  settle(isVisited: boolean): void {
    if (!isVisited) this.isWanted = false
    if (!this.isHeld || (isVisited && !this.#handsOn)) return
    this.isHeld = false
    // Waiting processes check every `RETRY_MS`.
    this.#tryAt = steadyNow() + 2 * RETRY_MS
    this.#parts.giveBack(this)
  }
}
