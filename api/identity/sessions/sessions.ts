import { NO_OUTAGE, type StateOutage } from "../../server/outage/state-outage.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import type { WriteQueue } from "../accounts/billing/write-queue.ts"
import { newToken, SessionStore } from "./session-store.ts"

/** Somebody who signed in. */
export interface Identity {
  /** What they may do: all that this key may, within its limits. */
  readonly key: ApiKey
  readonly expiresAt: Date
}

/** A session that has begun. */
export interface Begun extends Identity {
  /** For a cookie that scripts cannot read. The only copy. */
  readonly token: string
}

/**
 * How somebody may sign in, as pages show it: `key` asks for an API key and sends it to `POST /session`; `link` leads to
 * an address that signs them in elsewhere and comes back with the cookie.
 */
export type SignInWay =
  | { readonly kind: "key" }
  | { readonly kind: "link"; readonly name: string; readonly url: string }

/**
 * The port that sessions stand behind. Pages know nothing else of signing in: they ask `GET /session` who they are and
 * which ways there are. An identity provider is another implementation of it, which maps its people to keys.
 */
export interface Sessions {
  readonly ways: readonly SignInWay[]
  /** Who a token was given to, as of now; null for one that is unknown or over, or whose key is no longer valid. */
  whoIs(token: string): Promise<Identity | null>
  /** Begins a session for the holder of an API key. @returns null when the key may not be used */
  signIn(presentedKey: string): Promise<Begun | null>
  /** The token is refused from now on. */
  signOut(token: string): Promise<void>
}

const HOUR_MS = 3_600_000

/** Sessions of people who sign in with an API key. */
export function openSessions(
  db: StateStore,
  {
    keys,
    writes,
  }: { readonly keys: Pick<KeyStore, "verify" | "byId">; readonly writes: Pick<WriteQueue, "run"> },
  config: { readonly sessionHours: number },
  outage: Pick<StateOutage, "remembered"> = NO_OUTAGE,
): Sessions {
  const store = new SessionStore(db)
  const find = outage.remembered(
    (token: string) => store.find(token, Date.now()),
    (session) => session !== null,
  )
  const lifetimeMs = config.sessionHours * HOUR_MS
  return {
    ways: [{ kind: "key" }],
    async whoIs(token) {
      const session = await find(token)
      if (session !== null && session.expiresAt <= Date.now()) return null
      const key = session && (await keys.byId(session.keyId))
      return session && key && { key, expiresAt: endOf(session.expiresAt, key) }
    },
    async signIn(presentedKey) {
      const key = await keys.verify(presentedKey)
      if (key === null) return null
      const token = newToken()
      const now = Date.now()
      await writes.run(() => store.add(token, key.id, now, lifetimeMs))
      return { key, token, expiresAt: endOf(now + lifetimeMs, key) }
    },
    signOut: (token) => writes.run(() => store.end(token)),
  }
}

/** No session outlives its key. */
const endOf = (expiresAt: number, key: ApiKey): Date =>
  new Date(Math.min(expiresAt, key.expiresAt?.getTime() ?? Infinity))
