import type { StateStore } from "#base/store/state-store.ts"

import { ApiError } from "../../errors.ts"
import type { Accounts } from "../accounts/accounts.ts"
import { ACTING_HEADER } from "../accounts/keys/acting-headers.ts"
import { actingKey, signingSecretOf } from "../accounts/keys/acting-key.ts"
import type { KeyStore } from "../accounts/keys/keys.ts"
import type { PersonKeys } from "../people/person-keys.ts"
import type { Person, PersonStore } from "../people/person-store.ts"
import { namesOf } from "../sign-on/file/names.ts"
import { type ForwardedToken, ProviderAwayError, SignOnError } from "../sign-on/provider.ts"
import type { Declared } from "../sign-on/kept/renewals.ts"
import { askedFor, refused } from "./asked-for.ts"

export interface ActingParts {
  readonly db: StateStore
  readonly accounts: Pick<Accounts, "keys" | "collections" | "writes">
  readonly people: Pick<PersonStore, "of" | "ofUser" | "proved">
  readonly personKeys: Pick<PersonKeys, "standingOf" | "readerOf" | "keyOf">
  readonly providers: ReadonlyMap<string, Declared>
}

/** A token's facts about a person are stored only if the token is newer than the stored facts by this much. */
const NEWER_MS = 60_000

/** Finds the key with which a service acts for a person. */
export function openActing(parts: ActingParts): KeyStore["actFor"] {
  const { db, accounts, people, personKeys } = parts
  return async (presented, header) => {
    const service = await accounts.keys.verifyService(presented)
    if (service === null || service.actsForPeople === null) return null
    const asked = await askedFor(header, service.actsForPeople, () => signingSecretOf(db, service))
    const person =
      asked.kind === "user"
        ? newest(await people.ofUser(asked.user))
        : await vouchedBy(parts, asked.token, asked.issuer)
    const name = asked.kind === "user" ? asked.user : "The person in this token"
    if (person === null) throw denied(`${name.slice(0, 100)} has not signed in here yet.`)
    const standing = personKeys.standingOf(person)
    if (typeof standing === "string") throw denied(`${person.user} ${WHY[standing]}.`)
    const reader = await personKeys.readerOf(person.id)
    if (reader === null)
      throw denied(
        `${person.user} has to sign in here again: the provider has not vouched for them recently enough.`,
      )
    return await actingKey(service, reader, (names) => accounts.collections.sourcesOf(names))
  }
}

const WHY = {
  disabled: "is disabled here",
  provider: "was let in by an identity provider that is no longer declared here",
  role: "has no role here",
} as const

const denied = (why: string): ApiError => new ApiError(403, `Access denied. ${why}`)

/** If several accounts have the same name, picks the one that a provider vouched for last. */
const newest = (found: readonly Person[]): Person | null =>
  found.toSorted((a, b) => b.provedAt.getTime() - a.provedAt.getTime())[0] ?? null

/**
 * The person named in a provider's token, after storing the token's facts about them if those are newer than the stored
 * ones. @throws ApiError
 */
async function vouchedBy(
  { accounts, people, personKeys, providers }: ActingParts,
  token: string,
  issuer: string,
): Promise<Person | null> {
  for (const declared of providers.values()) {
    const said = await forwardedTo(declared, token, issuer)
    if (said === null) continue
    const { spec } = declared
    const { vouched, isComplete, issuedAt } = said
    const known = await people.of(spec.name, vouched.subject)
    const isNews = known === null || issuedAt.getTime() > known.provedAt.getTime() + NEWER_MS
    if (!isComplete || !isNews) return known
    const all = [...providers.values()].map((one) => one.spec)
    const names = namesOf(spec, vouched, all)
    // People without a role are not stored.
    if (known === null && personKeys.keyOf({ id: "", ...names }) === null)
      throw denied(`${names.user} ${WHY.role}.`)
    const { subject, name, email } = vouched
    const isRenewable = known?.isRenewable ?? false
    const proof = { provider: spec.name, subject, name, email, ...names, isRenewable }
    return await accounts.writes.run(() => people.proved(proof, false, issuedAt.getTime()))
  }
  throw refused(
    `No identity provider here accepts tokens from the issuer of the token in the header ${ACTING_HEADER} (acceptsTokensFor).`,
  )
}

/** Reads a provider's token. Null if the provider doesn't accept tokens from this issuer. @throws ApiError */
async function forwardedTo(
  { provider }: Declared,
  token: string,
  issuer: string,
): Promise<ForwardedToken | null> {
  try {
    return (await provider.forwarded?.(token, issuer)) ?? null
  } catch (error) {
    if (error instanceof ProviderAwayError)
      throw new ApiError(
        503,
        "The identity provider that checks the token can't be reached. Try again in a moment.",
      )
    if (!(error instanceof SignOnError)) throw error
    throw refused(`The token in the header ${ACTING_HEADER} is not valid: ${error.detail}.`)
  }
}
