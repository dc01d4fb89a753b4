import { analyse } from "../text/analysis/analyse.ts"
import type { WeighedUnit } from "./found-units.ts"
import { lineKey } from "./statements/page-marks.ts"
import type { Unit } from "./units/answer-units.ts"
import type { Rarity } from "./values.ts"

/** Headings that reverse the meaning of the text below them. */
const TURNING =
  /\b(?:not|never|don['’]?t|avoid|deprecat\w+|obsolete|former|wrong|incorrect|bad|unsupported|removed|forbidden|prohibited|discouraged|anti-?patterns?)\b/i
/** Headings that say nothing about the text below them. */
const EMPTY =
  /^(?:notes?|(?:configuration )?(?:examples?|options?|parameters?)|configuration|summary|introduction|overview|tips?|warnings?|important|caution|syntax|description|usage|contents|abstract|:|\W*)[:.]?$/i
/** The beginning of an answer to a heading that asks something. */
const ANSWER_WORD = /^(?:yes|no|yes and no|unfortunately)[.,!]/i
const ASKS = /[?？]$/
const MAX_LEAD_CHARS = 120
/** The share of the rarest term's rarity below which a term doesn't say what the question is about. */
const TELLING_SHARE = 0.6

const isEmptyHeading = (heading: string): boolean => EMPTY.test(heading)

/** Texts printed before a unit that makes no sense without them, verbatim: its heading, its term, the line that introduces its list. */
export function leadsOf({ unit, asked, own }: WeighedUnit, rarity: Rarity): string[] {
  const rare = (term: string) => rarity.get(term) ?? 0
  const most = Math.max(0, ...asked.map(rare))
  const lacks = asked.filter((term) => rare(term) >= TELLING_SHARE * most && !own.has(term))
  const heading = headingFor(unit, lacks)
  const said = unit.text.toLowerCase()
  return [heading, unit.lead].filter(
    (lead) => lead !== null && !said.startsWith(lead.replace(/[:：]$/, "").toLowerCase()),
  ) as string[]
}

/** @param lacks terms that say what the question is about and that the unit lacks */
function headingFor({ headings, kind, lead, text }: Unit, lacks: readonly string[]): string | null {
  // The title is above the whole page, but isn't always in its text.
  const [nearest, ...outer] = headings
    .slice(1)
    .map((heading) => lineKey(heading).replace(/^\d+(?:\.\d+)*\.?\s+/, ""))
    .filter((heading) => heading !== "" && heading.length <= MAX_LEAD_CHARS)
    .reverse()
  if (nearest === undefined) return null
  if (TURNING.test(nearest) || (ANSWER_WORD.test(text) && ASKS.test(nearest))) return nearest
  const adds = (heading: string) => {
    const terms = new Set(analyse(heading, null))
    return !isEmptyHeading(heading) && lacks.some((term) => terms.has(term))
  }
  const named = adds(nearest) ? nearest : (outer.find(adds) ?? null)
  // Rows and steps mean nothing without their subject.
  return named ?? (kind !== "prose" && lead === null && !isEmptyHeading(nearest) ? nearest : null)
}
