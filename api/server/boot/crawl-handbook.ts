import { setTimeout as sleep } from "node:timers/promises"

import type { Job, Jobs } from "#crawler"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { pagesIn } from "#crawler/outcome-name.ts"
import { defineSource } from "#crawler/source.ts"
import type { Engine } from "#engine"

const MAX_PAGES = 200
const DEPTH = 5
const POLL_MS = 200

/**
 * Asks the crawler to crawl the appliance's own handbook if the index is empty and nothing was ever crawled, so that a
 * first question finds an answer.
 *
 * @returns whether such a crawl is needed; `onDone` is called when the crawl has ended, and is passed whether any page
 * was found
 */
export async function crawlHandbook(
  jobs: Jobs,
  engine: Pick<Engine, "stats">,
  publicUrl: string,
  options: { readonly signal: AbortSignal; readonly onDone: (found: boolean) => void },
): Promise<boolean> {
  const [newest] = await jobs.list({ limit: 1 })
  const resumable = newest?.source.name === HANDBOOK_SOURCE && newest.state !== "finished"
  if (newest !== undefined && !resumable) return false
  if (newest === undefined && (await engine.stats()).pages > 0) return false
  const { id } = await jobs.enqueue(
    defineSource({
      name: HANDBOOK_SOURCE,
      seeds: [`${publicUrl}/docs/`],
      scope: "prefix",
      limits: { depth: DEPTH, pages: MAX_PAGES },
    }),
    { trigger: "start" },
  )
  void tellWhenDone(jobs, id, options)
  return true
}

async function tellWhenDone(
  jobs: Pick<Jobs, "get">,
  id: number,
  { signal, onDone }: Parameters<typeof crawlHandbook>[3],
): Promise<void> {
  for (;;) {
    await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    let job: Job | null
    try {
      job = await jobs.get(id)
    } catch {
      // The state cannot be reached; its readiness check reports that.
      continue
    }
    if (job?.state === "queued" || job?.state === "running") continue
    if (!signal.aborted) onDone(pagesIn(job?.outcomes ?? {}) > 0)
    return
  }
}
