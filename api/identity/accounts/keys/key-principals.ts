import { type Principal, principalOf } from "#engine/index/page/readers.ts"

import { MAX_ENTRIES, type LimitedRole } from "./key-scope.ts"

/** Users and groups for a new key, as given. */
interface Written {
  readonly role: LimitedRole
  readonly principals: readonly string[]
}

/** What is wrong with the users and groups; null if nothing is. A sentence without its subject, the field: `must be …`. */
export function principalsProblem({ role, principals }: Written): string | null {
  if (principals.length === 0) return null
  if (role === "admin" || role === "write")
    return `must be left out for a key with the role ${role}: ${WHY[role]}`
  if (principals.length > MAX_ENTRIES) return `must have at most ${MAX_ENTRIES} entries`
  const wrong = principals.find((one) => principalOf(one) === null)
  return wrong === undefined
    ? null
    : `must be user:NAME, group:NAME or signed-in, not ${JSON.stringify(wrong.slice(0, 100))}`
}

const WHY = { admin: "it reads every page", write: "it reads no page" } as const

/** What is wrong with a key that acts for people; null if nothing is. A sentence without its subject, as above. */
export function actsProblem({
  role,
  principals,
  mayMakeKeys,
}: Written & { readonly mayMakeKeys: boolean }): string | null {
  if (role !== "search") return `must be left out for a key with the role ${role}`
  if (mayMakeKeys) return "must be left out for a key that makes keys"
  return principals.length === 0
    ? null
    : "must be left out for a key that reads as users or groups of its own: it reads as the person it acts for"
}

/** The users and groups in the form that lists of readers use, without duplicates. Check them for problems first. */
export const readPrincipals = (written: readonly string[]): readonly Principal[] => [
  ...new Set(written.flatMap((one) => principalOf(one) ?? [])),
]
