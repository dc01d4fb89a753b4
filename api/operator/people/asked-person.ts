import { mayRead, type Principal, principalOf, type Readers } from "#engine/index/page/readers.ts"

import { badRequest } from "../../errors.ts"
import { UNLIMITED } from "../../identity/accounts/keys/key-scope.ts"
import type { KeyRole } from "../../identity/accounts/keys/keys.ts"
import { type Limited, listedSources, type LimitParts } from "../../identity/accounts/reach/scoped-pages.ts"
import type { PersonKeys } from "../../identity/people/person-keys.ts"
import { isPersonId, type Person, type PersonStore } from "../../identity/people/person-store.ts"

/** The rules of sign-on, which determine what people may do; null if no provider signs people in. */
export type People = Pick<PersonKeys, "standingOf" | "proofAge"> | null

/** The person or principals whose reach an administrator is looking at. */
export interface Asked extends Limited {
  /** The person named in the call; null if the call named principals instead. */
  readonly person: Person | null
  /** Why the person or principals have no rights at all; null if they have some. */
  readonly refusal: string | null
}

/** How a call names a person or principals. */
export interface Named {
  /** Id of a person, or the name of a user. */
  readonly person?: string | undefined
  /** Names of principals, separated by commas. */
  readonly principals?: string | undefined
}

const REFUSALS = {
  disabled: "The operator disabled this person.",
  provider: "This person's provider no longer signs people in here.",
  role: "No role in the sign-on file matches this person's groups.",
} as const
const NO_SIGN_ON = "No provider signs people in here."

/** Maximum number of principals named in one call. */
const MOST_NAMED = 500

/** The person or principals named in a call; null if it names none. @throws Refusal 400 for unknown names */
export async function askedOf(
  { person: named, principals }: Named,
  store: Pick<PersonStore, "get" | "ofUser">,
  people: People,
): Promise<Asked | null> {
  if (named !== undefined && principals !== undefined)
    throw badRequest("Invalid principals. Give principals or a person, not both.")
  if (principals !== undefined)
    return { person: null, principals: principalsIn(principals), scope: UNLIMITED, refusal: null }
  if (named === undefined) return null
  const person = isPersonId(named)
    ? await store.get(named)
    : ((await store.ofUser(named.normalize("NFC").trim().toLowerCase()))[0] ?? null)
  if (person === null) throw badRequest("Invalid person. No one with this id or user name has signed in.")
  return ofPerson(person, people)
}

/** A person with their scope and rights. */
export function ofPerson(person: Person, people: People): Asked & { readonly role: KeyRole | null } {
  const standing = people?.standingOf(person)
  if (standing === undefined || typeof standing === "string") {
    const refusal = standing === undefined ? NO_SIGN_ON : REFUSALS[standing]
    return { person, principals: [], scope: UNLIMITED, refusal, role: null }
  }
  const { principals, scope, role } = standing
  return { person, principals, scope, refusal: null, role }
}

/** Whether readers admit this person or these principals; people without principals read every page. */
export const areLetIn = ({ principals }: Pick<Asked, "principals">, readers: Readers): boolean =>
  principals === null || mayRead(new Set(principals), readers)

/**
 * A function that checks whether someone's scope includes at least one of these sources; it returns null if the scope
 * includes all sources. Collections are read once for all people with the same scope.
 */
export function roleTest(
  names: readonly string[],
  collections: LimitParts["collections"],
): (asked: Pick<Asked, "scope">) => Promise<boolean | null> {
  const known = new Map<string, Promise<boolean | null>>()
  const look = async (scope: Asked["scope"]) => {
    const listed = await listedSources(scope, collections)
    return listed && listed.some((name) => names.includes(name))
  }
  return async ({ scope }) => {
    const key = JSON.stringify([scope.sources, scope.collections])
    const leaves = known.get(key) ?? look(scope)
    known.set(key, leaves)
    return await leaves
  }
}

function principalsIn(text: string): readonly Principal[] {
  const written = text.split(",").map((one) => one.trim())
  if (written.length > MOST_NAMED) throw badRequest(`Invalid principals. Name at most ${MOST_NAMED} of them.`)
  return written.map((one) => {
    const principal = principalOf(one)
    if (principal === null)
      throw badRequest("Invalid principals. Must be user:NAME, group:NAME or signed-in, separated by commas.")
    return principal
  })
}
