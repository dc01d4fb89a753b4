import { mayRead, type PageReaders, type Principal } from "#engine/index/page/readers.ts"
import type { ReadersNow } from "#crawler/sources/readers/readers-now.ts"

/** The pages that a key may read, among those that have readers. Pages whose readers are unknown are not included. */
export interface Readable {
  readonly principals: ReadonlySet<Principal>
  /** Sources that are out of reach, with every page that they contain. */
  readonly hidden: readonly string[]
  /** Sources with some pages that are out of reach. */
  readonly partly: ReadonlySet<string>
  /** Labels of the lists of readers that include the key, sorted. */
  readonly labels: readonly string[]
}

/** Results by set of principals. They are valid for one state of the readers, which is identified by two maps: the map of rules, and `of`, the map of sources. */
const known = new WeakMap<
  ReadersNow["rules"],
  { readonly of: ReadersNow["sources"]; readonly bySet: Map<string, Readable> }
>()
/** Number of distinct sets of principals that are cached; results for others are computed for each call. */
const MOST_KNOWN = 1000

/** What a key with these principals may read; null for every page, because no page has readers. */
export function readableBy(principals: readonly Principal[], now: ReadersNow): Readable | null {
  if (now.sources.size + now.rules.size === 0) return null
  const before = known.get(now.rules)
  const bySet = before?.of === now.sources ? before.bySet : new Map<string, Readable>()
  known.set(now.rules, { of: now.sources, bySet })
  const key = JSON.stringify([...new Set(principals)].sort())
  const same = bySet.get(key)
  if (same !== undefined) return same
  const who = new Set(principals)
  const labels: string[] = []
  const partly = new Set<string>()
  for (const [label, rules] of now.rules) {
    if (rules.every((one) => mayRead(who, one))) labels.push(label)
    else for (const { source } of rules) partly.add(source)
  }
  const readable: Readable = {
    principals: who,
    hidden: [...now.sources].flatMap(([name, readers]) => (mayRead(who, readers) ? [] : [name])),
    partly,
    labels: labels.sort(),
  }
  if (bySet.size < MOST_KNOWN) bySet.set(key, readable)
  return readable
}

/** Whether a page with these sources and readers may be read. */
export const isReadable = (
  { hidden, principals }: Readable,
  sources: readonly string[],
  readers: readonly PageReaders[] = [],
): boolean =>
  !sources.some((name) => hidden.includes(name)) && readers.every((one) => mayRead(principals, one))
