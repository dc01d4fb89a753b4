import type { PageType } from "../../index/page/page-type.ts"

/** An operator's ranking rules. They are applied when a question is answered; no page is reindexed. */
export type Rule = SynonymRule | PinRule | BoostRule

/** All `words` mean the same; or each word of `from` also finds the words of `to`, but not vice versa. */
export interface SynonymRule {
  readonly id: string
  readonly kind: "synonym"
  /** At least two words or phrases. */
  readonly words?: readonly string[]
  readonly from?: readonly string[]
  readonly to?: readonly string[]
}

/** A page that is pinned to a place for a question. */
export interface PinRule {
  readonly id: string
  readonly kind: "pin"
  /** The questions that the pin applies to. */
  readonly questions: readonly string[]
  /** `equal`: the question consists of these words, whatever their case, accents and marks. `words`: it contains all of them in any form. Default `equal`. */
  readonly match?: "equal" | "words"
  readonly url: string
  /** The page's place among the results, from 1. Default 1. */
  readonly position?: number
}

/** A factor on the score of pages for which all of `where` holds. */
export interface BoostRule {
  readonly id: string
  readonly kind: "boost"
  readonly where: BoostWhere
  /** {@link LEAST_FACTOR} to {@link MOST_FACTOR}. */
  readonly factor: number
}

/** All given conditions must hold; for a list, one matching entry is enough. */
export interface BoostWhere {
  readonly sources?: readonly string[]
  /** As in `PageFilter.includeDomains`. */
  readonly domains?: readonly string[]
  /** Paths of addresses; `*` matches anything, including slashes. */
  readonly paths?: readonly string[]
  /** ISO 639-1. */
  readonly languages?: readonly string[]
  readonly types?: readonly PageType[]
  /** Age limits in days since the page's own publication date; a page without a date meets neither. */
  readonly youngerThanDays?: number
  readonly olderThanDays?: number
}

/** Bounds of a boost's factor. Beyond them, a boost would act as a filter: a page that answers the question would never be shown, or one that doesn't would always be. */
export const LEAST_FACTOR = 0.25
export const MOST_FACTOR = 4

/** A rule that affected a hit, for `explain`. */
export interface AppliedRule {
  readonly id: string
  readonly kind: Rule["kind"]
  /** For a synonym: the variant of the question that was searched as well. */
  readonly question?: string
  /** For a boost: its factor. */
  readonly factor?: number
  /** For a pin: its place. */
  readonly position?: number
}
