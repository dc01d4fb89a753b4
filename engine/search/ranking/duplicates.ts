import type { Boosted } from "./preferences.ts"
import { type Reads, areTranslations } from "./languages.ts"
import { areVersions, compareVersions } from "./versions.ts"
import { sayTheSame } from "../../index/page/fingerprint.ts"
import { compareAddresses } from "../../index/page/preferred-address.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"

/** Duplicates whose values differ by at most this share rank alike: the index isn't more precise than that. */
const TIE = 0.02

/** A page that is folded behind another one. */
interface Folded {
  readonly id: string
  readonly kind: "copy" | "translation" | "version"
}

/** A page of the ranking, and the pages folded behind it. */
export interface Arranged extends Boosted {
  /** Best first; omitted if there are none. */
  readonly folded?: readonly Folded[]
}

/** Maximum number of folded pages listed for one hit. */
const MOST_FOLDED = 10

/**
 * The ranking with one page for each text: the best, or, among pages about as good, the one whose address looks most
 * like the original; among the translations of a page, the best one that the person asking can read; among its
 * versions, the one whose name is `wanted`, otherwise the site's default. The page shown takes the place of the best
 * one.
 */
export function collapse(
  ranked: readonly Boosted[],
  facts: ReadonlyMap<string, PageFacts>,
  reads: Reads,
  wanted: (version: string) => boolean = () => false,
): Arranged[] {
  const kept: { first: Boosted; shown: Boosted; page: PageFacts | undefined; all: Boosted[] }[] = []
  for (const one of ranked) {
    const page = facts.get(one.id)
    const version = page && kept.find((other) => other.page && areVersions(page, other.page))
    if (version) {
      version.all.push(one)
      if (compareVersions(page, version.page!, wanted) < 0) Object.assign(version, { shown: one, page })
      continue
    }
    const same = page && kept.find((other) => other.page && sayTheSame(page, other.page))
    const translated =
      same || !page ? undefined : kept.find((other) => other.page && areTranslations(page, other.page))
    ;(same ?? translated)?.all.push(one)
    if (translated) {
      // Pages whose language is unknown are not translations of any page.
      if (!reads(translated.page!.language!) && reads(page!.language!))
        Object.assign(translated, { shown: one, page })
    } else if (!same) {
      kept.push({ first: one, shown: one, page, all: [one] })
    } else if (
      valueOf(one) >= valueOf(same.first) * (1 - TIE) &&
      compareAddresses(page.url, same.page!.url) < 0
    ) {
      same.shown = one
      same.page = page
    }
  }
  return kept.map(({ first, shown, page, all }) => {
    const folded = all.filter((one) => one !== shown).slice(0, MOST_FOLDED)
    const kindOf = (id: string) => {
      const other = facts.get(id)!
      if (areVersions(other, page!)) return "version"
      return sayTheSame(other, page!) ? "copy" : "translation"
    }
    return {
      ...first,
      id: shown.id,
      ...(folded.length > 0 && { folded: folded.map(({ id }): Folded => ({ id, kind: kindOf(id) })) }),
    }
  })
}

const valueOf = ({ fused, boost }: Boosted) => fused + boost
