import { pause } from "#base/flow/pause.ts"

import { isRefusal, type LiveAppliance, type Reply } from "./live-appliance.ts"

/**
 * Time within which a report is ready after its call. A report waits for those before it, at most 25 for one key, which
 * took 25 s each while 64 clients were active.
 */
const REPORT_SECONDS = 1200
const FIRST_LOOK_MS = 200
/** A caller that has waited for a long time checks less often: each millisecond of waiting adds this much, up to the maximum. */
const LOOK_PART = 0.25
const MOST_LOOK_MS = 2000

/**
 * Waits for the report of a `POST /research` task, as its caller does.
 * @param accepted the response to the call
 * @returns the fault, in words; null if the report arrived
 */
export async function reportOf(appliance: LiveAppliance, { text }: Reply): Promise<string | null> {
  const { request_id: id } = JSON.parse(text) as { readonly request_id: string }
  const began = performance.now()
  for (;;) {
    const waited = performance.now() - began
    if (waited > REPORT_SECONDS * 1000) return `the report ${id} was not ready after ${REPORT_SECONDS} s`
    await pause(Math.min(MOST_LOOK_MS, FIRST_LOOK_MS + waited * LOOK_PART))
    const reply = await appliance.call(`/research/${id}`)
    if (reply.status !== 202 && !isRefusal(reply)) return isReport(reply) ? null : wrong(id, reply)
  }
}

/** Whether the report contains any text. */
function isReport({ status, text }: Reply): boolean {
  if (status !== 200) return false
  const report = JSON.parse(text) as { readonly status: string; readonly content?: string }
  return report.status === "completed" && report.content !== undefined && report.content !== ""
}

const wrong = (id: string, { status, text }: Reply): string =>
  `the report ${id} got ${status}: ${text.slice(0, 200)}`
