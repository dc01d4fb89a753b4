import type { Clock } from "#base/clock.ts"
import {
  type AddressPattern,
  isPlain,
  parametersOf,
  type PatternKind,
  patternsOf,
} from "./address-pattern.ts"

/** A series of addresses that yields nothing new any more. */
export interface Trap {
  readonly kind: PatternKind
  readonly key: string
  readonly shown: string
  /** The number of its latest addresses that were considered, and how many of these yielded something new. */
  readonly read: number
  readonly fresh: number
}

/** The result of a visit to an address. */
export interface Yield {
  /** Lines of the page's text; empty if it has none. */
  readonly lines: readonly string[]
  /** Whether the address is a page in its own right. */
  readonly isPage: boolean
  /** Number of links to addresses that were not known before and do not belong to a suspicious pattern. */
  readonly leads: number
}

/**
 * A pattern is a trap when at most `fresh` of the last `window` addresses read yielded something new. A loop is obvious
 * at once. A calendar may have months without an event, and a list of filters has empty results. With numbered pages,
 * only a very long run of repetitions shows that nothing new follows.
 */
const LIMITS: Readonly<Record<PatternKind, { readonly window: number; readonly fresh: number }>> = {
  loop: { window: 10, fresh: 1 },
  tokens: { window: 10, fresh: 1 },
  calendar: { window: 100, fresh: 3 },
  facets: { window: 150, fresh: 5 },
  series: { window: 300, fresh: 1 },
}
/** The window is shortened to this share for a pattern that was a trap in an earlier run. */
const SECOND_CHANCE = 0.2
/** Minimum share of a page's words that must be in lines that no other page of the pattern had; with less, the page is just a new heading over old lines. */
const FRESH_SHARE = 0.1
const FRESH_WORDS = 5
/** Maximum number of combinations per observed value in facets whose pages really differ, as pages with ids do; with more, the site is just multiplying values. */
const COMBINATIONS_PER_VALUE = 3
const MOST_PATTERNS = 2000
/** Maximum number of patterns whose lines are remembered, and of lines for each pattern; a pattern with more lines is not a trap. */
const MOST_TEXTS = 50
const MOST_LINES = 5000
const MOST_VALUES = 2000

interface Row {
  /** Ring buffer: whether each of the last addresses yielded something new. */
  readonly last: Uint8Array
  read: number
  fresh: number
  readonly lines: Set<number> | null
  readonly values: Set<string> | null
  isTrap: boolean
}

/**
 * Tracks what series of addresses yield, and reports when a series yields nothing new. It compares the links of pages
 * and their text, ignoring numbers. Pages by id, archives by date and long lists are read to their end as long as one
 * page in a few dozen has something new. Addresses that are missing or fail are ignored.
 */
export class Traps {
  readonly #clock: Clock
  readonly #rows = new Map<string, Row>()
  readonly #texts = new Set<string>()
  /** Patterns that were traps in an earlier run. */
  readonly #suspected: Set<string>
  readonly #traps = new Map<string, Trap>()

  constructor(clock: Clock, suspected: Iterable<string> = []) {
    this.#clock = clock
    this.#suspected = new Set(suspected)
  }

  /** The trap that an address belongs to, or null. */
  holding(url: string): Trap | null {
    if (this.#traps.size === 0) return null
    for (const { key } of patternsOf(url, this.#clock())) {
      const trap = this.#traps.get(key)
      if (trap) return trap
    }
    return null
  }

  /** Whether a link to an address is worth following from any page. */
  isPlain(url: string): boolean {
    return isPlain(patternsOf(url, this.#clock()))
  }

  /** Records what an address yielded. @returns the trap that this reveals, if any. */
  visited(url: string, { lines, isPage, leads }: Yield): Trap | null {
    for (const pattern of patternsOf(url, this.#clock())) {
      const row = this.#row(pattern)
      if (row.isTrap) continue
      const isFresh = row.lines === null ? isPage : isNews(lines, row.lines)
      if (row.values && row.values.size < MOST_VALUES) {
        for (const one of parametersOf(url)) row.values.add(one)
      }
      push(row, isFresh || leads > 0)
      const trap = this.#judged(pattern, row)
      if (trap) return trap
    }
    return null
  }

  #judged({ kind, key, shown }: AddressPattern, row: Row): Trap | null {
    const { fresh } = LIMITS[kind]
    const window = row.last.length
    if (row.read < window || row.fresh > fresh) return null
    if (row.values && row.read < COMBINATIONS_PER_VALUE * row.values.size) return null
    row.isTrap = true
    row.lines?.clear()
    const trap: Trap = { kind, key, shown, read: window, fresh: row.fresh }
    this.#traps.set(key, trap)
    return trap
  }

  #row({ kind, key }: AddressPattern): Row {
    let row = this.#rows.get(key)
    if (row) return row
    const window = LIMITS[kind].window
    const isSuspected = this.#suspected.has(key)
    row = {
      last: new Uint8Array(isSuspected ? Math.ceil(window * SECOND_CHANCE) : window),
      read: 0,
      fresh: 0,
      lines: kind === "series" ? null : new Set(),
      values: kind === "facets" ? new Set() : null,
      isTrap: false,
    }
    if (row.lines) this.#texts.add(key)
    if (this.#texts.size > MOST_TEXTS) this.#drop(first(this.#texts))
    if (this.#rows.size >= MOST_PATTERNS) this.#drop(first(this.#rows.keys()))
    this.#rows.set(key, row)
    return row
  }

  #drop(key: string): void {
    this.#rows.delete(key)
    this.#texts.delete(key)
  }
}

/** Describes a trap in words. */
export function describeTrap({ kind, shown, read, fresh }: Trap): string {
  const given = fresh === 0 ? "nothing new" : fresh === 1 ? "1 new page" : `${fresh} new pages`
  return `${NAMES[kind]} at ${shown}: the last ${read} addresses gave ${given}`
}

const NAMES: Readonly<Record<PatternKind, string>> = {
  calendar: "endless calendar",
  facets: "parameter combinations",
  loop: "repeating path",
  tokens: "random address parts",
  series: "series of addresses",
}

function push(row: Row, isFresh: boolean): void {
  const at = row.read % row.last.length
  row.fresh += (isFresh ? 1 : 0) - (row.last[at] ?? 0)
  row.last[at] = isFresh ? 1 : 0
  row.read += 1
}

/** Whether a page has text that no other page of its pattern had, ignoring numbers. Remembers the text. */
function isNews(lines: readonly string[], seen: Set<number>): boolean {
  if (seen.size >= MOST_LINES) return true
  let words = 0
  let fresh = 0
  for (const line of lines) {
    const count = line.match(/\p{L}{2,}/gu)?.length ?? 0
    if (count === 0) continue
    words += count
    const hash = hashOf(line)
    if (seen.has(hash)) continue
    seen.add(hash)
    fresh += count
  }
  return fresh >= FRESH_WORDS && fresh >= FRESH_SHARE * words
}

/** FNV-1a hash of a line without its numbers. */
function hashOf(line: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < line.length; at++) {
    const unit = line.charCodeAt(at)
    if (unit < 0x30 || unit > 0x39) value = Math.imul(value ^ unit, 0x01000193)
  }
  return value
}

const first = (keys: Iterable<string>) => keys[Symbol.iterator]().next().value as string
