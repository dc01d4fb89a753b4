import { type Principal, principalOf, SIGNED_IN } from "#engine/index/page/readers.ts"

import { type KeyScope, UNLIMITED } from "../accounts/keys/key-scope.ts"

/** What people in certain groups may do, as the operator specified it. */
export interface RoleRule {
  /** Groups whose members match; null for anyone who signs in. */
  readonly groups: readonly string[] | null
  readonly role: "reader" | "operator" | "admin"
  /** For readers: what they may see; null in both fields means no limit. */
  readonly sources: readonly string[] | null
  readonly collections: readonly string[] | null
}

/** A person's rights. */
export interface Rights {
  readonly role: "search" | "operator" | "admin"
  readonly scope: KeyScope
}

/** A person, by the names that lists of readers use: in lower case and NFC, which is how people are stored. */
interface Named {
  readonly user: string
  readonly groups: readonly string[]
}

/** Every name that a list of readers can use for a person. */
export const principalsOf = ({ user, groups }: Named): readonly Principal[] => [
  `user:${user}`,
  ...groups.map((group) => `group:${group}`),
  SIGNED_IN,
]

/** The same rules, with groups written in the same form as people's groups. */
export const normalRules = (rules: readonly RoleRule[]): readonly RoleRule[] =>
  rules.map((rule) => ({
    ...rule,
    groups:
      rule.groups?.flatMap((group) => principalOf(`group:${group}`)?.slice("group:".length) ?? []) ?? null,
  }))

/**
 * What a person in these groups may do; null if no rule matches. The role admin outranks operator, which outranks
 * reader. If several rules match a reader, their permissions add up.
 * @param rules {@link normalRules}
 */
export function rightsOf(rules: readonly RoleRule[], groups: Named["groups"]): Rights | null {
  const mine = new Set(groups)
  const fitting = rules.filter((rule) => rule.groups?.some((one) => mine.has(one)) ?? true)
  if (fitting.length === 0) return null
  for (const strong of ["admin", "operator"] as const)
    if (fitting.some(({ role }) => role === strong)) return { role: strong, scope: UNLIMITED }
  if (fitting.some(({ sources, collections }) => sources === null && collections === null))
    return { role: "search", scope: UNLIMITED }
  const all = (lists: readonly (readonly string[] | null)[]) => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ]
  return {
    role: "search",
    scope: {
      ...UNLIMITED,
      sources: all(fitting.map(({ sources }) => sources)),
      collections: all(fitting.map(({ collections }) => collections)),
    },
  }
}
