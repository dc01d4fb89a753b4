import type { AddressRules, Difference } from "./address-forms.ts"

/** A pair of addresses of a site that differ in one way and were read in one run. */
export interface Pair {
  readonly difference: Difference
  /** The common form of both addresses; pairs for the same page are counted once. */
  readonly page: string
  /**
   * For a parameter: its value. For another difference: `yes` if the site itself redirected from one form to the longer
   * one (https, `www.`, with slash), `no` if to the shorter one, otherwise empty.
   */
  readonly value: string
  /** Whether both answered with the same text. */
  readonly agrees: boolean
}

/** Number of pages that must agree before a difference, or one value of a parameter, is overlooked. */
const FEWEST_PAGES = 5
/** For a parameter to be overlooked with any value: the minimum number of values, and of pages. */
const FEWEST_VALUES = 8
const FEWEST_PAGES_OF_VALUES = 3
/** Further pairs add nothing, so these limits save memory for each site. */
const MOST_PAGES = 8
const MOST_VALUES = 40
/** Maximum number of parameters about which anything is learned for one site. */
const MOST_DIFFERENCES = 60

/**
 * Parameters for page numbers and languages are never overlooked: many pages have only one of each, so the first dozen
 * may agree and the next may not.
 */
const CHOOSING = new Set(["page", "p", "pg", "paged", "start", "offset", "lang", "language", "locale", "hl"])

const NONE: AddressRules = { forms: new Map(), parameters: new Set(), values: new Set() }

/**
 * Observations about a site's addresses, and the rules that follow. A rule needs several pages that support it and none
 * that contradicts it.
 */
export class SiteEvidence {
  readonly #pairs = new Map<Difference, Pair[]>()
  #rules: AddressRules | null = null

  /** @returns whether it is new information, and is kept. */
  add(pair: Pair): boolean {
    const kept = this.#pairs.get(pair.difference) ?? []
    if (kept.length === 0 && this.#pairs.size >= MOST_DIFFERENCES) return false
    const isValued = pair.difference.startsWith("parameter:")
    const alike = kept.filter((one) => one.agrees === pair.agrees && (!isValued || one.value === pair.value))
    if (
      alike.length >= MOST_PAGES ||
      alike.some(({ page, value }) => page === pair.page && value === pair.value)
    )
      return false
    if (
      isValued &&
      alike.length === 0 &&
      pair.agrees &&
      new Set(kept.map(({ value }) => value)).size >= MOST_VALUES
    )
      return false
    kept.push(pair)
    this.#pairs.set(pair.difference, kept)
    this.#rules = null
    return true
  }

  /** The rules that follow from the evidence so far. */
  get rules(): AddressRules {
    return (this.#rules ??= this.#derive())
  }

  /** The pairs seen for one difference. */
  pairs(difference: Difference): readonly Pair[] {
    return this.#pairs.get(difference) ?? []
  }

  #derive(): AddressRules {
    const forms = new Map<"https" | "www" | "index" | "slash" | "order", boolean>()
    const parameters = new Set<string>()
    const values = new Set<string>()
    for (const [difference, pairs] of this.#pairs) {
      if (difference.startsWith("parameter:")) {
        const name = difference.slice("parameter:".length)
        if (CHOOSING.has(name.toLowerCase())) continue
        if (choosesNothing(pairs)) parameters.add(name)
        else for (const value of valuesOfNothing(pairs)) values.add(`${name}=${value}`)
      } else if (pairs.every(({ agrees }) => agrees) && pagesOf(pairs) >= FEWEST_PAGES) {
        forms.set(
          difference as "https" | "www" | "index" | "slash" | "order",
          prefersLonger(difference, pairs),
        )
      }
    }
    return forms.size + parameters.size + values.size === 0 ? NONE : { forms, parameters, values }
  }
}

const pagesOf = (pairs: readonly Pair[]) => new Set(pairs.map(({ page }) => page)).size

function choosesNothing(pairs: readonly Pair[]): boolean {
  return (
    pairs.every(({ agrees }) => agrees) &&
    pagesOf(pairs) >= FEWEST_PAGES_OF_VALUES &&
    new Set(pairs.map(({ value }) => value)).size >= FEWEST_VALUES
  )
}

function valuesOfNothing(pairs: readonly Pair[]): string[] {
  const byValue = Map.groupBy(pairs, ({ value }) => value)
  return [...byValue].flatMap(([value, some]) =>
    some.every(({ agrees }) => agrees) && pagesOf(some) >= FEWEST_PAGES ? value : [],
  )
}

// If the site shows no preference, https and the short form are used.
function prefersLonger(difference: Difference, pairs: readonly Pair[]): boolean {
  const votes = pairs.reduce((sum, { value }) => sum + (value === "yes" ? 1 : value === "no" ? -1 : 0), 0)
  return votes === 0 ? difference === "https" : votes > 0
}
