import type { Engine, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { Jobs } from "../jobs/jobs.ts"
import { type KnownAddress, KnownAddresses } from "../frontier/known-addresses.ts"
import type { Removals } from "../removals/removals.ts"
import type { SourceTable } from "../sources/source-table.ts"
import type { StateStore } from "#base/store/state-store.ts"
import { foundStep } from "./found.ts"
import { duplicateStep, indexStep, textStep } from "./in-index.ts"
import { type Candidate, candidateSources, sourceStep } from "./membership-reasons.ts"
import { rankStep } from "./rank.ts"
import { removalStep, visitsStep } from "./upkeep.ts"
import { outcomeStep, robotsStep } from "./visit.ts"

/** From an address to a hit, in this order. */
export type StepName =
  | "source"
  | "found"
  | "robots"
  | "outcome"
  | "text"
  | "duplicates"
  | "index"
  | "removal"
  | "visits"
  | "rank"

/**
 * - `yes`: the page got past this step.
 * - `no`: here it was left out.
 * - `note`: nothing that decides, or nothing that is known.
 */
export type Verdict = "yes" | "no" | "note"

export interface Step {
  readonly name: StepName
  readonly verdict: Verdict
  /** One line in plain words. */
  readonly text: string
  /** What the line was made of, for programs; names as on the wire, times as `Date`. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** Why a page is found, or is not. */
export interface Trace {
  readonly url: PageUrl
  /** Whether the index holds the page under this address. */
  readonly inIndex: boolean
  /** One sentence. */
  readonly summary: string
  readonly steps: readonly Step[]
}

export interface TraceParts {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly sources: SourceTable
  readonly removals: Removals
  readonly engine: Pick<Engine, "get" | "coverage" | "search">
  readonly clock?: Clock
}

/** What the steps look at. */
export interface Subject {
  readonly url: PageUrl
  readonly parts: TraceParts
  /** What runs know of it; null when none ever visited it. */
  readonly known: KnownAddress | null
  readonly lookUp: (url: PageUrl) => KnownAddress | null
  /** Sources that it might belong to. */
  readonly candidates: readonly Candidate[]
}

/**
 * Follows one address through everything that decides whether a search finds it. Only looks at what is kept: asks no
 * site, and changes nothing.
 *
 * @param query where the page stands among the results for it is said too
 */
export async function tracePage(url: PageUrl, parts: TraceParts, query?: string): Promise<Trace> {
  const addresses = new KnownAddresses(parts.db)
  const lookUp = (other: PageUrl) => addresses.get(other)
  const known = lookUp(url)
  const subject: Subject = { url, parts, known, lookUp, candidates: candidateSources(url, parts) }
  const page = await parts.engine.get(url)
  const steps = [
    sourceStep(subject),
    foundStep(subject),
    robotsStep(subject),
    outcomeStep(subject),
    page && textStep(page),
    await duplicateStep(subject),
    await indexStep(subject, page),
    removalStep(subject),
    visitsStep(subject),
    page && query !== undefined && query.trim() !== "" ? await rankStep(subject, query) : null,
  ].filter((step) => step !== null)
  return { url, inIndex: page !== null, summary: summaryOf(page !== null, steps), steps }
}

function summaryOf(inIndex: boolean, steps: readonly Step[]): string {
  const rank = steps.find(({ name }) => name === "rank")
  if (inIndex) return rank ? `It is in the index: ${rank.text}.` : "It is in the index."
  // The removal knows best why a page is gone; else the first step that stopped it.
  const removal = steps.find(({ name, verdict }) => name === "removal" && verdict === "no")
  const decisive = removal ?? steps.find(({ verdict }) => verdict === "no")
  return `It is not in the index${decisive ? `: ${decisive.text}` : ""}.`
}
