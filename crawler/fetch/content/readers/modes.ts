import type { Stats } from "node:fs"
import { principalOf, type Principal, type Readers } from "#engine/index/page/readers.ts"
import type { Acl } from "./acls.ts"
import type { AccountNames } from "./account-names.ts"

/** The bit needed to read a file, and the bit needed to reach a folder's contents. */
export const READ = 4
export const REACH = 1

type Bits = typeof READ | typeof REACH

interface Entry {
  readonly id: number
  readonly grants: boolean
}

/**
 * The users and groups that may read a file or folder, according to its mode and its access control list, if it has one
 * (POSIX 1003.1e). If the list is unknown, only the owner may read it: the mode shows the list's mask in place of the
 * group's bits, and the list may exclude others by name. If others may read and a group may not, the whole group is
 * excluded, although the kernel would admit the owner and members of other groups that may read.
 */
export async function readersByMode(
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  acl: Acl | "none" | "unknown",
  need: Bits,
  names: AccountNames,
): Promise<Readers> {
  const grants = (bits: number): boolean => (bits & need) !== 0
  const owner = { id: uid, grants: grants(mode >> 6) }
  if (acl === "unknown") return { allow: [await named([owner], "user", names)], deny: [] }
  const { users, groups } = entriesOf(acl === "none" ? null : acl, { gid, groupBits: mode >> 3 }, grants)
  // For the owner, only the owner's own entry applies, even if other entries name the owner.
  const allUsers = [owner, ...users.filter(({ id }) => id !== uid)]
  const refused = (entries: readonly Entry[]) => entries.filter((entry) => !entry.grants)
  const granted = (entries: readonly Entry[]) => entries.filter((entry) => entry.grants)
  const isForOthers = grants(mode)
  const mayBeInGroup = isForOthers || groups.some((entry) => entry.grants)
  const deny = [
    ...(mayBeInGroup ? await named(refused(allUsers), "user", names) : []),
    ...(isForOthers ? await named(refused(groups), "group", names) : []),
  ]
  if (isForOthers) return { allow: [], deny }
  const allow = [
    ...(await named(granted(allUsers), "user", names)),
    ...(await named(granted(groups), "group", names)),
  ]
  return { allow: [allow], deny }
}

function entriesOf(
  acl: Acl | null,
  { gid, groupBits }: { readonly gid: number; readonly groupBits: number },
  grants: (bits: number) => boolean,
): { readonly users: readonly Entry[]; readonly groups: readonly Entry[] } {
  if (acl === null) return { users: [], groups: [{ id: gid, grants: grants(groupBits) }] }
  const entry = ([id, bits]: readonly [number, number]): Entry => ({ id, grants: grants(bits & acl.mask) })
  // A group with several entries needs only one that grants access.
  const byGroup = new Map<number, Entry>()
  for (const one of [[gid, acl.owningGroup] as const, ...acl.groups].map(entry))
    if (byGroup.get(one.id)?.grants !== true) byGroup.set(one.id, one)
  return { users: acl.users.map(entry), groups: [...byGroup.values()] }
}

async function named(
  entries: readonly Entry[],
  kind: "user" | "group",
  names: AccountNames,
): Promise<Principal[]> {
  return await Promise.all(
    entries.map(async ({ id }) => principalOf(`${kind}:${await names.of(kind, id)}`) ?? `${kind}:id-${id}`),
  )
}
