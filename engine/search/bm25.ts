/** Saturation of a term's frequency, and how much a page's length counts: as LanceDB has them. */
export const K1 = 1.2
export const B = 0.75

/** The score of a page that would hold every term very often: Σ idf(t) · (k1 + 1). */
export const lexicalBound = (idfs: Iterable<number>): number => {
  let sum = 0
  for (const idf of idfs) sum += idf
  return sum * (K1 + 1)
}
