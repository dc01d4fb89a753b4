// How much two sets of terms have in common, 0..1; 0 when both are empty.

/** The common part as a share of the union (Jaccard 1901). */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = shared(a, b)
  return both / Math.max(1, a.size + b.size - both)
}

/** The common part as a share of the average size (Dice 1945). */
export const dice = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  diceOf(shared(a, b), a.size, b.size)

/** Like `dice`, given only the number of shared terms and the sizes of both sets. */
export const diceOf = (both: number, a: number, b: number): number => (2 * both) / Math.max(1, a + b)

/** The common part as a share of the smaller set (the overlap coefficient): 1 if the larger set contains all of it. */
export const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  shared(a, b) / Math.max(1, Math.min(a.size, b.size))

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a]
  let both = 0
  for (const term of few) if (many.has(term)) both++
  return both
}
