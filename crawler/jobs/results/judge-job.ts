import { toPageUrl } from "#engine"
import type { StateStore } from "#base/store/state-store.ts"
import { concealedCounts, concealedEnd } from "../../fetch/concealed.ts"
import { endingOf, givenUpHosts } from "../../crawl/frontier/job-addresses.ts"
import { type Missed, missedBy, pageCount } from "../../crawl/frontier/source-pages.ts"
import type { Job, Judged } from "../../job.ts"
import { changesOf } from "../page-changes.ts"
import { meaningOf } from "../progress.ts"
import { isMissing, type OutcomeName } from "../../outcome-name.ts"
import { judgeRun, type RunFacts, type SeedEnd } from "./judge-run.ts"

/** Facts that must be looked up before the run's removals are carried out, because those take pages out of the index. */
export type FactsBefore = Pick<
  RunFacts,
  "seeds" | "pagesBefore" | "lost" | "notFound" | "missing" | "deadLinks" | "givenUp"
>

/** Looks up a run's results for its seeds and for the pages that were there before. */
export async function factsOfRun(
  db: StateStore,
  job: Pick<Job, "id" | "source" | "author">,
): Promise<FactsBefore> {
  const missed = await missedBy(db, job.id)
  const missing = missed.filter(({ status }) => isMissing(status))
  const lost = missed.filter(({ isHeld, isNew }) => isHeld && isNew)
  const byOutcome: Partial<Record<OutcomeName, number>> = {}
  for (const { outcome, status, count } of lost) {
    if (!isMissing(status)) byOutcome[outcome] = (byOutcome[outcome] ?? 0) + count
  }
  return {
    seeds: (
      await Promise.all(
        job.source.seeds.map(async (seed): Promise<SeedEnd[]> => {
          const url = toPageUrl(seed)
          const end = url && (await endingOf(db, job.id, url))
          if (!url || !end) return []
          return [{ url, ...(job.author === "api" ? concealedEnd(end) : end) }]
        }),
      )
    ).flat(),
    pagesBefore: (await pageCount(db, job.source.name)) - (await changesOf(db, job.id)).new,
    lost: job.author === "api" ? concealedCounts(byOutcome) : byOutcome,
    givenUp: (await givenUpHosts(db, job.id)).map((one) => ({
      ...one,
      why: job.author === "api" ? "it could not be reached" : one.why,
    })),
    notFound: sum(lost.filter(({ status }) => isMissing(status))),
    missing: sum(missing),
    deadLinks: sum(missing.filter(({ isHeld, isOnlyListed }) => !isHeld && !isOnlyListed)),
  }
}

/** Judges a job that has ended. `job`: the job as it is recorded now. */
export function judgeJob(
  job: Pick<Job, "author" | "visits" | "outcomes">,
  facts: FactsBefore,
  { held }: Pick<RunFacts, "held">,
): Judged {
  const outcomes = job.author === "api" ? concealedCounts(job.outcomes) : job.outcomes
  return judgeRun({ ...facts, outcomes, visits: job.visits, held, meaningOf })
}

const sum = (missed: readonly Missed[]): number => missed.reduce((total, { count }) => total + count, 0)
