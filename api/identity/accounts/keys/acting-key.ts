import { createHmac } from "node:crypto"

import type { StateStore } from "#base/store/state-store.ts"

import { keptSecret } from "../human-ids.ts"
import type { KeyScope } from "./key-scope.ts"
import type { ApiKey, OnBehalf } from "./keys.ts"

const BETWEEN = "."

/** The id of the key with which a service acts for a person. It contains the ids of both, so that, wherever it is stored, one person's entries are not another's. */
export const actingIdOf = ({ keyId, personId }: OnBehalf): string => keyId + BETWEEN + personId

/** The two parts of an id; null for any other key's id. */
export function onBehalfOf(id: string): OnBehalf | null {
  const at = id.indexOf(BETWEEN)
  return at < 0 ? null : { keyId: id.slice(0, at), personId: id.slice(at + 1) }
}

/**
 * What a service may do for a person: the person's rights, within the limits of the service's key. It cannot administer
 * anything or make keys; its credits and rates are those of the service's key.
 * @param sourcesOf the sources of collections at the time of the call
 */
export async function actingKey(
  service: ApiKey,
  person: Pick<ApiKey, "id" | "scope" | "principals">,
  sourcesOf: (collections: readonly string[]) => Promise<readonly string[]>,
): Promise<ApiKey> {
  const onBehalf = { keyId: service.id, personId: person.id }
  return {
    ...service,
    id: actingIdOf(onBehalf),
    scope: await narrowed(service.scope, person.scope, sourcesOf),
    principals: person.principals,
    mayMakeKeys: false,
    mayEndItself: false,
    actsForPeople: null,
    onBehalf,
  }
}

async function narrowed(
  one: KeyScope,
  other: KeyScope,
  sourcesOf: (collections: readonly string[]) => Promise<readonly string[]>,
): Promise<KeyScope> {
  const endpoints = inBoth(one.endpoints, other.endpoints)
  // At most one of the two keys has domains. Otherwise, two lists would have to be intersected with regard to
  // subdomains.
  const domains = one.domains ?? other.domains
  const isOpen = ({ sources, collections }: KeyScope) => sources === null && collections === null
  if (isOpen(one) || isOpen(other)) {
    const { sources, collections } = isOpen(one) ? other : one
    return { endpoints, domains, sources, collections }
  }
  const all = async ({ sources, collections }: KeyScope) => [
    ...(sources ?? []),
    ...(await sourcesOf(collections ?? [])),
  ]
  return { endpoints, domains, sources: inBoth(await all(one), await all(other)), collections: null }
}

function inBoth<T>(one: readonly T[] | null, other: readonly T[] | null): readonly T[] | null {
  if (one === null || other === null) return one ?? other
  return [...new Set(one)].filter((each) => other.includes(each))
}

/**
 * The key that a service uses to sign the person's name (HS256): 256 bits, derived from a secret of the state and the
 * id of the service's key.
 */
export async function signingSecretOf(db: StateStore, { id }: Pick<ApiKey, "id">): Promise<string> {
  const secret = await keptSecret(db, "acting")
  return createHmac("sha256", secret).update(id).digest("base64url")
}
