/** Maximum number of names shown. */
const SHOWN = 3

/**
 * The `known` names that the writer of `name` might have meant, nearest first: one letter in three may be wrong,
 * missing, added, or swapped with its neighbour.
 */
export function nearNames(name: string, known: Iterable<string>): readonly string[] {
  const limit = Math.max(1, Math.floor(name.length / 3))
  const wanted = name.toLowerCase()
  return [...known]
    .map((one) => ({ one, slips: slipsBetween(wanted, one.toLowerCase(), limit) }))
    .filter(({ slips }) => slips <= limit)
    .sort((a, b) => a.slips - b.slips || (a.one < b.one ? -1 : 1))
    .slice(0, SHOWN)
    .map(({ one }) => one)
}

/**
 * `; did you mean "docs" or "dogs"?`, to be added to a sentence that contains the unknown name; empty if no name is
 * similar.
 * @param prefix the common prefix, which is left out of the comparison
 */
export function didYouMean(name: string, known: Iterable<string>, prefix = ""): string {
  const bare = [...known].filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length))
  const near = nearNames(name.slice(prefix.length), bare).map((one) => JSON.stringify(prefix + one))
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`
}

/** Optimal string alignment distance (Damerau–Levenshtein without overlaps); if it is above `limit`, any number above `limit`. */
function slipsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      // Before the first letter there is no other letter, so nothing matches.
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
