import type { AdminParts } from "../admin-parts.ts"
import { indexOnWire } from "../routes/index-state.ts"
import { heldOnWire, jobOnWire } from "../wire.ts"
import type { EventTopic } from "./event-feed.ts"

/** The topics that events report on. */
export const EVENT_NAMES = ["runs", "vectors", "removals"] as const

/** Maximum number of active runs that an event shows; all are counted. */
const MOST_RUNS = 20

/** Active runs and how the last one ended, the number of vectors still to be made, and removals that await confirmation. */
export function eventTopics({
  jobs,
  removals,
  engine,
}: Pick<AdminParts, "jobs" | "removals" | "engine">): readonly EventTopic[] {
  const runs = async () => {
    const open = (
      await Promise.all(
        (["running", "queued", "paused"] as const).map((state) =>
          jobs.list({ state, limit: MOST_RUNS, offset: 0 }),
        ),
      )
    ).flat()
    const [last] = await jobs.list({ limit: 1, offset: 0 })
    return {
      jobs: await Promise.all(
        open.slice(0, MOST_RUNS).map(async (job) => jobOnWire(job, await removals.ofRun(job.id))),
      ),
      running: await jobs.count({ state: "running" }),
      queued: await jobs.count({ state: "queued" }),
      last: last === undefined ? null : { id: last.id, source: last.source.name, state: last.state },
    }
  }
  const looks: Readonly<Record<(typeof EVENT_NAMES)[number], () => unknown>> = {
    runs,
    vectors: () => indexOnWire(engine),
    removals: async () => ({ held: (await removals.held()).map(heldOnWire) }),
  }
  return EVENT_NAMES.map((name) => ({ name, look: looks[name] }))
}
