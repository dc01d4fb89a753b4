import type { Source } from "./found-units.ts"
import type { Unit } from "./units/answer-units.ts"

/** How recent a unit's content is, 0..1. */
export type Recency = (unit: Unit) => number

const ASKS_LATEST =
  /\b(?:latest|newest|current(?:ly)?|most recent(?:ly)?|nowadays|these days|today|at present|presently|present(?= \w+ (?:\w+ )?(?:of|in|for)\b)|at the moment|up[- ]to[- ]date|now)\b/i
const SAYS_PRESENT =
  /\b(?:current(?:ly)?|nowadays|today|at present|as of (?:now|today|this)|these days|now|is our|deprecated|replace[sd]? by|new deployments)\b/i
const YEAR = /\b(?:19[5-9]\d|20\d\d)\b/g
/** Number of years after which a statement counts half as much. */
const HALF_LIFE_YEARS = 3
/** The recency of a unit that mentions no year, and the bonus for a unit that says it is about the present. */
const UNDATED = 0.5
const PRESENT = 0.4
/** The recency of the newest of several versions of a page. */
const NEWEST_VERSION = 0.3

/** `null` unless the question asks about the present, in which case newer units answer it better. */
export function recencyAsked(
  question: string,
  hits: readonly Source[],
  units: readonly Unit[],
): Recency | null {
  if (!ASKS_LATEST.test(question)) return null
  const years = units.map(yearOf).filter((year) => year !== null)
  const newest = years.length > 0 ? Math.max(...years) : null
  const published = hits.map(({ publishedAt }) => publishedAt?.getTime() ?? null)
  const latest = Math.max(...published.filter((time) => time !== null))
  const versions = versionsOf(hits)
  return (unit) => {
    const year = yearOf(unit)
    const time = published[unit.source] ?? null
    const age = year !== null ? newest! - year : time !== null ? (latest - time) / YEAR_MS : null
    const young = age === null ? UNDATED : 0.5 ** (age / HALF_LIFE_YEARS)
    return (
      (young +
        (SAYS_PRESENT.test(unit.text) ? PRESENT : 0) +
        (versions[unit.source] === "newest" ? NEWEST_VERSION : 0)) /
      (1 + PRESENT + NEWEST_VERSION)
    )
  }
}

const YEAR_MS = 365.25 * 24 * 3600 * 1000

/** The last year mentioned in a unit. */
function yearOf({ text }: Unit): number | null {
  const years = text.match(YEAR)?.map(Number) ?? []
  return years.length > 0 ? Math.max(...years) : null
}

/** For each hit, whether it is the newest or an older version of a page with several versions, judging by the numbers in titles and addresses. */
function versionsOf(hits: readonly Source[]): ("newest" | "older" | null)[] {
  const read = hits.map(({ title, url }) => {
    const path = (url === undefined ? null : URL.parse(url)?.pathname) ?? ""
    const of = (text: string) => /\bv?(\d+(?:\.\d+)+)\b/.exec(text)?.[1] ?? null
    const version = of(path) ?? /\/v(\d+)\//.exec(path)?.[1] ?? of(title)
    const bare = (text: string) => text.replaceAll(/v?\d+(?:\.\d+)*/g, "#")
    return { version, name: version === null ? null : `${bare(path)} ${bare(title)}` }
  })
  return read.map(({ version, name }, at) => {
    if (version === null) return null
    const others = read.filter((other, i) => i !== at && other.name === name && other.version !== version)
    if (others.length === 0) return null
    return others.every((other) => compare(version, other.version!) > 0) ? "newest" : "older"
  })
}

const numbers = new Intl.Collator("en", { numeric: true })

const compare = (a: string, b: string): number => numbers.compare(a, b)
