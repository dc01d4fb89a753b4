import type { Run, WeekAppliance } from "./appliance.ts"
import type { Message } from "./receiver.ts"

/** The truth about a source on a day, written before the day is played. */
export interface Truth {
  readonly source: string
  /** The event, worded as in the table. */
  readonly what: string
  /** The run results that report the event correctly. */
  readonly results: readonly string[]
  /** A pattern for the line with the reason; `null` if no reason is expected. */
  readonly reason: RegExp | null
  /** The minimum number of page changes that the run has to report. */
  readonly changes?: { readonly new?: number; readonly changed?: number; readonly gone?: number }
}

/** One line of the table: an event, and what was reported to the operator about it. */
export interface Verdict {
  readonly day: number
  readonly source: string
  readonly what: string
  readonly told: string
  /** How long after the run began it was reported, and over which channels. */
  readonly when: string
  readonly right: boolean
}

export const WELL = ["finished"]
export const TROUBLE = ["failed", "finished-with-problems"]

/** Everything the operator received, over all channels. */
export interface Told {
  readonly messages: readonly Message[]
  /** The output of `fossick sources list`. */
  readonly list: string
  /** The response of `/metrics`. */
  readonly metrics: string
}

/** Compares the truth with the reports: the run, the webhook that reported it, the list of sources, the metrics. */
export function judgeRun(
  day: number,
  truth: Truth,
  run: Run | undefined,
  { messages, list, metrics }: Told,
): Verdict {
  const line = { day, source: truth.source, what: truth.what }
  if (!run) return { ...line, told: "no run", when: "", right: false }
  const message = messages.find(({ type, data }) => type === "crawl.finished" && data["job_id"] === run.id)
  const { new: fresh, changed, gone } = run.changes
  const counts = [
    [fresh, "new"],
    [changed, "changed"],
    [gone, "gone"],
  ].filter(([count]) => count !== 0)
  const told = [
    run.result ?? run.state,
    ...(counts.length > 0 ? [counts.map(([count, word]) => `${count} ${word}`).join(", ")] : []),
    ...(run.reason === null ? [] : [run.reason]),
  ].join(": ")
  const faults = [
    truth.results.includes(run.result ?? run.state) ? null : "result",
    truth.reason === null
      ? run.reason === null
        ? null
        : "reason given"
      : truth.reason.test(run.reason ?? "")
        ? null
        : "reason",
    (truth.changes?.new ?? 0) <= fresh &&
    (truth.changes?.changed ?? 0) <= changed &&
    (truth.changes?.gone ?? 0) <= gone
      ? null
      : "changes",
    !message ? "no webhook" : message.genuine ? null : "webhook not signed",
    message && message.data["result"] !== run.result ? "webhook says otherwise" : null,
    saysInList(list, truth.source, run) ? null : "sources list",
    metrics.includes(`fossick_source_result{source="${truth.source}",result="${run.result}"} 1`)
      ? null
      : "metrics",
  ].filter((fault) => fault !== null)
  const began = Date.parse(run.started_at ?? "")
  const took = (Date.parse(run.ended_at ?? "") - began) / 1000
  return {
    ...line,
    told,
    when: `${took.toFixed(0)} s after it began${message ? ", webhook" : ""}${faults.length > 0 ? ` (wrong: ${faults.join(", ")})` : ""}`,
    right: faults.length === 0,
  }
}

/** Whether the list of sources shows the run's result in the source's line. */
function saysInList(list: string, source: string, run: Run): boolean {
  const lines = list.split("\n").filter((one) => one.trim() !== "")
  const line = lines.find((one) => new RegExp(`(^|\\W)${source}(\\W|$)`).test(one))
  const word = run.result === "finished-with-problems" ? "problems" : (run.result ?? run.state)
  return line?.split(/\s+/).includes(word) ?? false
}

/** Number of failed runs in a row before an alert is sent: `FOSSICK_ALERT_AFTER`. */
const ALERT_AFTER = 2

/**
 * Compares a night's alerts with those that were due. One alert is expected when a source has failed twice in a row,
 * and one when it has recovered.
 * @param bad how often in a row each source had failed before, according to the truth; updated here
 */
export function judgeAlerts(
  day: number,
  truths: readonly Truth[],
  bad: Map<string, number>,
  messages: readonly Message[],
): Verdict[] {
  const sick = new Set(truths.filter(({ results }) => results !== WELL).map(({ source }) => source))
  const due: string[] = []
  for (const source of sick) {
    bad.set(source, (bad.get(source) ?? 0) + 1)
    if (bad.get(source) === ALERT_AFTER) due.push(`${source} began`)
  }
  for (const [source, times] of bad) {
    if (sick.has(source)) continue
    if (times >= ALERT_AFTER) due.push(`${source} ended`)
    bad.delete(source)
  }
  const came = messages
    .filter(({ type, genuine }) => type.startsWith("alert.") && genuine)
    .map(({ type, data }) => `${String(data["name"])} ${type.slice("alert.".length)}`)
  const sorted = (list: readonly string[]) => [...list].sort().join(", ") || "none"
  return [
    {
      day,
      source: "all",
      what: `alerts that are due: ${sorted(due)}`,
      told: sorted(came),
      when: "webhook, right after the run",
      right: sorted(came) === sorted(due),
    },
  ]
}

/** The rank of a page among the results for a question: 1 for the first, 0 when it is not among them. */
export async function rankOf(appliance: WeekAppliance, question: string, url: string): Promise<number> {
  const { results } = await appliance.call<{ results: { url: string }[] }>("/search", {
    query: question,
    max_results: 10,
  })
  return results.findIndex((result) => sameAddress(result.url, url)) + 1
}

/** Whether two addresses name the same page: the front page has two addresses, and some servers add a slash. */
export function sameAddress(a: string, b: string): boolean {
  const plain = (url: string) =>
    decodeURIComponent(url)
      .replace(/\/#\/$/, "")
      .replace(/\/(index\.html?)?$/, "")
  return plain(a) === plain(b)
}

/** The verdicts as a Markdown table, and how many of all events were reported correctly. */
export function report(verdicts: readonly Verdict[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")
  const rows = verdicts.map(
    ({ day, source, what, told, when, right }) =>
      `| ${day} | ${source} | ${cell(what)} | ${cell(told)} | ${cell(when)} | ${right ? "yes" : "**no**"} |`,
  )
  const head =
    "| day | source | what happened | what was reported to the operator | when | right? |\n|---|---|---|---|---|---|"
  return `${head}\n${rows.join("\n")}\n`
}
