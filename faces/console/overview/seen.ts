import type { AnswerOf } from "../../../api/client/client.ts"
import { appliance } from "../../session/appliance.ts"
import { isOpen } from "../parts.tsx"

const LAST_RUNS = 8
/** Maximum number of sources in one call. Any others are only counted, and are listed on their own screen. */
const SOURCES_LOOKED_AT = 1000

/** The parts of the overview. */
export interface Seen {
  readonly index: AnswerOf<"GET /admin/index">["index"]
  readonly machine: AnswerOf<"GET /admin/index">["machine"]
  readonly sources: AnswerOf<"GET /admin/sources">
  readonly jobs: AnswerOf<"GET /admin/jobs">["jobs"]
  readonly held: AnswerOf<"GET /admin/removals">["held"]
  readonly alerts: AnswerOf<"GET /admin/alerts">["alerts"]
}

/** Loads all parts at once. */
export async function look(signal: AbortSignal): Promise<Seen> {
  const [{ index, machine }, sources, { jobs }, { held }, { alerts }] = await Promise.all([
    appliance.call("GET /admin/index", { signal }),
    appliance.call("GET /admin/sources", { query: { limit: SOURCES_LOOKED_AT }, signal }),
    appliance.call("GET /admin/jobs", { query: { limit: LAST_RUNS }, signal }),
    appliance.call("GET /admin/removals", { query: { limit: 1 }, signal }),
    appliance.call("GET /admin/alerts", { query: { mail_limit: 1 }, signal }),
  ])
  return { index, machine, sources, jobs, held, alerts }
}

/** Whether any work is under way. */
export const isLive = ({ jobs, index }: Seen): boolean =>
  jobs.some(({ state }) => isOpen(state)) || index.pages_without_vectors > 0
