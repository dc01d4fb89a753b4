import { useCallback, useEffect, useState } from "preact/hooks"

import type { AnswerOf } from "../../api/client/client.ts"
import { appliance, inWords } from "./appliance.ts"

export type Session = AnswerOf<"GET /session">

export type SessionState =
  | { readonly kind: "asking" }
  | { readonly kind: "known"; readonly session: Session }
  | { readonly kind: "failed"; readonly problem: string }

export interface UsedSession {
  readonly state: SessionState
  /** @throws FossickError 401 for a key that is not valid */
  readonly signIn: (key: string) => Promise<void>
  readonly signOut: () => Promise<void>
  /** Checks again which user is signed in, after a refused call. */
  readonly refresh: () => Promise<void>
}

/** The signed-in user, and functions to sign in and out. */
export function useSession(): UsedSession {
  const [state, setState] = useState<SessionState>({ kind: "asking" })
  const refresh = useCallback(async () => {
    try {
      setState({ kind: "known", session: await appliance.call("GET /session") })
    } catch (error) {
      setState({ kind: "failed", problem: inWords(error) })
    }
  }, [])
  useEffect(() => void refresh(), [])
  const signIn = useCallback(async (key: string) => {
    setState({ kind: "known", session: await appliance.call("POST /session", { body: { key } }) })
  }, [])
  const signOut = useCallback(async () => {
    setState({ kind: "known", session: await appliance.call("DELETE /session") })
  }, [])
  return { state, signIn, signOut, refresh }
}
