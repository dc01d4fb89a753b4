import { didYouMean } from "#base/text/near-names.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { goneSources, sourceNames } from "../source-names.ts"

/** Something that names sources: a key, a collection, a setting. */
export interface SourceReference {
  /** `the collection "staff"`. */
  readonly by: string
  readonly sources: readonly string[]
}

/**
 * Describes the references to unknown sources, which are neither in the file nor declared over the API, and have no
 * pages. They aren't an error in the file, because a reference can come before its source, so they only cause warnings.
 *
 * @param declared names in the file
 */
export async function strayReferences(
  db: StateStore | null,
  references: readonly SourceReference[],
  declared: readonly string[],
): Promise<string[]> {
  const known = [...new Set([...declared, ...(db ? await sourceNames(db) : [])])]
  return (
    await Promise.all(
      references.map(async ({ by, sources }) =>
        (await missing(db, sources, declared)).map((name) => {
          const isNew = !known.includes(name)
          return `${by} names the source ${JSON.stringify(name)}, which ${isNew ? "is not declared" : "no longer exists"}${isNew ? didYouMean(name, known) : ""}`
        }),
      ),
    )
  ).flat()
}

async function missing(
  db: StateStore | null,
  names: readonly string[],
  declared: readonly string[],
): Promise<readonly string[]> {
  const others = names.filter((name) => !declared.includes(name))
  // If no source is known, another machine might be filling the index, so all names are accepted.
  if (db === null || (await sourceNames(db)).length === 0) return declared.length === 0 ? [] : others
  return await goneSources(db, others)
}
