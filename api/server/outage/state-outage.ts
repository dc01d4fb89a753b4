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
 * For so long after a value was read from the state, calls that continue may use it while the server is away. A key that is disabled
 * meanwhile cannot be learned of, so this is how long it may still search. A restart or a failover of a server takes less.
 */
export const REMEMBERED_MS = 5 * 60_000
/** Values of each kind; the one that was read longest ago makes room. */
const MOST_REMEMBERED = 10_000
/** After so long without an answer, a look tells whether the server answers anybody. */
const SLOW_MS = 1000
/** A look that takes longer has found the server away. */
const LOOK_MS = 3000
const AGAIN_MS = 1000

const SILENT = new PostgresError({ message: "it does not answer", code: "ETIMEDOUT" })

export interface StateOutageParts {
  /** Whose server may go away; none: no call continues, and nothing here ever differs from asking the state. */
  readonly stores: readonly Pick<StateStore, "native">[]
  /** Told when the server has gone away, with why, and with null when it is back. */
  readonly onChange?: (why: unknown) => void
  readonly slowMs?: number
  readonly lookMs?: number
}

/**
 * Knows whether the server of the state is away, and what was last read from it. Calls that continue during an outage ask the state through
 * {@link remembered}, {@link without} and {@link ask}; for all others these just ask.
 */
export class StateOutage implements Disposable {
  /** Whether any call continues during an outage. */
  readonly isCovered: boolean
  readonly #onChange: (why: unknown) => void
  readonly #slowMs: number
  readonly #lookMs: number
  /** Over the connections that calls use: the outage is over once those work again. */
  readonly #look: () => Promise<void>
  /** Over one of its own, since the others may have much to do. */
  readonly #lookAside: () => Promise<void>
  readonly #closed = new AbortController()
  /** Why the server is away; null: it is not. */
  #why: unknown = null
  /** When the outage began, and when the last one ended, by the steady clock. */
  #since = Number.NEGATIVE_INFINITY
  #endedAt = Number.NEGATIVE_INFINITY
  /** Those that wait for the state, told when it goes away. */
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

  /** Whether the server is away for so short a time that anything may still be remembered. */
  get isBridged(): boolean {
    return this.isAway && steadyNow() - this.#since < REMEMBERED_MS
  }

  /** Whether the server is away, or was within the last `ms`. */
  wasAwayWithin(ms: number): boolean {
    return this.isAway || steadyNow() - this.#endedAt < ms
  }

  /**
   * Asks the state. For a call that continues it fails at once while the server is away, and as soon as it is found to be.
   * @throws what {@link isStateAway} tells
   */
  async ask<T>(load: () => Promise<T>): Promise<T> {
    return isContinuing() ? await this.watch(load) : await load()
  }

  /** As {@link ask}, whoever asks. */
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
   * `load`, which a call that continues may have from memory, up to {@link REMEMBERED_MS} old.
   * @param isKept whether a value may be; by default, all
   */
  remembered<A extends readonly unknown[], T>(
    load: (...args: A) => Promise<T>,
    isKept: (value: T) => boolean = () => true,
  ): (...args: A) => Promise<T> {
    if (!this.isCovered) return load
    const memory = new Lru<string, { readonly value: T; readonly at: number }>(MOST_REMEMBERED)
    return async (...args) => {
      // What is asked may be the text of a key.
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

  /** `load`, without which a call that continues is answered all the same. */
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

  /** Somebody waits for long: is it the server? */
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

  /** A single connection that broke is no outage worth telling of: the first look tells. */
  async #untilBack(why: unknown): Promise<void> {
    const { signal } = this.#closed
    let isTold = false
    const tell = () => {
      if (!isTold && !signal.aborted) this.#onChange(why)
      isTold = true
    }
    const late = setTimeout(tell, this.#lookMs)
    while (!signal.aborted) {
      try {
        await this.#look()
        break
      } catch {
        tell()
      }
      await pause(AGAIN_MS, signal)
    }
    clearTimeout(late)
    if (signal.aborted) return
    this.#why = null
    this.#endedAt = steadyNow()
    if (isTold) this.#onChange(null)
  }
}

/** Where the state is a file, or nothing is to continue. */
export const NO_OUTAGE = new StateOutage({ stores: [] })
