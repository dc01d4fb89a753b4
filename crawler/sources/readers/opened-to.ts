import { EVERYBODY, mayRead, readersOf, SIGNED_IN, type WrittenReaders } from "#engine/index/page/readers.ts"

const WIDE = [
  ["everybody", []],
  ["signed-in", [SIGNED_IN]],
] as const

/** Who gains access when readers change: everybody, or everybody who is signed in; null if neither. */
export function openedTo(
  before: WrittenReaders | null,
  after: WrittenReaders | null,
): (typeof WIDE)[number][0] | null {
  const lets = (readers: WrittenReaders | null, who: readonly string[]) =>
    mayRead(new Set(who), readers === null ? EVERYBODY : readersOf(readers))
  return WIDE.find(([, who]) => lets(after, who) && !lets(before, who))?.[0] ?? null
}
