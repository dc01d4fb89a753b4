import type { Discovery } from "../discovery/discovery.ts"
import type { Duplicates } from "../duplicates/duplicates.ts"
import type { Frontier } from "../frontier/frontier.ts"
import type { FrontierEntry } from "../frontier/host-queues.ts"
import { describeTrap } from "../traps/traps.ts"
import type { RunTraps } from "../traps/run-traps.ts"
import type { Suspects } from "../frontier/suspects.ts"
import type { NoPage } from "./verdict.ts"

export interface SparedParts {
  readonly suspects: Pick<Suspects, "verdict">
  readonly discovery: Pick<Discovery, "isSeed">
  readonly duplicates: Pick<Duplicates, "instead" | "spelled">
  readonly traps: Pick<RunTraps, "holding">
  readonly frontier: Pick<Frontier, "add">
}

/** The outcome of an address that needs no visit, based on facts learned since it was found; otherwise `null`. */
export async function sparedVisit({ url, depth }: FrontierEntry, parts: SparedParts): Promise<NoPage | null> {
  const { suspects, discovery, duplicates, traps, frontier } = parts
  const crashed = await suspects.verdict(url)
  if (crashed !== null) return { kind: "failed", because: "crashed", detail: crashed }
  if (discovery.isSeed(url)) return null
  const spelling = await duplicates.instead(url)
  if (spelling) {
    await frontier.add([spelling.url], { how: "link", on: url, depth })
    await duplicates.spelled(url, spelling)
    const detail = `same page as ${spelling.url}: ${spelling.because}`
    return { kind: "skipped", because: "duplicate", detail, leadsTo: spelling.url }
  }
  const trap = traps.holding(url)
  return trap && { kind: "skipped", because: "trap", detail: describeTrap(trap) }
}
