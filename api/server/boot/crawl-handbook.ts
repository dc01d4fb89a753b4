import type { Job, Jobs } from "#crawler"
import { HANDBOOK_SOURCE } from "#crawler/handbook-source.ts"
import { pagesIn } from "#crawler/outcome-name.ts"
import { defineSource } from "#crawler/source.ts"
import type { Engine } from "#engine"

const MAX_PAGES = 200
const DEPTH = 5
const POLL_MS = 200

/**
 * Asks the crawler for the appliance's own handbook when the index is empty and nothing was ever crawled, so
 * that a first question finds an answer.
 *
 * @returns whether such a crawl is wanted; `onDone` is called when it is over, and told whether any page was found
 */
export async function crawlHandbook(
  jobs: Jobs,
  engine: Pick<Engine, "stats">,
  publicUrl: string,
  options: { readonly signal: AbortSignal; readonly onDone: (found: boolean) => void },
): Promise<boolean> {
  const [newest] = jobs.list({ limit: 1 })
  const resumable = newest?.source.name === HANDBOOK_SOURCE && newest.state !== "finished"
  if (newest !== undefined && !resumable) return false
  if (newest === undefined && (await engine.stats()).pages > 0) return false
  const { id } = jobs.enqueue(
    defineSource({
      name: HANDBOOK_SOURCE,
      seeds: [`${publicUrl}/docs/`],
      scope: "prefix",
      limits: { depth: DEPTH, pages: MAX_PAGES },
    }),
    { trigger: "start" },
  )
  const poll = setInterval(() => {
    let job: Job | null
    try {
      job = jobs.get(id)
    } catch {
      // The state cannot be reached; its readiness check says so.
      return
    }
    if (job?.state === "queued" || job?.state === "running") return
    clearInterval(poll)
    options.onDone(pagesIn(job?.outcomes ?? {}) > 0)
  }, POLL_MS)
  poll.unref()
  options.signal.addEventListener("abort", () => clearInterval(poll), { once: true })
  return true
}
