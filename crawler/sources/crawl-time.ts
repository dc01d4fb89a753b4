import type { StateStore } from "#base/store/state-store.ts"
import type { Job } from "../job.ts"
import { Jobs } from "../jobs/jobs.ts"
import type { Source } from "../source.ts"

/** How long a page takes that is asked for without a pause: an answer of a usual server and its reading. */
const PAGE_MS = 250

/**
 * The time this machine spends per page until a run has measured it: fetching, reading and indexing pages side by side. In the bench, two
 * cores read 59 small pages a second and did nothing else, and 7 pages of a real site while they made vectors.
 */
const MACHINE_MS = 100
/** Finished runs that are looked at, and the pages that one must have read: shorter ones are mostly their start. */
const RUNS = 20
const LEAST_PAGES = 20

/** Milliseconds of this machine for a page: those of the fastest run of late, since others waited for their sites. */
export async function machineMs(db: StateStore): Promise<number> {
  return measuredMs(await new Jobs(db).list({ limit: RUNS, state: "finished" })) ?? MACHINE_MS
}

/** As {@link machineMs}; null when no run tells. */
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
  /** Milliseconds between two requests to it. */
  readonly delayMs: number
  /** Pages fetched from it at the same time. */
  readonly concurrency: number
}

/** A host of a source. */
export interface HostPace extends Pace {
  readonly host: string
  /** Pages known there; null: none yet. */
  readonly pages: number | null
}

/**
 * Milliseconds that pages of one host take: a pause for each, or the page itself where that takes longer.
 *
 * @param pageMs that one page takes
 */
export const hostMs = (pages: number, { delayMs, concurrency }: Pace, pageMs: number = PAGE_MS): number =>
  pages * Math.max(delayMs, pageMs / Math.max(1, concurrency))

/** How much one run over a whole source is, before it starts. */
export interface FullCrawl {
  readonly pages: number
  /** Whether earlier runs know the pages; else their number is the most that the source's limits let in. */
  readonly areKnown: boolean
  readonly seconds: number
  /** The longest pause between two requests to one of its hosts. */
  readonly delayMs: number
}

/**
 * How long a run over a whole source takes: hosts are visited side by side, so the slowest counts; nothing is faster
 * than all fetches at a time and this machine allow. A site that is slow or asks for more patience takes longer.
 *
 * @param fetches pages fetched at the same time, all hosts together
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
