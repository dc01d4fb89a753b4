import { domainRules, matchesDomains } from "../../index/page/domains.ts"
import type { PagePreference } from "../../engine.ts"
import type { Ranked } from "./fusion.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** A page of the ranking with what preferences added, and what a list of other pages lost. */
export interface Boosted extends Ranked {
  /** Added to `fused`; the list's order is the order of both together. */
  readonly boost: number
}

/**
 * What each preference adds, as a share of the match's worth: a page that matches badly gains little, so no preference brings up
 * a page that does not answer. With a share of 0.4 a page reaches another whose match is worth 1.4 times its own, with 0.15 it
 * passes its near neighbours. Chosen by purpose; there are no judgements of pages by preference.
 */
const WEIGHTS = {
  /** The caller names sites: those come first whenever they are as good as the best ten. */
  domains: 0.4,
  /** The caller asks for news: pages that are news come before all others that match about as well. */
  topic: 0.5,
  /** Decides between pages about equal: a good answer from elsewhere stays before a poor one from here. */
  languages: 0.15,
  countries: 0.15,
  /** For a page of this very day, less by its age. */
  recency: 0.3,
} as const

/**
 * What a page that mostly lists others loses, as a share of its match's worth. It carries the words of all pages that it lists,
 * many of them in its title and headings, so it often matches best where one of those answers. With 0.25 it comes behind every
 * page whose match is worth three quarters of its own, and stays first where nothing comes near: a user who asks for the list by
 * its name gets it.
 */
const LISTING_LOSS = 0.25

const DAY = 24 * 60 * 60 * 1000
/** Age at which a page gains half of what one of today gains. A month keeps the week's order, and a year gains nothing. */
const HALF_LIFE_MS = 30 * DAY
/** Older pages gain less than a tenth of a new one's share: not worth looking for. */
export const RECENT_MS = 3 * HALF_LIFE_MS

export function isPreference(preference: PagePreference | undefined): preference is PagePreference {
  if (!preference) return false
  const { domains, languages, countries, topic, recentAt } = preference
  return !!(domains?.length || languages?.length || countries?.length || topic || recentAt)
}

/** The share of its value that a page gains. */
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
 * The ranking with preferences heeded and lists of other pages put back, best first. A page that moved shows the score that
 * the list gave to a page of its new value, and never more than the best page had: being preferred answers no
 * question. A page without facts stays where it is.
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

/** More than {@link CLOSE} in `crowding.ts` gives to others. */
const RAISED = 1.1

/**
 * The ranking with some pages before all others, in their own order, with the best score of those at least. Used for a quoted
 * phrase: a user who quotes it means the pages that say it.
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

/** The score that a page of this value has in the list, between two of them in proportion. */
function scoreOf(ranked: readonly Ranked[], value: number): number {
  const below = ranked.findIndex(({ fused }) => fused <= value)
  if (below === -1) return ranked.at(-1)!.score
  const lower = ranked[below]!
  const upper = ranked[below - 1]
  if (!upper) return lower.score
  const share = upper.fused > lower.fused ? (value - lower.fused) / (upper.fused - lower.fused) : 0
  return lower.score + share * (upper.score - lower.score)
}
