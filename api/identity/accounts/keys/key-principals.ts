import { type Principal, principalOf } from "#engine/index/page/readers.ts"

import { MAX_ENTRIES, type LimitedRole } from "./key-scope.ts"

/** Users and groups that a new key is to stand for, as they were written. */
interface Written {
  readonly role: LimitedRole
  readonly principals: readonly string[]
}

/** What is wrong with them; null: nothing. It is a sentence without its subject, the field: `must be …`. */
export function principalsProblem({ role, principals }: Written): string | null {
  if (principals.length === 0) return null
  if (role !== "search") return `must be left out for a key of the role ${role}: ${WHY[role]}`
  if (principals.length > MAX_ENTRIES) return `must have at most ${MAX_ENTRIES} entries`
  const wrong = principals.find((one) => principalOf(one) === null)
  return wrong === undefined
    ? null
    : `must be user:NAME, group:NAME or signed-in, not ${JSON.stringify(wrong.slice(0, 100))}`
}

const WHY = { admin: "it reads every page", write: "it reads no page" } as const

/** They as readers of pages name them, once each. Nothing may be wrong with them. */
export const readPrincipals = (written: readonly string[]): readonly Principal[] => [
  ...new Set(written.flatMap((one) => principalOf(one) ?? [])),
]
