import type { IconName } from "../../design/icons.tsx"
import type { Place } from "../place.ts"
import { counted, size } from "../words.ts"
import type { Seen } from "./seen.ts"

/** Something that needs the operator's attention. */
export interface Need {
  readonly tone: "bad" | "warn"
  readonly icon: IconName
  readonly title: string
  readonly text: string
  /** The place in the console to handle it, or null. */
  readonly to: Place | null
  readonly todo: string
}

/** The share of free space below which a growing index soon runs out of space. */
const LOW_DISK_SHARE = 0.05

/** Everything that needs the operator's attention, most serious first. */
export function needsOf({ sources, held, alerts, machine }: Seen): readonly Need[] {
  const needs: Need[] = []
  for (const { name, origin, last_result: last } of sources.sources) {
    // The person who started a one-off crawl has already seen how it ended.
    if (origin === "one-off" || last === null || last.result === "finished") continue
    // The run's held removals are covered below.
    if (last.result !== "failed" && held.some((one) => one.job_id === last.job_id)) continue
    const isFailed = last.result === "failed"
    needs.push({
      tone: isFailed ? "bad" : "warn",
      icon: isFailed ? "close" : "alert",
      title: isFailed ? `The last run of ${name} failed` : `The last run of ${name} had problems`,
      text: last.reason ?? `${counted(last.failed, "visit")} failed.`,
      to: { view: "run", job: last.job_id, outcome: last.failed > 0 ? "failed" : null },
      todo: "Open the run",
    })
  }
  for (const { source, pages, of_pages: of } of held) {
    needs.push({
      tone: "warn",
      icon: "inbox",
      title: `${counted(pages, "page")} would be removed from ${source}`,
      text: `The source has ${counted(of, "page")}. A run cannot remove such a large share without your approval.`,
      to: { view: "removals", shown: "held", source },
      todo: "Decide",
    })
  }
  for (const { name, pages_for_nobody: pages } of sources.sources) {
    if (pages === 0) continue
    needs.push({
      tone: "warn",
      icon: "eye",
      title: `No one may read ${counted(pages, "page")} of ${name}`,
      text: "Only admins can read them: no readers are allowed, or all allowed readers are also denied.",
      to: { view: "readers", url: null, who: null },
      todo: "Show the pages",
    })
  }
  for (const { about, name, reason, result, bad_runs: runs } of alerts) {
    if (about !== "backup") continue
    needs.push({
      tone: "bad",
      icon: "alert",
      title: `The backup ${name} failed`,
      text: `${counted(runs, "run")} in a row: ${reason ?? result}.`,
      to: { view: "upkeep", shown: "backups" },
      todo: "Open the backups",
    })
  }
  const { disk_free_bytes: free, disk_bytes: all } = machine
  if (free !== null && all !== null && free < all * LOW_DISK_SHARE) {
    needs.push({
      tone: "warn",
      icon: "alert",
      title: "The disk is nearly full",
      text: `${size(free)} of ${size(all)} are free for the data folder. Crawls and vectors pause when too little space is left.`,
      to: null,
      todo: "",
    })
  }
  const worst = (need: Need) => (need.tone === "bad" ? 0 : 1)
  return needs.sort((a, b) => worst(a) - worst(b))
}
