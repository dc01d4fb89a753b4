import type { StateStore } from "#base/store/state-store.ts"
import type { Job } from "../job.ts"
import { Jobs } from "../jobs/jobs.ts"
import type { Source } from "../source.ts"

/** The time for a page that is requested without a pause: an ordinary server's response, and reading it. */
const PAGE_MS = 250

/**
 * The time that this machine is assumed to need per page until a run has measured it, for fetching, reading and
 * indexing pages in parallel. In the benchmark, two cores read 59 small pages a second when doing nothing else, and 7
 * pages of a real site while also computing vectors.
 */
const MACHINE_MS = 100
/** The maximum number of finished runs examined, and the minimum number of pages that one must have read: shorter runs are mostly start-up. */
const RUNS = 20
const LEAST_PAGES = 20

/** Milliseconds that this machine needs for a page, measured in the fastest recent run, since other runs waited for their sites. */
export async function machineMs(db: StateStore): Promise<number> {
  return measuredMs(await new Jobs(db).list({ limit: RUNS, state: "finished" })) ?? MACHINE_MS
}

/** The result for {@link machineMs}; null if no run was long enough to measure. */
export function measuredMs(runs: readonly Pick<Job, "startedAt" | "endedAt" | "outcomes">[]): number | null {
  const each = runs.flatMap(({ startedAt, endedAt, outcomes: { indexed = 0 } }) =>
    startedAt === null || endedAt === null || indexed < LEAST_PAGES
      ? []
      : [(endedAt.getTime() - startedAt.getTime()) / indexed],
  )
  return each.length === 0 ? null : Math.min(...each)
}

/** How fast a host is visited. */
export interface Pace {
  /** Milliseconds between requests to the host. */
  readonly delayMs: number
  /** The number of pages fetched from the host at the same time. */
  readonly concurrency: number
}

/** A host of a source. */
export interface HostPace extends Pace {
  readonly host: string
  /** The number of known pages on the host; null if none are known yet. */
  readonly pages: number | null
}

/**
 * Milliseconds that the pages of one host take: for each page, the pause, or the page itself if that takes longer.
 *
 * @param pageMs milliseconds for one page
 */
export const hostMs = (pages: number, { delayMs, concurrency }: Pace, pageMs: number = PAGE_MS): number =>
  pages * Math.max(delayMs, pageMs / Math.max(1, concurrency))

/** The estimated size of one run over a whole source. */
export interface FullCrawl {
  readonly pages: number
  /** Whether the pages are known from earlier runs; otherwise their number is the maximum allowed by the source's limits. */
  readonly areKnown: boolean
  readonly seconds: number
  /** The longest pause between requests to one of the source's hosts. */
  readonly delayMs: number
}

/**
 * Estimates how long a run over a whole source takes. Hosts are visited in parallel, so the slowest one determines the
 * time; the total number of fetches and this machine's speed set a lower bound. A site that is slow or asks for longer
 * pauses takes longer than estimated.
 *
 * @param fetches the number of pages fetched at the same time, across all hosts
 * @param ownMs {@link machineMs}
 */
export function fullCrawl(
  { limits }: Pick<Source, "limits">,
  hosts: readonly HostPace[],
  fetches: number,
  ownMs: number = MACHINE_MS,
): FullCrawl {
  const known = hosts.reduce((sum, { pages }) => sum + (pages ?? 0), 0)
  const areKnown = known > 0
  const pages = areKnown ? Math.min(known, limits.pages) : limits.pages
  const share = areKnown ? pages / known : 1
  const ofHosts = hosts.map((host) =>
    hostMs(areKnown ? (host.pages ?? 0) * share : pages / hosts.length, host),
  )
  const ms = Math.max(...ofHosts, (pages * PAGE_MS) / fetches, pages * ownMs)
  const most = limits.minutes === null ? Infinity : limits.minutes * 60
  return {
    pages,
    areKnown,
    seconds: Math.min(most, Math.ceil(ms / 1000)),
    delayMs: Math.max(...hosts.map(({ delayMs }) => delayMs)),
  }
}
