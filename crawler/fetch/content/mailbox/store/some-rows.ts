/** Number of rows that one statement reads, or that one transaction writes. */
export const ROWS = 500

/** Processes a list, {@link ROWS} items at a time. */
export async function inParts<T>(
  all: readonly T[],
  work: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += ROWS) await work(all.slice(from, from + ROWS))
}

/**
 * All rows in key order, one batch at a time.
 * @param first comes before every key
 * @param rowsAfter reads the rows that follow a key
 */
export async function* inOrder<Key, Row extends Key>(
  first: Key,
  rowsAfter: (key: Key) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last = first
  for (;;) {
    const rows = await rowsAfter(last)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)!
  }
}
