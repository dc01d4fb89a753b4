import { createContext } from "preact"
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks"

import { type AnswerOf, type Call, FossickError, type GivenTo } from "../../../api/client/client.ts"
import { appliance, inWords } from "../../session/appliance.ts"
import { areToldOfChanges, onChanges } from "./use-events.ts"

/** The interval while something is running: nobody can read a number that changes twice a second. */
export const LIVE_MS = 2000
/** Minimum time between requests, however quickly events arrive. */
const EVENT_MS = 1000
/** The interval while nothing is running: the longest it can take for a run started elsewhere to be shown. */
export const IDLE_MS = 10_000
/** The maximum interval after several failures in a row: an appliance that is down is not asked more often than this. */
const MOST_MS = 30_000

/** Called when a call reports that the user is no longer signed in. */
export const SignedOut = createContext<() => void>(() => {})

export interface Polled<T> {
  /** The latest answer; null before the first. It stays while later calls fail. */
  readonly value: T | null
  /** Why the latest call failed, in words; null if it succeeded. */
  readonly problem: string | null
  /** Makes a call immediately. */
  readonly refresh: () => void
}

/** Like {@link usePolled}, for one call to the appliance; when the values for the call change, the answer is discarded. */
export const useAnswer = <C extends Call>(
  call: C,
  given: Omit<GivenTo<C>, "signal"> = {} as GivenTo<C>,
  everyMs?: Polling<AnswerOf<C>>["everyMs"],
): Polled<AnswerOf<C>> =>
  usePolled(
    `${call} ${JSON.stringify(given)}`,
    (signal) => appliance.call<Call>(call, { ...given, signal }) as Promise<AnswerOf<C>>,
    everyMs,
  )

/**
 * Polls the appliance while the page is visible.
 * @param key key of the request: when it changes, the answer is discarded
 * @param everyMs how long to wait after an answer; null means that the answer is final
 */
export function usePolled<T>(
  key: string,
  ask: Polling<T>["ask"],
  everyMs: Polling<T>["everyMs"] = () => IDLE_MS,
): Polled<T> {
  const [state, setState] = useState<{ readonly key: string } & Pick<Polled<T>, "value" | "problem">>({
    key,
    value: null,
    problem: null,
  })
  const onSignedOut = useContext(SignedOut)
  const given = useRef({ ask, everyMs, onSignedOut })
  given.current = { ask, everyMs, onSignedOut }
  const poller = useRef<Poller<T> | null>(null)
  useEffect(() => {
    const onValue = (value: T) => setState({ key, value, problem: null })
    const onFailure = (error: unknown) => {
      if (error instanceof FossickError && error.status === 401) given.current.onSignedOut()
      setState((before) => ({
        key,
        value: before.key === key ? before.value : null,
        problem: inWords(error),
      }))
    }
    const begun = new Poller<T>(() => ({ ...given.current, onValue, onFailure }))
    poller.current = begun
    return () => begun.stop()
  }, [key])
  const refresh = useCallback(() => poller.current?.askNow(), [])
  const isCurrent = state.key === key
  return { value: isCurrent ? state.value : null, problem: isCurrent ? state.problem : null, refresh }
}

interface Polling<T> {
  readonly ask: (signal: AbortSignal) => Promise<T>
  /** How long to wait after an answer; null means that the answer is final. */
  readonly everyMs: (latest: T) => number | null
  readonly onValue: (value: T) => void
  readonly onFailure: (error: unknown) => void
}

/** Polls until {@link stop} while the page is visible: at intervals, and when something has changed. */
class Poller<T> {
  readonly #polling: () => Polling<T>
  readonly #noMore: () => void
  #asked = new AbortController()
  #askedAt = 0
  /** Whether the latest answer is final. */
  #isFinal = false
  #isAsking = false
  /** Whether something has changed since the current call began. */
  #isBehind = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #isOver = false

  /** @param polling returns the current options; read anew for each call */
  constructor(polling: () => Polling<T>) {
    this.#polling = polling
    this.askNow()
    document.addEventListener("visibilitychange", this.askNow)
    this.#noMore = onChanges((what) => this.#change(what))
  }

  readonly askNow = (): void => void this.#once()

  stop(): void {
    this.#isOver = true
    this.#noMore()
    document.removeEventListener("visibilitychange", this.askNow)
    clearTimeout(this.#timer)
    this.#asked.abort()
  }

  #later(ms: number | null): void {
    this.#isFinal = ms === null
    // Events announce most changes; polling finds the rest.
    if (ms !== null) this.#timer = setTimeout(this.askNow, areToldOfChanges() ? Math.max(ms, IDLE_MS) : ms)
  }

  #change(what: "changed" | "state"): void {
    if (this.#isFinal || this.#isOver || this.#failures > 0) return
    if (this.#isAsking) {
      // Wait for the answer: starting over at each change could delay it forever.
      this.#isBehind = true
      return
    }
    clearTimeout(this.#timer)
    const passed = performance.now() - this.#askedAt
    this.#timer = setTimeout(this.askNow, Math.max(0, (what === "changed" ? EVENT_MS : LIVE_MS) - passed))
  }

  async #once(): Promise<void> {
    clearTimeout(this.#timer)
    this.#asked.abort()
    this.#isAsking = false
    if (this.#isOver || document.hidden) return
    this.#asked = new AbortController()
    this.#askedAt = performance.now()
    this.#isAsking = true
    this.#isBehind = false
    const { signal } = this.#asked
    try {
      const value = await this.#polling().ask(signal)
      if (signal.aborted) return
      this.#isAsking = false
      this.#failures = 0
      this.#polling().onValue(value)
      this.#later(this.#polling().everyMs(value))
      if (this.#isBehind) this.#change("changed")
    } catch (error) {
      if (signal.aborted) return
      this.#isAsking = false
      this.#failures++
      this.#polling().onFailure(error)
      this.#later(Math.min(MOST_MS, LIVE_MS * 2 ** this.#failures))
    }
  }
}
