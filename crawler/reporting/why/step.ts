import type { Engine, PageUrl } from "#engine"
import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { KnownAddress } from "../../crawl/frontier/known-addresses.ts"
import type { Jobs } from "../../jobs/jobs.ts"
import type { Removals } from "../../upkeep/removals/removals.ts"
import type { Source } from "../../source.ts"
import type { SourceTable } from "../../sources/source-table.ts"

/** The steps from an address to a hit, in this order. */
export type StepName =
  | "source"
  | "found"
  | "robots"
  | "outcome"
  | "text"
  | "duplicates"
  | "index"
  | "observers"
  | "removal"
  | "visits"
  | "rank"

/**
 * - `yes`: the page passed this step.
 * - `no`: the page was left out at this step.
 * - `note`: the step decides nothing, or nothing is known.
 */
export type Verdict = "yes" | "no" | "note"

export interface Step {
  readonly name: StepName
  readonly verdict: Verdict
  /** One line in plain words. */
  readonly text: string
  /** The data behind the line, for programs; names as in the API, times as `Date`. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface TraceParts {
  readonly db: StateStore
  readonly jobs: Jobs
  readonly sources: SourceTable
  readonly removals: Pick<Removals, "of">
  readonly engine: Pick<Engine, "get" | "coverage" | "search">
  readonly clock?: Clock
  /** Whether the trace is for an API caller, who must not learn which names resolve to private networks. */
  readonly conceals?: boolean
  /** The sources whose data may be shown; null or left out for all. */
  readonly only?: readonly string[] | null
  /** The maximum number of pages whose links are searched for the address. Default 20,000. */
  readonly mostLinking?: number
}

/** A source, and whether an address belongs to it. */
export interface Candidate {
  readonly source: Source
  /** False for the source of a crawl that was started only for its own address. */
  readonly declared: boolean
  readonly belongs: boolean
  /** Why the address does or does not belong to the source, in words that follow the source's name. */
  readonly because: string
  /** Whether the source covers the host of the address, or another host in its domain. */
  readonly isNear: boolean
}

/** The address that the steps are about. */
export interface Subject {
  readonly url: PageUrl
  readonly parts: TraceParts
  /** The record of the source that knows most about the address; null if no run ever visited it. */
  readonly known: KnownAddress | null
  /** The records of the other sources. */
  readonly others: readonly KnownAddress[]
  readonly lookUp: (url: PageUrl) => Promise<KnownAddress | null>
  /** Sources that the address might belong to. */
  readonly candidates: readonly Candidate[]
}
