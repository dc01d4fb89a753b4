import { domainRules, matchesDomains } from "../../index/page/domains.ts"
import type { PagePreference } from "../../engine.ts"
import type { Ranked } from "./fusion.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** A page of the ranking with its gains from preferences and, if it is a list of other pages, its loss. */
export interface Boosted extends Ranked {
  /** Added to `fused`; the list is sorted by the sum. */
  readonly boost: number
}

/**
 * The gain from each preference, as a share of the match's value: a page that matches badly gains little, so no
 * preference brings up a page that doesn't answer. With a share of 0.4 a page reaches another whose match is worth 1.4
 * times its own; with 0.15 it passes its near neighbours. The shares were chosen by each preference's purpose, since
 * there are no judgements of pages with preferences.
 */
const WEIGHTS = {
  /** The caller names sites: pages of these sites come first whenever they match as well as the best ten. */
  domains: 0.4,
  /** The caller asks for news: pages that are news come before all others that match about as well. */
  topic: 0.5,
  /** Decides between pages that are about equal: a good answer in another language, or from another country, stays ahead of a poor one. */
  languages: 0.15,
  countries: 0.15,
  /** The gain of a page from today; older pages gain less. */
  recency: 0.3,
} as const

/**
 * The loss of a page that mostly lists others, as a share of its match's value. Such a page contains the words of all
 * pages that it lists, many of them in its title and headings, so it often matches best when one of those pages has the
 * answer. With 0.25 it comes behind every page whose match is worth three quarters of its own, and stays first if no
 * other page comes close: a user who asks for the list by name gets it.
 */
const LISTING_LOSS = 0.25

const DAY = 24 * 60 * 60 * 1000
/** Age at which the gain is half that of a page from today. With a month, the order within a week is kept, and a page a year old gains nothing. */
const HALF_LIFE_MS = 30 * DAY
/** Pages older than this gain less than a tenth of a new page's gain, so they aren't looked for. */
export const RECENT_MS = 3 * HALF_LIFE_MS

export function isPreference(preference: PagePreference | undefined): preference is PagePreference {
  if (!preference) return false
  const { domains, languages, countries, topic, recentAt } = preference
  return !!(domains?.length || languages?.length || countries?.length || topic || recentAt)
}

/** The gain of a page as a share of its value. */
function gainOf(preference: PagePreference): (page: PageFacts) => number {
  const { languages = [], countries = [], topic, recentAt } = preference
  const domains = domainRules(preference.domains ?? [])
  const now = recentAt?.getTime()
  return (page) => {
    let gain = 0
    if (matchesDomains(page, domains)) gain += WEIGHTS.domains
    if (page.language !== null && languages.includes(page.language)) gain += WEIGHTS.languages
    if (page.country !== null && countries.includes(page.country)) gain += WEIGHTS.countries
    if (topic !== undefined && page.topic === topic) gain += WEIGHTS.topic
    if (now !== undefined && page.published !== null) {
      gain += WEIGHTS.recency * 0.5 ** (Math.max(0, now - page.published) / HALF_LIFE_MS)
    }
    return gain
  }
}

/**
 * Applies preferences to the ranking and moves lists of other pages back, best first. A page that moved gets the score
 * that a page with its new value had in the list, and never more than the best page had: a preferred page doesn't
 * answer the question better. A page without facts stays where it is.
 *
 * @param ranked best first, neither `fused` nor `score` rising
 */
export function boosted(
  ranked: readonly Ranked[],
  preference: PagePreference | undefined,
  facts: ReadonlyMap<string, PageFacts>,
): Boosted[] {
  const gain = isPreference(preference) ? gainOf(preference) : () => 0
  const all = ranked.map((one) => {
    const page = facts.get(one.id)
    const boost = page ? one.fused * (gain(page) - (page.isListing ? LISTING_LOSS : 0)) : 0
    return { ...one, boost, score: boost === 0 ? one.score : scoreOf(ranked, one.fused + boost) }
  })
  if (all.every(({ boost }) => boost === 0)) return all
  return all.sort((a, b) => b.fused + b.boost - (a.fused + a.boost) || (a.id < b.id ? -1 : 1))
}

/** Larger than the margin that {@link CLOSE} in `crowding.ts` allows other pages. */
const RAISED = 1.1

/**
 * Moves some pages before all others, in their own order, with at least the best score of the others. Used for quoted
 * phrases: a user who quotes one wants pages that contain it.
 */
export function raised(ranked: readonly Boosted[], first: ReadonlySet<string>): readonly Boosted[] {
  const others = ranked.filter(({ id }) => !first.has(id))
  const [best] = others
  if (!best || others.length === ranked.length) return ranked
  const boost = RAISED * (best.fused + best.boost)
  const up = ranked
    .filter(({ id }) => first.has(id))
    .map((one) => ({ ...one, boost: one.boost + boost, score: Math.max(one.score, best.score) }))
  return [...up, ...others]
}

/** The score of a page with this value in the list, interpolated between two pages. */
function scoreOf(ranked: readonly Ranked[], value: number): number {
  const below = ranked.findIndex(({ fused }) => fused <= value)
  if (below === -1) return ranked.at(-1)!.score
  const lower = ranked[below]!
  const upper = ranked[below - 1]
  if (!upper) return lower.score
  const share = upper.fused > lower.fused ? (value - lower.fused) / (upper.fused - lower.fused) : 0
  return lower.score + share * (upper.score - lower.score)
}
