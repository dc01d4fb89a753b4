import type { WriteQueue } from "../../accounts/billing/write-queue.ts"
import type { ApiKey } from "../../accounts/keys/keys.ts"
import type { PersonKeys } from "../../people/person-keys.ts"
import { MAX_CHARS, type Person, type PersonStore } from "../../people/person-store.ts"
import { namesOf } from "../file/names.ts"
import type { Carried } from "../provider.ts"
import type { Declared, Renewals } from "../kept/renewals.ts"

/** A person for whom a provider vouches with each of their requests. */
export interface Recognised {
  readonly key: ApiKey
  readonly user: string
}

/**
 * Interval at which a person's facts are stored again, so that they stay valid while work is running for the person,
 * without a write for each call.
 */
const KEPT_MS = 300_000

/** Determines the person for whom a provider vouches in a request. Changed facts are stored immediately. */
export function recogniser({
  providers,
  renewals,
  people,
  keys,
  writes,
}: {
  readonly providers: readonly Declared[]
  readonly renewals: Pick<Renewals, "keep" | "proofOf">
  readonly people: Pick<PersonStore, "of">
  readonly keys: Pick<PersonKeys, "keyOf">
  readonly writes: Pick<WriteQueue, "run">
}): (carried: Carried) => Promise<Recognised | null> {
  const all = providers.map(({ spec }) => spec)
  const recognising = providers.filter(({ provider }) => provider.recognise !== undefined)
  return async (carried) => {
    for (const { spec, provider } of recognising) {
      const vouched = provider.recognise!(carried)
      if (vouched === null) continue
      const said = { ...namesOf(spec, vouched, all), name: vouched.name, email: vouched.email }
      // oxlint-disable-next-line no-await-in-loop -- the first that vouches is the last that is asked
      let person = await people.of(spec.name, vouched.subject)
      if (person === null && keys.keyOf({ id: "", ...said }) === null) return null
      if (person === null || !isKept(person, said))
        person = await writes.run(() =>
          renewals.keep(spec, vouched, renewals.proofOf(spec.name, vouched), true),
        )
      const key = person.disabledAt === null ? keys.keyOf(person) : null
      return key && { key, user: person.user }
    }
    return null
  }
}

const isKept = (
  person: Person,
  { user, groups, name, email }: Pick<Person, "user" | "groups" | "name" | "email">,
): boolean =>
  person.user === user &&
  person.name === name.slice(0, MAX_CHARS) &&
  person.email === email.slice(0, MAX_CHARS) &&
  JSON.stringify(person.groups) === JSON.stringify(groups) &&
  Math.abs(Date.now() - person.provedAt.getTime()) < KEPT_MS
