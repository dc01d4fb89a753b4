import { type Boosted, boosted, isPreference, raised } from "./preferences.ts"
import { spreadHosts } from "./crowding.ts"
import { compareAddresses } from "../../index/page/preferred-address.ts"
import { type Arranged, collapse } from "./duplicates.ts"
import { type Reads, readableFirst } from "./languages.ts"
import type { PagePreference } from "../../engine.ts"
import type { Ranked } from "./fusion.ts"
import type { FactsOf, PageFacts } from "../../index/page/page-facts.ts"

export interface Arrangement {
  readonly limit: number
  readonly preference: PagePreference | undefined
  /** Pages that come before all others. Default: none. */
  readonly holders?: ReadonlySet<string>
  /** The languages that the user can read, if known. Default: all. */
  readonly reads?: Reads
  /** Whether a version of documentation is the one that the question names. Default: never. */
  readonly wanted?: ((version: string) => boolean) | undefined
  readonly factsOf: FactsOf
}

/** Number of pages examined for each result wanted: duplicates are dropped, and pages on other hosts must be able to move up. */
const LOOKED_AT = 3
const LOOKED_AT_LEAST = 15

/**
 * The part of a ranking to show: applies preferences and the languages of the person asking, keeps one page for each
 * text and its translations, and lets no host crowd out others that match equally well. Scores never rise from one hit
 * to the next.
 *
 * @param ranked best first, neither `fused` nor `score` rising
 */
export async function arrange(
  ranked: readonly Ranked[],
  { limit, preference, holders = new Set(), reads = () => true, wanted = () => false, factsOf }: Arrangement,
): Promise<Arranged[]> {
  const facts = new Map<string, PageFacts>()
  const asked = new Set<string>()
  /** @returns whether the new facts can move a page */
  const learn = async (pages: readonly Ranked[]): Promise<boolean> => {
    const unknown = pages.map(({ id }) => id).filter((id) => !asked.has(id))
    if (unknown.length === 0) return false
    for (const id of unknown) asked.add(id)
    const learned = await factsOf(unknown)
    for (const id of unknown) if (learned.has(id)) facts.set(id, learned.get(id)!)
    return unknown.some((id) => learned.get(id)?.isListing)
  }
  if (isPreference(preference)) await learn(ranked)
  const order = () => raised(boosted(ranked, preference, facts), holders)
  let all = order()
  for (let count = Math.max(LOOKED_AT_LEAST, limit * LOOKED_AT); ; count *= 2) {
    let first = all.slice(0, count)
    // A page that lists others moves back once it is known to be one, and the page that moves up in its place can turn
    // out to be one too.
    while (await learn(first)) {
      all = order()
      first = all.slice(0, count)
    }
    // Pages in languages that the caller named have already been ranked higher.
    const readable = preference?.languages?.length ? first : readableFirst(first, reads, facts)
    const some = tiesByAddress(readable, facts)
    const different = collapse(some, facts, reads, wanted)
    if (different.length >= limit || count >= all.length) {
      return neverRising(spreadHosts(different, limit, facts))
    }
  }
}

function neverRising(hits: readonly Arranged[]): Arranged[] {
  let least = 1
  return hits.map((hit) => ({ ...hit, score: (least = Math.min(least, hit.score)) }))
}

/** Factor for rounding: values closer together than 1/SAME count as equal, since only the last digits of a sum differ. */
const SAME = 1e6

/**
 * Orders pages that match equally well, such as copies that aren't marked as copies, by their addresses: first the one
 * that looks most like the original. The order is never left to chance.
 */
function tiesByAddress(ranked: readonly Boosted[], facts: ReadonlyMap<string, PageFacts>): Boosted[] {
  const value = ({ fused, boost }: Boosted) => Math.round((fused + boost) * SAME)
  const address = ({ id }: Boosted) => facts.get(id)?.url
  return ranked.toSorted((a, b) => {
    const [one, other] = [address(a), address(b)]
    return value(b) - value(a) || (one && other ? compareAddresses(one, other) : 0)
  })
}
