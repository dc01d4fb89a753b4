import { analyse } from "../text/analysis/analyse.ts"
import type { Candidate } from "./candidates.ts"
import type { Rarity } from "./refusal.ts"
import { lineKey } from "./statements/page-marks.ts"
import type { Statement } from "./statements/statements.ts"

/** Headings that turn what stands below them. */
const TURNING =
  /\b(?:not|never|don['’]?t|avoid|deprecat\w+|obsolete|former|wrong|incorrect|bad|unsupported|removed|forbidden|prohibited|discouraged|anti-?patterns?)\b/i
/** Headings that say nothing of what stands below them. */
const EMPTY =
  /^(?:notes?|examples?|summary|introduction|overview|tips?|warnings?|important|caution|syntax|description|usage|contents|abstract|:|\W*)[:.]?$/i
const MAX_LEAD_CHARS = 120

export const isEmptyHeading = (heading: string): boolean => EMPTY.test(heading)

/** What is printed before a statement, since it says nothing without it: its heading, its term, the names of its columns. Verbatim. */
export function leadsOf({ statement, asked, own }: Candidate, rarity: Rarity): string[] {
  const { leads, text } = statement
  const telling = tellingOf(asked, rarity)
  const heading = headingFor(
    statement,
    telling.filter((term) => !own.has(term)),
  )
  const all = heading === null ? leads : [heading, ...leads]
  const said = text.toLowerCase()
  return all.filter(
    (lead, at) =>
      !said.startsWith(lead.replace(/[:：]$/, "").toLowerCase()) &&
      !all.slice(at + 1).some((other) => other.includes(lead)),
  )
}

/** Terms that are less rare than this share of the rarest one do not say what the question is about. */
const TELLING_SHARE = 0.6

function tellingOf(asked: readonly string[], rarity: Rarity): string[] {
  const rare = (term: string) => rarity.get(term) ?? 0
  const most = Math.max(0, ...asked.map(rare))
  return asked.filter((term) => rare(term) >= TELLING_SHARE * most)
}

/** @param lacks those terms that say what the question is about and that the statement has not */
function headingFor(
  { headings, dangling, opens, before, kind, leads }: Statement,
  lacks: readonly string[],
): string | null {
  // The title stands above the page, and not always in it.
  const [nearest, ...outer] = headings
    .slice(1)
    .map((heading) => lineKey(heading).replace(/^\d+(?:\.\d+)*\.?\s+/, ""))
    .filter((heading) => heading !== "" && heading.length <= MAX_LEAD_CHARS)
    .reverse()
  if (nearest === undefined) return null
  if (TURNING.test(nearest)) return nearest
  const adds = (heading: string) => {
    const terms = new Set(analyse(heading, null))
    return !EMPTY.test(heading) && lacks.some((term) => terms.has(term))
  }
  const named = adds(nearest) ? nearest : (outer.find(adds) ?? null)
  if (named !== null) return named
  const alone = (dangling && before === null && (opens || leads.length === 0)) || kind === "row"
  return alone && leads.length === 0 && !EMPTY.test(nearest) ? nearest : null
}
