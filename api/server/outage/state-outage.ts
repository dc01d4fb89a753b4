import { createHash } from "node:crypto"

import { leaveOut } from "#base/flow/degraded.ts"
import { Lru } from "#base/flow/memory/lru.ts"
import { pause } from "#base/flow/pause.ts"
import { sharing } from "#base/flow/sharing.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import { PostgresError } from "#base/store/postgres/postgres-error.ts"
import type { StateStore } from "#base/store/state-port.ts"
import { steadyNow } from "#base/steady-time.ts"

import { isContinuing } from "./continuing.ts"

/**
 * How long calls that continue may use a value after it was read from the state. This process cannot learn that a key
 * was disabled during the outage, so the key may still search for this long. A restart or failover of a server takes
 * less time.
 */
export const REMEMBERED_MS = 5 * 60_000
/** Maximum number of remembered values of each kind; the one that was read longest ago is dropped first. */
const MOST_REMEMBERED = 10_000
/** Milliseconds without an answer after which a probe checks whether the server answers at all. */
const SLOW_MS = 1000
/** Milliseconds after which a probe without an answer means that the server is away. */
const LOOK_MS = 3000
const AGAIN_MS = 1000

const SILENT = new PostgresError({ message: "it does not answer", code: "ETIMEDOUT" })

export interface StateOutageParts {
  /** Stores whose server may go away. If empty, no call continues, and every method just asks the state. */
  readonly stores: readonly Pick<StateStore, "native">[]
  /** Called with the reason when the server has gone away, and with null when it is back. */
  readonly onChange?: (why: unknown) => void
  readonly slowMs?: number
  readonly lookMs?: number
}

/**
 * Knows whether the PostgreSQL server is away, and remembers the values last read from it. Calls that continue during
 * an outage read the state through {@link remembered}, {@link without} and {@link ask}, which make no difference to
 * other calls.
 */
export class StateOutage implements Disposable {
  /** Whether any call continues during an outage. */
  readonly isCovered: boolean
  readonly #onChange: (why: unknown) => void
  readonly #slowMs: number
  readonly #lookMs: number
  /** Uses the calls' connections, because the outage has ended once those work again. */
  readonly #look: () => Promise<void>
  /** Uses its own connection, because the others may be busy. */
  readonly #lookAside: () => Promise<void>
  readonly #closed = new AbortController()
  /** Why the server is away; null while it is not. */
  #why: unknown = null
  /** When the latest outage began, and when an outage last ended, by the steady clock. */
  #since = Number.NEGATIVE_INFINITY
  #endedAt = Number.NEGATIVE_INFINITY
  /** Functions that reject the loads waiting for the state when the server goes away. */
  readonly #waiting = new Set<(why: unknown) => void>()

  constructor({ stores, onChange = () => {}, slowMs = SLOW_MS, lookMs = LOOK_MS }: StateOutageParts) {
    this.isCovered = stores.length > 0
    this.#onChange = onChange
    this.#slowMs = slowMs
    this.#lookMs = lookMs
    this.#look = sharing(async () => {
      for (const store of stores) await store.native("select 1").ask([])
    })
    this.#lookAside = sharing(async () => {
      for await (const _ of stores[0]?.native("select 1").iterate([]) ?? []);
    })
  }

  get isAway(): boolean {
    return this.#why !== null
  }

  /** Whether the server is away and remembered values may still be used. */
  get isBridged(): boolean {
    return this.isAway && steadyNow() - this.#since < REMEMBERED_MS
  }

  /** Whether the server is away, or was within the last `ms`. */
  wasAwayWithin(ms: number): boolean {
    return this.isAway || steadyNow() - this.#endedAt < ms
  }

  /**
   * Asks the state. If the call continues during an outage, this fails at once while the server is away, and otherwise
   * as soon as the server is found to be away.
   * @throws an error for which {@link isStateAway} is true
   */
  async ask<T>(load: () => Promise<T>): Promise<T> {
    return isContinuing() ? await this.watch(load) : await load()
  }

  /** Like {@link ask}, for all calls. */
  async watch<T>(load: () => Promise<T>): Promise<T> {
    if (this.#why !== null) throw this.#why
    const away = Promise.withResolvers<never>()
    this.#waiting.add(away.reject)
    const slow = setTimeout(() => void this.#doubt(), this.#slowMs)
    try {
      return await Promise.race([load(), away.promise])
    } catch (error) {
      if (isStateAway(error)) this.#begin(error)
      throw error
    } finally {
      clearTimeout(slow)
      this.#waiting.delete(away.reject)
    }
  }

  /**
   * Wraps `load` so that, while the server is away, calls that continue get remembered values up to {@link
   * REMEMBERED_MS} old.
   * @param isKept whether to remember a value; by default, every value
   */
  remembered<A extends readonly unknown[], T>(
    load: (...args: A) => Promise<T>,
    isKept: (value: T) => boolean = () => true,
  ): (...args: A) => Promise<T> {
    if (!this.isCovered) return load
    const memory = new Lru<string, { readonly value: T; readonly at: number }>(MOST_REMEMBERED)
    return async (...args) => {
      // Hashed, because an argument may be the text of a key.
      const name = createHash("sha256").update(JSON.stringify(args)).digest("base64url")
      const at = steadyNow()
      try {
        const value = await this.ask(() => load(...args))
        if (isKept(value)) memory.set(name, { value, at })
        else memory.delete(name)
        return value
      } catch (error) {
        const known = isContinuing() && isStateAway(error) ? memory.get(name) : undefined
        if (known === undefined || at - known.at > REMEMBERED_MS) throw error
        leaveOut("state")
        return known.value
      }
    }
  }

  /** Wraps `load` so that, while the server is away, calls that continue get `instead`. */
  without<A extends readonly unknown[], T>(
    load: (...args: A) => Promise<T>,
    instead: T,
  ): (...args: A) => Promise<T> {
    return async (...args) => {
      try {
        return await this.ask(() => load(...args))
      } catch (error) {
        if (!isContinuing() || !isStateAway(error)) throw error
        leaveOut("state")
        return instead
      }
    }
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }

  /** Checks whether the server is away when a load takes long. */
  async #doubt(): Promise<void> {
    const late = new AbortController()
    const isLate = pause(this.#lookMs, late.signal).then(() => !late.signal.aborted)
    try {
      if (await Promise.race([isLate, this.#lookAside().then(() => false)])) this.#begin(SILENT)
    } catch (error) {
      if (isStateAway(error)) this.#begin(error)
    } finally {
      late.abort()
    }
  }

  #begin(why: unknown): void {
    if (this.#why !== null || this.#closed.signal.aborted) return
    this.#why = why
    this.#since = steadyNow()
    for (const reject of this.#waiting) reject(why)
    this.#waiting.clear()
    void this.#untilBack(why)
  }

  /** Reports the outage only when a probe fails or takes long: a single broken connection is not an outage. */
  async #untilBack(why: unknown): Promise<void> {
    const { signal } = this.#closed
    let isReported = false
    const report = () => {
      if (!isReported && !signal.aborted) this.#onChange(why)
      isReported = true
    }
    const late = setTimeout(report, this.#lookMs)
    while (!signal.aborted) {
      try {
        await this.#look()
        break
      } catch {
        report()
      }
      await pause(AGAIN_MS, signal)
    }
    clearTimeout(late)
    if (signal.aborted) return
    this.#why = null
    this.#endedAt = steadyNow()
    if (isReported) this.#onChange(null)
  }
}

/** Used for a state that is a file, or when no call should continue. */
export const NO_OUTAGE = new StateOutage({ stores: [] })
