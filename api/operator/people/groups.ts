import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"
import type { PagesOfReaders } from "#engine"
import { type Principal, principalOf, type Readers } from "#engine/index/page/readers.ts"

import { type AllPeople, knownPeople } from "./known-people.ts"

const GROUP = "group:"

export interface Group {
  /** The group's name, without the prefix `group:`. */
  readonly name: string
  /** Number of people in the group who have signed in. */
  readonly people: number
  /** Sources that name the group in their own readers or in the readers of their pages; sorted by name. */
  readonly sources: readonly string[]
}

/** The groups that people are in or that readers name, those with the most people first. */
export async function allGroups(
  store: AllPeople,
  now: ReadersNow,
  counts: readonly PagesOfReaders[],
): Promise<readonly Group[]> {
  const found = new Map<string, { people: number; sources: Set<string> }>()
  const groupOf = (principal: Principal) => {
    const name = principal.slice(GROUP.length)
    const group = found.get(name) ?? { people: 0, sources: new Set<string>() }
    found.set(name, group)
    return group
  }
  /** The groups' names at their providers, mapped to the names used in readers; cached, because many people share groups. */
  const names = new Map<string, Principal | null>()
  for await (const { groups } of knownPeople(store)) {
    for (const name of groups) {
      const principal = names.get(name) ?? principalOf(GROUP + name)
      names.set(name, principal)
      if (principal !== null) groupOf(principal).people += 1
    }
  }
  const note = (source: string, readers: Readers) => {
    for (const one of groupsIn(namedIn(readers))) groupOf(one).sources.add(source)
  }
  for (const [source, readers] of now.sources) note(source, readers)
  // Labels that no page has any more are ignored.
  for (const label of new Set(counts.map((row) => row.label)))
    for (const rule of (label !== null && now.rules.get(label)) || []) note(rule.source, rule)
  return Array.from(found, ([name, { people, sources }]) => ({
    name,
    people,
    sources: [...sources].sort(),
  })).sort((a, b) => b.people - a.people || (a.name < b.name ? -1 : 1))
}

/** All users and groups that readers name. */
export const namedIn = ({ allow, deny }: Readers): readonly Principal[] => [...allow.flat(), ...deny]

const groupsIn = (principals: readonly Principal[]) =>
  new Set(principals.filter((one) => one.startsWith(GROUP)))
