import type { Manual } from "./manual.ts"

export type Change = "new" | "changed" | "gone"

/** How a page changed. */
export interface Changed {
  readonly change: Change
  /** Path below its site, with a slash at the start. */
  readonly path: string
}

/**
 * One day of a site: some pages change, some disappear, and some that had disappeared come back. One page always
 * changes.
 * @param always the subject that always changes
 */
export function happen(
  manual: Manual,
  subjects: readonly string[],
  day: { readonly number: number; readonly roll: () => number; readonly always: string },
): readonly Changed[] {
  return subjects.flatMap((subject): readonly Changed[] => {
    const path = `/${subject}`
    const isThere = manual.texts.has(path)
    const rolled = day.roll()
    const isDue = subject === day.always || rolled < 0.4
    if (!isDue) return []
    if (isThere && rolled < 0.15) {
      manual.texts.delete(path)
      return [{ change: "gone", path }]
    }
    // The first edition existed before the first day.
    manual.write(subject, day.number + 1)
    return [{ change: isThere ? "changed" : "new", path }]
  })
}
