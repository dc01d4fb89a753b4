import { NO_OUTAGE, type StateOutage } from "../../server/outage/state-outage.ts"
import type { StateStore } from "#base/store/state-store.ts"

import type { ApiKey, KeyStore } from "../accounts/keys/keys.ts"
import type { WriteQueue } from "../accounts/billing/write-queue.ts"
import { isPersonId } from "../people/person-store.ts"
import { newToken, SessionStore, type StoredSession } from "./session-store.ts"

/** A signed-in user. */
export interface Identity {
  /** The key with the user's rights: the user may do everything that the key may do, within the key's limits. */
  readonly key: ApiKey
  readonly expiresAt: Date
}

/** A session that has begun. */
export interface Begun extends Identity {
  /** The session's token, for a cookie that scripts cannot read. This is the only copy. */
  readonly token: string
}

/**
 * How users can sign in, as pages show it: `key` asks for an API key and sends it to `POST /session`; `link` opens an
 * address that signs them in elsewhere and then returns with the cookie.
 */
export type SignInWay =
  | { readonly kind: "key" }
  | { readonly kind: "link"; readonly name: string; readonly url: string }

/** The part of sign-on that handles sessions that began with a provider. */
export interface PeopleSessions {
  /** A link for each provider. */
  readonly ways: readonly SignInWay[]
  /** Whether the provider still vouches for the person. The provider is asked when the check is due. */
  mayContinue(session: StoredSession): Promise<boolean>
  /** Address where the person signs out at the provider, or null. */
  signOutUrl(session: StoredSession): Promise<string | null>
}

/**
 * The port behind sessions. It is all that pages know about signing in: they ask `GET /session` who the user is and
 * which ways there are to sign in.
 */
export interface Sessions {
  readonly ways: readonly SignInWay[]
  /**
   * The user a token belongs to, as of now; null for an unknown or expired token, or one whose key is no longer valid.
   */
  whoIs(token: string): Promise<Identity | null>
  /** The provider's name for the user; null if they signed in with a key. */
  userOf(who: Pick<Identity, "key">): Promise<string | null>
  /** Begins a session for the holder of an API key. @returns null when the key may not be used */
  signIn(presentedKey: string): Promise<Begun | null>
  /** Ends the session of this token. @returns where the person can also sign out at the provider; null if there is no such address */
  signOut(token: string): Promise<string | null>
}

const HOUR_MS = 3_600_000

/**
 * Sessions of people who sign in with an API key, and of those who return from a provider.
 * @param people if left out, there are no providers, and no session that began with one continues
 */
export function openSessions(
  db: StateStore,
  {
    keys,
    writes,
  }: {
    readonly keys: Pick<KeyStore, "verify" | "byId" | "nameOf">
    readonly writes: Pick<WriteQueue, "run">
  },
  config: { readonly sessionHours: number },
  outage: Pick<StateOutage, "remembered"> = NO_OUTAGE,
  people?: PeopleSessions,
): Sessions {
  const store = new SessionStore(db)
  const find = outage.remembered(
    (token: string) => store.find(token, Date.now()),
    (session) => session !== null,
  )
  const nameOf = outage.remembered((personId: string) => keys.nameOf(personId))
  const lifetimeMs = config.sessionHours * HOUR_MS
  return {
    ways: [...(people?.ways ?? []), { kind: "key" }],
    async whoIs(token) {
      const session = await find(token)
      if (session === null || session.expiresAt <= Date.now()) return null
      const { keyId, proof, expiresAt } = session
      if (proof !== null && !(await people?.mayContinue(session))) return null
      const key = await keys.byId(keyId)
      return key && { key, expiresAt: endOf(expiresAt, key) }
    },
    userOf: async ({ key }) => (isPersonId(key.id) ? await nameOf(key.id) : null),
    async signIn(presentedKey) {
      const key = await keys.verify(presentedKey)
      if (key === null) return null
      const token = newToken()
      const now = Date.now()
      await writes.run(() => store.add(token, key.id, now, lifetimeMs))
      return { key, token, expiresAt: endOf(now + lifetimeMs, key) }
    },
    async signOut(token) {
      const session = await find(token)
      await writes.run(() => store.end(token))
      return session?.proof ? ((await people?.signOutUrl(session)) ?? null) : null
    },
  }
}

/** No session outlives its key. */
const endOf = (expiresAt: number, key: ApiKey): Date =>
  new Date(Math.min(expiresAt, key.expiresAt?.getTime() ?? Infinity))
