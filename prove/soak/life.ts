import { pause } from "#base/flow/pause.ts"

import type { LiveAppliance } from "../running/live-appliance.ts"
import type { MadeUpSite } from "../running/made-up-site.ts"
import { reportOf } from "../running/report.ts"

/** Shares of the site's pages that change between crawls. */
const SHARE_CHANGED = 0.1
const SHARE_REPLACED = 0.05
/** Time that a person needs to read the results. */
const READ_MS = 300

/** Counts of events, for the table. */
export class Counts {
  crawls = 0
  searches = 0
  research = 0
  /** What went wrong in calls and crawls, in words. */
  readonly wrong: string[] = []
}

/** The changes to a site with this many pages between crawls: some pages change, some are removed, and as many are added. */
export function goOn(site: MadeUpSite, pages: number): void {
  const replaced = Math.max(1, Math.round(pages * SHARE_REPLACED))
  site.change(Math.max(1, Math.round(pages * SHARE_CHANGED)))
  site.remove(replaced)
  site.add(replaced)
}

/** Crawls a site that changes, one crawl after the other, until `signal` aborts. */
export async function crawlOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  pages: number,
  seconds: number,
  signal: AbortSignal,
  counts: Counts,
): Promise<void> {
  while (!signal.aborted) {
    goOn(site, pages)
    const end = await appliance.crawl("life")
    if (end !== "finished") counts.wrong.push(`a crawl ended as ${end}`)
    counts.crawls += 1
    await pause(seconds * 1000, signal)
  }
}

export async function searchOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  signal: AbortSignal,
  counts: Counts,
  took: { push(ms: number): void },
): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const depth = at % 5 === 0 ? "advanced" : "basic"
    const { status, text, ms } = await appliance.call("/search", {
      query: site.question(),
      search_depth: depth,
      include_answer: at % 3 === 0,
    })
    if (status !== 200) counts.wrong.push(`a search got ${status}: ${text.slice(0, 200)}`)
    took.push(ms)
    counts.searches += 1
    await pause(READ_MS, signal)
  }
}

export async function researchOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  seconds: number,
  signal: AbortSignal,
  counts: Counts,
): Promise<void> {
  while (!signal.aborted) {
    const begun = await appliance.call("/research", { input: `What is ${site.question()}?`, model: "mini" })
    const problem =
      begun.status < 200 || begun.status > 299
        ? `research got ${begun.status}: ${begun.text.slice(0, 200)}`
        : await reportOf(appliance, begun)
    if (problem !== null) counts.wrong.push(problem)
    counts.research += 1
    await pause(seconds * 1000, signal)
  }
}
