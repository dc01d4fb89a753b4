import type { StateStore } from "#base/store/state-store.ts"

import { PersonKeys } from "../person-keys.ts"
import { type Person, PersonStore } from "../person-store.ts"
import type { RoleRule } from "../roles.ts"

const HOUR_MS = 3_600_000

/** People of the provider `company`, as stored by a sign-in, and their rights. */
export interface KnownPeople {
  readonly people: PersonStore
  readonly keys: PersonKeys
  /** Makes the provider vouch for a user, who is in these groups from now on. */
  vouch(user: string, groups: readonly string[]): Promise<Person>
}

/** @param roles by default, everyone who signs in is a reader, and members of the group admins are administrators */
export function knownPeople(db: StateStore, roles: readonly RoleRule[] = ROLES): KnownPeople {
  const people = new PersonStore(db)
  const keys = new PersonKeys(people, {
    roles,
    providers: ["company"],
    refreshMs: HOUR_MS,
    unrenewedMs: HOUR_MS,
  })
  return {
    people,
    keys,
    vouch: (user, groups) =>
      people.proved(
        { provider: "company", subject: user, user, name: "", email: user, groups, isRenewable: false },
        true,
      ),
  }
}

const ROLES: readonly RoleRule[] = [
  { groups: null, role: "reader", sources: null, collections: null },
  { groups: ["admins"], role: "admin", sources: null, collections: null },
]
