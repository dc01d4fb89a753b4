import { createContext } from "preact"
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks"

import { FossickError } from "../../api/client/client.ts"
import { inWords } from "../session/appliance.ts"
import { areToldOfChanges, onChanges } from "./use-events.ts"

/** While something runs: a number that changes twice a second is not read. */
export const LIVE_MS = 2000
/** Between two looks, however fast events come. */
const EVENT_MS = 1000
/** While nothing does: somebody who started a run elsewhere sees it in the time it takes to look. */
export const IDLE_MS = 10_000
/** After failures in a row: an appliance that is down is not asked more often than this. */
const MOST_MS = 30_000

/** Called when a call says that nobody is signed in any more. */
export const SignedOut = createContext<() => void>(() => {})

export interface Polled<T> {
  /** The latest answer; null before the first. It stays while later calls fail. */
  readonly value: T | null
  /** Why the latest call failed, in words; null: it did not. */
  readonly problem: string | null
  /** Asks at once. */
  readonly refresh: () => void
}

/**
 * Asks the appliance again and again while the page can be seen.
 * @param key of what is asked: another one forgets the answer
 * @param everyMs how long to wait after an answer; null: it will not change any more
 */
export function usePolled<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs: (latest: T) => number | null,
): Polled<T> {
  const [state, setState] = useState<{ readonly key: string } & Pick<Polled<T>, "value" | "problem">>({
    key,
    value: null,
    problem: null,
  })
  const onSignedOut = useContext(SignedOut)
  const given = useRef({ ask, everyMs, onSignedOut })
  given.current = { ask, everyMs, onSignedOut }
  const look = useRef(() => {})
  useEffect(() => {
    let asked = new AbortController()
    let askedAt = 0
    /** Whether nothing can change any more. */
    let isFinal = false
    let isAsking = false
    /** Whether something changed since the call that is under way. */
    let isBehind = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isOver = false
    const later = (ms: number | null) => {
      isFinal = ms === null
      // What changes is told: asking is for what no event tells of.
      if (ms !== null) timer = setTimeout(() => void once(), areToldOfChanges() ? Math.max(ms, IDLE_MS) : ms)
    }
    const change = (what: "changed" | "state") => {
      if (isFinal || isOver || failures > 0) return
      if (isAsking) {
        // An answer that takes long is waited for, or there would never be one.
        isBehind = true
        return
      }
      clearTimeout(timer)
      const passed = performance.now() - askedAt
      timer = setTimeout(() => void once(), Math.max(0, (what === "changed" ? EVENT_MS : LIVE_MS) - passed))
    }
    const once = async () => {
      clearTimeout(timer)
      asked.abort()
      isAsking = false
      if (isOver || document.hidden) return
      asked = new AbortController()
      askedAt = performance.now()
      isAsking = true
      isBehind = false
      const { signal } = asked
      try {
        const value = await given.current.ask(signal)
        if (signal.aborted) return
        isAsking = false
        failures = 0
        setState({ key, value, problem: null })
        later(given.current.everyMs(value))
        if (isBehind) change("changed")
      } catch (error) {
        if (signal.aborted) return
        isAsking = false
        failures++
        if (error instanceof FossickError && error.status === 401) given.current.onSignedOut()
        setState((before) => ({
          key,
          value: before.key === key ? before.value : null,
          problem: inWords(error),
        }))
        later(Math.min(MOST_MS, LIVE_MS * 2 ** failures))
      }
    }
    look.current = () => void once()
    void once()
    document.addEventListener("visibilitychange", look.current)
    const seen = look.current
    const noMore = onChanges(change)
    return () => {
      isOver = true
      noMore()
      document.removeEventListener("visibilitychange", seen)
      clearTimeout(timer)
      asked.abort()
    }
  }, [key])
  const refresh = useCallback(() => look.current(), [])
  const isCurrent = state.key === key
  return { value: isCurrent ? state.value : null, problem: isCurrent ? state.problem : null, refresh }
}
