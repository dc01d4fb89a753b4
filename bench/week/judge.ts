import type { Run, WeekAppliance } from "./appliance.ts"
import type { Message } from "./receiver.ts"

/** What is true of a source on a day, written before the day is played. */
export interface Truth {
  readonly source: string
  /** What happened, in the words of the table. */
  readonly what: string
  /** Results of the run that tell it rightly. */
  readonly results: readonly string[]
  /** What the one line why has to say; null where there is nothing to say. */
  readonly reason: RegExp | null
  /** Least changes of pages that the run has to tell. */
  readonly changes?: { readonly new?: number; readonly changed?: number; readonly gone?: number }
}

/** One line of the table: an event beside what the operator was told of it. */
export interface Verdict {
  readonly day: number
  readonly source: string
  readonly what: string
  readonly told: string
  /** By which ways, and seconds after the run began. */
  readonly when: string
  readonly right: boolean
}

export const WELL = ["finished"]
export const TROUBLE = ["failed", "finished-with-problems"]

/**
 * Holds what is true against what was told: the run, the webhook that reported it, the list of sources.
 * @param list what `fossick sources list` wrote; null: it is not looked at.
 */
export function judgeRun(
  day: number,
  truth: Truth,
  run: Run | undefined,
  messages: readonly Message[],
  list: string | null,
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
    list === null || saysInList(list, truth.source, run) ? null : "sources list",
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
  return line?.replaceAll(" ", "-").includes(run.result ?? run.state) ?? false
}

/** Where in the results of a question a page is: 1 for the first, 0 when it is not among them. */
export async function rankOf(appliance: WeekAppliance, question: string, url: string): Promise<number> {
  const { results } = await appliance.call<{ results: { url: string }[] }>("/search", {
    query: question,
    max_results: 10,
  })
  return results.findIndex((result) => sameAddress(result.url, url)) + 1
}

/** Whether two addresses name one page: the front page has two names, and some servers add a slash. */
export function sameAddress(a: string, b: string): boolean {
  const plain = (url: string) =>
    decodeURIComponent(url)
      .replace(/\/#\/$/, "")
      .replace(/\/(index\.html?)?$/, "")
  return plain(a) === plain(b)
}

/** The verdicts as a table in Markdown, and how many events of all were told rightly. */
export function report(verdicts: readonly Verdict[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")
  const rows = verdicts.map(
    ({ day, source, what, told, when, right }) =>
      `| ${day} | ${source} | ${cell(what)} | ${cell(told)} | ${cell(when)} | ${right ? "yes" : "**no**"} |`,
  )
  const head =
    "| day | source | what happened | what the operator was told | when | right? |\n|---|---|---|---|---|---|"
  return `${head}\n${rows.join("\n")}\n`
}
