import type { Trace } from "./trace.ts"

/** A trace as programs get it, both from the command and from the admin API. */
export function traceOnWire({ url, inIndex, summary, steps }: Trace) {
  return { url, in_index: inIndex, summary, steps }
}
