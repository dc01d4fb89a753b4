import type { Trace } from "../../reporting/why/trace.ts"
import type { Verdict } from "../../reporting/why/step.ts"

const MARKS: Readonly<Record<Verdict, string>> = { yes: "yes", no: "NO", note: "" }

/** A trace as text: the result, then one line for each step. */
export function whyText({ url, summary, steps }: Trace): string {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const lines = steps.map(
    ({ name, verdict, text }) => `  ${MARKS[verdict].padEnd(3)}  ${name.padEnd(width)}  ${text}`,
  )
  return `${url}\n${summary}\n\n${lines.join("\n")}\n`
}
