import type { Job, Judged } from "../../job.ts"
import {
  entriesOf,
  isFailure,
  isSkip,
  type OutcomeCounts,
  type OutcomeName,
  pagesIn,
  shownOutcome,
} from "../../outcome-name.ts"

/** How the visit to a seed ended. */
export interface SeedEnd {
  readonly url: string
  readonly outcome: OutcomeName
  /** The detail in words, if there is one. */
  readonly detail: string | null
}

/** The facts that a run is judged by. */
export interface RunFacts {
  readonly visits: Job["visits"]
  readonly outcomes: OutcomeCounts
  /** The seeds that were visited. */
  readonly seeds: readonly SeedEnd[]
  /** Number of pages that the index contained for the source when the run began. */
  readonly pagesBefore: number
  /** Outcomes of visits to pages that this run newly lost. */
  readonly lost: OutcomeCounts
  /** Number of lost pages that returned 404 or 410; the outcomes in `lost` do not include them. */
  readonly notFound: number
  /** Number of all responses with status 404 or 410. */
  readonly missing: number
  /** Number of those responses at addresses for which the index has no page. */
  readonly deadLinks: number
  /** Number of pages whose removal is waiting for the operator's approval. */
  readonly held: number
  /** Hosts that the run gave up on, each with the number of remaining addresses and the reason. */
  readonly givenUp: readonly { readonly host: string; readonly left: number; readonly why: string }[]
  readonly meaningOf: (outcome: OutcomeName) => string
}

/**
 * Minimum number of failures of one kind that count as a problem. Fewer failures are the site's own business, such as a
 * dead link or a picture that is too large; without this minimum, a run over a few pages would end with problems each
 * time.
 */
export const FEW = 3
/** The share of a source's pages whose loss in one run counts as a problem. If the share is this large, removals also wait for the operator's approval (`removal.maxShare`). */
export const LOST_SHARE = 0.1
/** The share of addresses that, if unreadable, counts as a problem, because search then misses pages that people look for. */
export const FAILED_SHARE = 0.1
/** Number of dead links that counts as a problem. Any site has some, but if there are this many, and more dead links than pages, the site has moved or its sitemap is wrong. */
export const DEAD_LINKS = 10
/** Maximum number of problems named in one line; the log and the counts contain the rest. */
const TOLD = 3
const MAX_CHARS = 400

/**
 * Kinds of skips that are rare on a healthy site: if they outnumber the pages, something is keeping the crawler from
 * the text. Other kinds are common: addresses that robots.txt disallows, additional addresses of one page, files
 * without text.
 */
const UNUSUAL_SKIPS = [
  "skipped:empty",
  "skipped:noindex",
  "skipped:soft-404",
  "skipped:too-large",
] as const satisfies readonly OutcomeName[]

/** Outcomes that mean that an address is no longer a page. Failures are judged together with those at other addresses. */
const LOST_KINDS = [
  "skipped:soft-404",
  "skipped:noindex",
  "skipped:robots",
  "skipped:out-of-scope",
  "skipped:empty",
] as const satisfies readonly OutcomeName[]

/** Judges a run that has ended, by its outcomes and by what the previous run found. */
export function judgeRun(facts: RunFacts): Judged {
  const failed = hopeless(facts)
  if (failed !== null) return { result: "failed", reason: line([failed, ...givenUp(facts)]) }
  const problems = [
    ...givenUp(facts),
    ...badSeeds(facts),
    ...lostPages(facts),
    ...heldRemovals(facts),
    ...failures(facts),
    ...deadLinks(facts),
    ...skips(facts),
  ]
  return problems.length === 0
    ? { result: "finished", reason: null }
    : { result: "finished-with-problems", reason: line(problems) }
}

/** Why a run failed; null when it did not. */
function hopeless(facts: RunFacts): string | null {
  const { seeds, outcomes, pagesBefore, visits } = facts
  if (pagesIn(outcomes) > 0 || countOf(outcomes) === 0 || onlyLedOn(facts)) return null
  if (seeds.length > 0) return allSeeds(seeds, facts)
  // A run over due or failed pages may have visited only a few pages that are gone.
  if (pagesBefore > 0 && visits !== "all") return null
  const [outcome, count] = mostFrequent(outcomes)
  return `nothing was indexed: ${told(count, "visit")} ended as ${shownOutcome(outcome)} (${facts.meaningOf(outcome)})`
}

/** Outcomes of a seed that is read without being a page itself: a list of files, another address of a page. */
const LEADS_ON: readonly OutcomeName[] = ["skipped:duplicate", "skipped:empty"]

/** Whether only seeds that were never pages themselves were due, and no former page is lost. */
function onlyLedOn({ visits, seeds, pagesBefore, outcomes, lost, notFound }: RunFacts): boolean {
  return (
    visits !== "all" &&
    pagesBefore > 0 &&
    notFound === 0 &&
    countOf(lost) === 0 &&
    entriesOf(outcomes).every(([outcome]) => LEADS_ON.includes(outcome)) &&
    seeds.every(({ outcome }) => LEADS_ON.includes(outcome))
  )
}

function allSeeds(seeds: readonly SeedEnd[], { meaningOf }: RunFacts): string {
  const [first] = seeds
  if (first === undefined) return "nothing was indexed"
  if (seeds.length === 1) return `nothing was indexed: the only seed ${inWords(first, meaningOf)}`
  return `nothing was indexed: none of the ${seeds.length} seeds gave a page; ${inWords(first, meaningOf)}`
}

/** Seeds that could not be read although others could. */
function* badSeeds({ seeds, meaningOf }: RunFacts): Generator<string> {
  const bad = seeds.filter(
    ({ outcome }) => isFailure(outcome) || outcome === "postponed" || outcome === "skipped:robots",
  )
  const [first] = bad
  if (first === undefined) return
  yield seeds.length === 1
    ? `the only seed ${inWords(first, meaningOf)}`
    : `${bad.length} of ${seeds.length} seeds could not be read; ${inWords(first, meaningOf)}`
}

function* lostPages({ lost, notFound, pagesBefore, outcomes, meaningOf }: RunFacts): Generator<string> {
  const isMuch = (count: number) => count >= FEW && count / pagesBefore >= LOST_SHARE
  const share = (count: number) => `${Math.round((100 * count) / pagesBefore)}% of its pages`
  if (isMuch(notFound))
    yield `${share(notFound)} have gone since the last run: ${notFound} of ${pagesBefore} answered 404 or 410`
  for (const kind of LOST_KINDS) {
    const count = lost[kind] ?? 0
    if (isMuch(count))
      yield `${share(count)} have been lost since the last run: ${count} of ${pagesBefore} ended as ${shownOutcome(kind)} (${meaningOf(kind)})`
  }
  // If pages move together with their text, there are just as many new pages; if a site sends the same page for all
  // addresses, there are none.
  const alike = lost["skipped:duplicate"] ?? 0
  if (isMuch(alike) && pagesIn(outcomes) < alike)
    yield `${share(alike)} now have the same text as another page: ${alike} of ${pagesBefore} ended as ${shownOutcome("skipped:duplicate")}`
}

function* heldRemovals({ held }: RunFacts): Generator<string> {
  if (held > 0)
    yield `${told(held, "page")} seem to be gone and are waiting for your decision: run fossick removals`
}

function* failures({ outcomes, missing, meaningOf }: RunFacts): Generator<string> {
  const counts = Object.fromEntries(
    entriesOf(outcomes).filter(([name]) => isFailure(name) || name === "postponed"),
  ) as Partial<Record<OutcomeName, number>>
  // A missing page does not count as unreadable, and a cancelled visit was cancelled on purpose.
  counts["failed:http-status"] = Math.max(0, (counts["failed:http-status"] ?? 0) - missing)
  delete counts["failed:cancelled"]
  const failed = countOf(counts)
  const tried = failed + pagesIn(outcomes)
  if (failed < FEW || failed / tried < FAILED_SHARE) return
  const [kind, count] = mostFrequent(counts)
  yield `${failed} of ${told(tried, "page")} could not be read${count === failed ? ":" : `; ${count} of these ended as`} ${shownOutcome(kind)} (${meaningOf(kind)})`
}

function* deadLinks({ outcomes, deadLinks: dead }: RunFacts): Generator<string> {
  if (dead >= DEAD_LINKS && dead > pagesIn(outcomes))
    yield `${dead} of ${dead + pagesIn(outcomes)} links are broken (404 or 410)`
}

function* skips({ outcomes, meaningOf }: RunFacts): Generator<string> {
  const pages = pagesIn(outcomes)
  for (const kind of UNUSUAL_SKIPS) {
    const count = outcomes[kind] ?? 0
    if (count >= FEW && count > pages)
      yield `${count} addresses, more than the pages read, ended as ${shownOutcome(kind)} (${meaningOf(kind)})`
  }
}

function* givenUp({ givenUp: hosts }: RunFacts): Generator<string> {
  for (const { host, left, why } of hosts) {
    yield `${host} was given up with ${told(left, "address", "es")} left: ${why}`
  }
}

function inWords({ url, outcome, detail }: SeedEnd, meaningOf: RunFacts["meaningOf"]): string {
  const why = detail ?? meaningOf(outcome)
  if (outcome === "skipped:robots") return `is disallowed by robots.txt: ${url}`
  if (outcome === "skipped:noindex")
    return `asks not to be indexed (noindex), as login pages often do: ${url}`
  if (outcome === "postponed") return `asked to come back later: ${url}: ${why}`
  return `${isSkip(outcome) ? `was ${shownOutcome(outcome)}` : "failed"}: ${url}: ${why}`
}

/** The most serious problems first, in one line. */
function line(problems: readonly string[]): string {
  const more = problems.length - TOLD
  const text = [...problems.slice(0, TOLD), ...(more > 0 ? [`and ${more} more`] : [])]
    .join("; ")
    .replaceAll(/\s+/g, " ")
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…` : text
}

const told = (count: number, noun: string, plural = "s"): string =>
  `${count} ${noun}${count === 1 ? "" : plural}`

const countOf = (counts: OutcomeCounts): number => entriesOf(counts).reduce((sum, [, n]) => sum + n, 0)

function mostFrequent(counts: OutcomeCounts): [OutcomeName, number] {
  return entriesOf(counts).reduce((most, one) => (one[1] > most[1] ? one : most))
}
