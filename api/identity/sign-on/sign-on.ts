import type { Logger } from "pino"

import type { StateStore } from "#base/store/state-store.ts"

import type { Accounts } from "../accounts/accounts.ts"
import type { PersonKeys } from "../people/person-keys.ts"
import type { PersonStore } from "../people/person-store.ts"
import { newToken, SessionStore } from "../sessions/session-store.ts"
import type { Begun, PeopleSessions } from "../sessions/sessions.ts"
import { limitsOf } from "./file/declared.ts"
import { recogniser, type Recognised } from "./headers/recogniser.ts"
import type { Names } from "./file/names.ts"
import { KINDS } from "./kinds.ts"
import { type Carried, type LoggedOut, type ProviderParts, SignOnError, type Vouched } from "./provider.ts"
import { type Declared, Renewals } from "./kept/renewals.ts"
import { openSealer, type Sealer } from "./kept/sealer.ts"
import { openShownOnce } from "./kept/shown-once.ts"
import type { SignOnSpec } from "./file/sign-on-file.ts"

/** Sign-on through an appliance's providers. */
export interface SignOn extends AsyncDisposable {
  readonly providers: ReadonlyMap<string, Declared>
  readonly sealer: Sealer
  /** Handles the sessions that people began with a provider. */
  readonly sessions: PeopleSessions
  /** Begins the session of a user who came back. @throws SignOnError when they have no rights here */
  begin(declared: Declared, vouched: Vouched): Promise<Begun & { readonly user: string }>
  /** Ends the sessions that a provider reports as ended. @returns how many were ended */
  end(provider: string, ended: LoggedOut): Promise<number>
  /** The person a provider vouches for with their request; null if none. @throws SignOnError */
  recognise(carried: Carried): Promise<Recognised | null>
}

export interface SignOnParts extends Omit<ProviderParts, "isFirst"> {
  readonly db: StateStore
  readonly accounts: Pick<Accounts, "writes">
  readonly people: PersonStore
  readonly keys: PersonKeys
  readonly log: Logger
  /** Address at which browsers reach the appliance, without a trailing slash. */
  readonly publicUrl: string
  /** Maximum length of a session in hours, used if the file specifies none. */
  readonly sessionHours: number
}

const HOUR_MS = 3_600_000

/** Path where signing in with a provider begins, relative to the appliance's address. */
export const pathOf = (provider: string): string => `sign-on/${provider}`

export async function openSignOn(spec: SignOnSpec, parts: SignOnParts): Promise<SignOn> {
  const { db, accounts, people, keys, log, publicUrl } = parts
  const { writes } = accounts
  const isFirst = openShownOnce(db, writes)
  const opened = spec.providers.map(async (one): Promise<[string, Declared]> => {
    const kind = KINDS.find(({ kind: name }) => name === one.kind)!
    // Proofs are distinguished by provider, because each provider chooses its own ids.
    const ofIts = (id: string, until: number) => isFirst(`${one.name} ${id}`, until)
    return [one.name, { spec: one, provider: await kind.open(one, { ...parts, isFirst: ofIts }) }]
  })
  const providers = new Map(await Promise.all(opened))
  const store = new SessionStore(db)
  const sealer = await openSealer(db)
  const renewals = new Renewals({ ...limitsOf(spec), providers, store, people, sealer, writes, log })
  keys.renew = (person) => renewals.renewPerson(person)
  const lifetimeMs = (spec.sessionHours ?? parts.sessionHours) * HOUR_MS
  return {
    providers,
    sealer,
    sessions: {
      ways: spec.providers
        .filter(({ name }) => providers.get(name)!.provider.recognise === undefined)
        .map(({ name, title }) => ({ kind: "link", name: title, url: pathOf(name) })),
      mayContinue: (session) => renewals.mayContinue(session),
      async signOutUrl({ proof }) {
        const provider = proof === null ? undefined : providers.get(proof.provider)?.provider
        const held = proof === null ? null : renewals.heldBy(proof)
        if (held === null) return null
        try {
          return (await provider?.signOut?.(held, `${publicUrl}/`)) ?? null
        } catch (error) {
          if (error instanceof SignOnError) return null
          throw error
        }
      },
    },
    async begin({ spec: declared }, vouched) {
      const proof = renewals.proofOf(declared.name, vouched)
      const token = newToken()
      const now = Date.now()
      const lastsMs = Math.min(lifetimeMs, (vouched.endsAt ?? Infinity) - now)
      const names = renewals.namesOf(declared, vouched)
      const isKnown = (await people.of(declared.name, vouched.subject)) !== null
      // Without this check, anyone with an account at the provider could have data stored here.
      if (!isKnown && keys.keyOf({ id: "", ...names }) === null) throw noRole(names)
      const { person, key } = await writes.run(async () => {
        const kept = await renewals.keep(declared, vouched, proof, true)
        const theirs = kept.disabledAt === null ? keys.keyOf(kept) : null
        if (theirs !== null) await store.add(token, kept.id, now, lastsMs, proof)
        return { person: kept, key: theirs }
      })
      if (person.disabledAt !== null)
        throw new SignOnError(DISABLED, `${person.user} (${person.id}) is disabled`)
      if (key === null) throw noRole(person)
      return { token, key, user: person.user, expiresAt: new Date(now + lastsMs) }
    },
    recognise: recogniser({ providers: [...providers.values()], renewals, people, keys, writes }),
    end: (provider, ended) => writes.run(() => store.endOfProvider(provider, ended)),
    async [Symbol.asyncDispose]() {
      await Promise.all([...providers.values()].map(({ provider }) => provider[Symbol.asyncDispose]()))
    },
  }
}

/** Maximum number of a person's groups listed in the log. */
const SHOWN = 20

function noRole({ user, groups }: Names): SignOnError {
  const shown = groups.slice(0, SHOWN).join(", ")
  return new SignOnError(NO_ROLE, `no role matches ${user}, who is in ${groups.length} groups: ${shown}`)
}

const NO_ROLE =
  "You are signed in at your identity provider, but you have no role here. Ask the operator of this search engine to let in one of your groups."
const DISABLED = "The operator of this search engine has disabled your account here."
