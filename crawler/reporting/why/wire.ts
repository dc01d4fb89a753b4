import type { Trace } from "./trace.ts"

/** A trace in the form returned to programs, by both the command and the admin API. */
export function traceOnWire({ url, inIndex, summary, steps }: Trace) {
  return { url, in_index: inIndex, summary, steps }
}
