import { type ApiKey } from "../accounts/keys/keys.ts"
import { limitsPages } from "../accounts/keys/key-scope.ts"
import type { Grant } from "./oauth-store.ts"

/**
 * The key of an admitted program: it may do whatever its user's key may do, limited to the collections of the grant,
 * and without administrator rights.
 */
export function grantedKey(key: ApiKey, { collections }: Pick<Grant, "collections">): ApiKey {
  const scope = collections === null ? key.scope : { ...key.scope, sources: null, collections }
  return { ...key, role: "search", mayMakeKeys: false, mayEndItself: false, scope }
}

/**
 * The first of these collections that a key may not grant, because it does not see all of it; null if it may grant all.
 */
export function notGrantable(
  key: Pick<ApiKey, "scope">,
  collections: readonly string[],
  known: readonly string[],
): string | null {
  const { scope } = key
  const isLimited = limitsPages(scope) && (scope.sources !== null || scope.collections !== null)
  const mine = isLimited ? known.filter((name) => scope.collections?.includes(name)) : known
  return collections.find((name) => !mine.includes(name)) ?? null
}
