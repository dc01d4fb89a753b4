import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks"

import { FossickError } from "../../../api/client/client.ts"
import { inWords } from "../../session/appliance.ts"
import { SignedOut } from "./use-polled.ts"

export interface Called<T> {
  /** The latest answer, kept until the next one arrives. */
  readonly value: T | null
  /** Why the latest call failed, in words. */
  readonly problem: string | null
  readonly isBusy: boolean
  /** Makes the call, and cancels the previous one. */
  readonly call: (ask: (signal: AbortSignal) => Promise<T>) => void
  /** Sets an answer obtained in another way. */
  readonly put: (value: T) => void
  /** Cancels the call. */
  readonly cancel: () => void
}

/** A slow call, made on request. It is cancelled when the user leaves its screen. */
export function useCall<T>(): Called<T> {
  const [state, setState] = useState<Pick<Called<T>, "value" | "problem" | "isBusy">>({
    value: null,
    problem: null,
    isBusy: false,
  })
  const onSignedOut = useContext(SignedOut)
  const running = useRef(new AbortController())
  useEffect(() => () => running.current.abort(), [])
  const cancel = useCallback(() => {
    running.current.abort()
    setState((before) => ({ ...before, isBusy: false }))
  }, [])
  const call = useCallback(
    (ask: (signal: AbortSignal) => Promise<T>) => {
      running.current.abort()
      running.current = new AbortController()
      const { signal } = running.current
      setState((before) => ({ ...before, problem: null, isBusy: true }))
      const make = async () => {
        try {
          const value = await ask(signal)
          if (!signal.aborted) setState({ value, problem: null, isBusy: false })
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof FossickError && error.status === 401) onSignedOut()
          setState((before) => ({ ...before, problem: inWords(error), isBusy: false }))
        }
      }
      void make()
    },
    [onSignedOut],
  )
  const put = useCallback((value: T) => setState((before) => ({ ...before, value })), [])
  return { ...state, call, put, cancel }
}
