import { percentile, processTree } from "../../bench/measure.ts"
import { pause } from "#base/flow/pause.ts"

import { type Effort, type Outcome, type Proof, type Row, tries } from "../proof.ts"
import { LiveAppliance } from "../running/live-appliance.ts"
import { MadeUpSite } from "../running/made-up-site.ts"
import { commandOf, vitalsOf } from "../running/vitals.ts"
import { FLOODS, type Target, type Trial, trial } from "./floods.ts"

const CONNECTIONS = 300
const TURN_SECONDS = 10
const TURNS = 6
const PAGES = 200
/** During a flood, the slowest hundredth of another caller's calls may take at most this many times as long as without it. */
const MOST_FACTOR = 2
/** The memory that the answering process may use after the floods, as a multiple of its memory before them. */
const MEMORY_FACTOR = 1.1
/** How long to wait for garbage collection, which the process does once it has been idle for 20 s. */
const REST_SECONDS = 40
/** Below this scale times and memory are reported but not judged. */
const JUDGED_FROM = 0.2

export const proof: Proof = {
  title: "Floods",
  promise:
    `A flood of requests, with or without a key, doesn't keep other callers out. From four addresses, ${CONNECTIONS} connections stay silent, ` +
    "send 40 requests ahead, drip bodies, read no answers, ask for WebSockets or event streams, and reconnect when they are closed. Meanwhile " +
    "another caller asks `/search` with its own key, and `/healthz` over a new connection each time, alternately with and without the flood. None " +
    "of its answers may be an error, its p99 must stay below twice its p99 without the flood, and the memory of the API process must stay within " +
    "a tenth of what it was. The flooding process has the lowest priority, because the test is about how the appliance shares its resources.",
  run,
}

async function run(effort: Effort): Promise<Outcome> {
  await using site = await MadeUpSite.start("flood", tries(effort, PAGES, 20), effort.seed)
  await using appliance = await LiveAppliance.start()
  await appliance.declare("flood", site)
  await appliance.crawl("flood")
  const keyOf = async (name: string) =>
    (await appliance.ask<{ readonly key: string }>("/admin/keys", { name, role: "search" })).key
  const target: Target = {
    url: appliance.url,
    key: await keyOf("caller"),
    floodKey: await keyOf("flood"),
  }
  const force = {
    connections: tries(effort, CONNECTIONS, 20),
    turnMs: Math.max(500, TURN_SECONDS * 1000 * Math.min(1, effort.scale)),
    turns: tries(effort, TURNS, 1),
  }
  const [rows, faults]: [Row[], string[]] = [[], []]
  // One turn of each flood first, so that pools and caches reach their full size.
  for (const flood of FLOODS) await trial(target, flood, true, { ...force, turns: 1 })
  const before = await memoryAtRest(appliance, effort)
  for (const flood of FLOODS)
    for (const hasKey of [false, true]) {
      effort.tell(`${flood}, ${withOrWithout(hasKey)}`)
      const tried = await trial(target, flood, hasKey, force)
      rows.push([
        `${flood}, ${withOrWithout(hasKey)}`,
        ...(["search", "healthz"] as const).map((call) => compared(tried, call)),
        tried.flooded.wrong.length,
      ])
      faults.push(...faultsOf(tried, effort.scale >= JUDGED_FROM))
    }
  const after = await memoryAtRest(appliance, effort)
  rows.push([`memory of the API process: ${mb(before)} before, ${mb(after)} after`, "", "", ""])
  if (effort.scale >= JUDGED_FROM && after > before * MEMORY_FACTOR)
    faults.push(`the API process uses ${mb(after)} after the floods, and used ${mb(before)} before`)
  const columns = ["flood", "`/search`, p99 alone → flooded", "`/healthz`, p99 alone → flooded", "errors"]
  return { columns, rows, faults }
}

/** Null if nothing was answered. */
const p99 = (taken: readonly number[]): number | null => (taken.length === 0 ? null : percentile(taken, 0.99))

function compared({ alone, flooded }: Trial, call: "search" | "healthz"): string {
  const [before, during] = [p99(alone[call]), p99(flooded[call])]
  if (before === null || during === null) return "nothing answered"
  return `${before.toFixed(0)} → ${during.toFixed(0)} ms (× ${(during / before).toFixed(2)})`
}

/** The broken promises, in words. */
export function faultsOf({ flood, hasKey, alone, flooded }: Trial, isTimed: boolean): string[] {
  const what = `${flood}, ${withOrWithout(hasKey)}`
  const faults = [...alone.wrong, ...flooded.wrong].slice(0, 5).map((wrong) => `${what}: ${wrong}`)
  for (const call of ["search", "healthz"] as const) {
    const [before, during] = [p99(alone[call]), p99(flooded[call])]
    if (before === null || during === null) faults.push(`${what}: /${call} was never answered`)
    else if (isTimed && during > before * MOST_FACTOR)
      faults.push(`${what}: /${call} took ${(during / before).toFixed(2)} times as long (p99)`)
  }
  return faults
}

/** Bytes of memory that the answering process uses after it has been idle. */
async function memoryAtRest({ pid, dataDir }: LiveAppliance, { scale }: Effort): Promise<number> {
  await pause(REST_SECONDS * 1000 * Math.min(1, scale * 5))
  const api = processTree(pid).find((one) => /\/api\/main\.ts/.test(commandOf(one)))
  return vitalsOf(api ?? pid, dataDir).anonymous
}

const withOrWithout = (hasKey: boolean): string => (hasKey ? "with a key" : "without a key")
const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
