import { join } from "node:path"

import { pause } from "#base/flow/pause.ts"

import { percentile } from "../../bench/measure.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { LiveAppliance } from "../running/live-appliance.ts"
import { MadeUpSite } from "../running/made-up-site.ts"
import { bytesBelow, type Vitals, vitalsOf } from "../running/vitals.ts"
import { chart } from "./chart.ts"
import { largestTables } from "./largest-tables.ts"
import { type Point, trendOf } from "./trend.ts"

const MB = 1_000_000
const SECONDS = 7200
const FIRST_SHARE = 600 / SECONDS
/** Samples of the whole time. */
const SAMPLES = 480
const PAGES = 600
/** Of the pages of the site, between two crawls. */
const SHARE_CHANGED = 0.1
const SHARE_REPLACED = 0.05
const CRAWL_SECONDS = 60
const RESEARCH_SECONDS = 120
const SEARCHERS = 2
/** Searches that are one figure. */
const LATELY = 100
/** A person reads what was found. */
const READ_MS = 300
/** What may have grown after the first ten minutes: of memory as of a load, of counts what a crawl under way takes. */
const MEMORY_FACTOR = 1.1
const LATENCY_FACTOR = 1.5
/** Versions of the index stay for a minute, and go with the next tidying up: with every crawl it goes up and down. */
const INDEX_FACTOR = 1.5
const MORE_HANDLES = 30
const MORE_THREADS = 20
const MORE_PROCESSES = 6
const TABLES_TOLD = 6
/** Below this scale nothing has come to rest. */
const JUDGED_FROM = 0.5
/** The index without the pages of a source may be so much of what it was with them. */
const SPACE_BACK = 0.6

interface Sample extends Vitals {
  readonly at: number
  /** Milliseconds that 95 of 100 of the last searches did not exceed; NaN before the first. */
  readonly latency: number
  /** Bytes of the index. */
  readonly index: number
}

/** What happened, for the table. */
class Counts {
  crawls = 0
  searches = 0
  research = 0
  /** What was not answered as it should be. */
  readonly wrong: string[] = []
}

/** Crawls a site that changes, one crawl after the other, until `signal` aborts. */
async function crawlOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  pages: number,
  seconds: number,
  signal: AbortSignal,
  counts: Counts,
): Promise<void> {
  while (!signal.aborted) {
    const [changed, replaced] = [SHARE_CHANGED, SHARE_REPLACED].map((share) =>
      Math.max(1, Math.round(pages * share)),
    )
    site.change(changed!)
    site.remove(replaced!)
    site.add(replaced!)
    const end = await appliance.crawl("life")
    if (end !== "finished") counts.wrong.push(`a crawl ended as ${end}`)
    counts.crawls += 1
    await pause(seconds * 1000, signal)
  }
}

async function searchOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  signal: AbortSignal,
  counts: Counts,
  took: number[],
): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    const depth = at % 5 === 0 ? "advanced" : "basic"
    const { status, text, ms } = await appliance.call("/search", {
      query: site.question(),
      search_depth: depth,
      include_answer: at % 3 === 0,
    })
    if (status !== 200) counts.wrong.push(`a search was answered ${status}: ${text.slice(0, 200)}`)
    took.push(ms)
    counts.searches += 1
    await pause(READ_MS, signal)
  }
}

async function researchOn(
  appliance: LiveAppliance,
  site: MadeUpSite,
  seconds: number,
  signal: AbortSignal,
  counts: Counts,
): Promise<void> {
  while (!signal.aborted) {
    const begun = await appliance.call("/research", { input: `What is ${site.question()}?`, model: "mini" })
    if (begun.status > 299)
      counts.wrong.push(`research was answered ${begun.status}: ${begun.text.slice(0, 200)}`)
    else {
      const { request_id: id } = JSON.parse(begun.text) as { request_id: string }
      let state = ""
      while (!signal.aborted && state !== "completed" && state !== "failed") {
        await pause(500, signal)
        state = (JSON.parse((await appliance.call(`/research/${id}`)).text) as { status: string }).status
      }
      if (state === "failed") counts.wrong.push(`the report ${id} failed`)
    }
    counts.research += 1
    await pause(seconds * 1000, signal)
  }
}

async function run(effort: Effort): Promise<Outcome> {
  await using opened = new AsyncDisposableStack()
  const seconds = Math.max(5, SECONDS * effort.scale)
  const pages = tries(effort, PAGES, 60)
  const site = opened.use(await MadeUpSite.start("Life", pages, effort.seed, true))
  const passing = opened.use(await MadeUpSite.start("Passing", pages, effort.seed + 1))
  const appliance = opened.use(await LiveAppliance.start())
  const index = join(appliance.dataDir, "index")
  // Pages by script are in both, and read in a browser where there is one.
  await appliance.declare("life", site)
  await appliance.crawl("life")
  const withoutOther = bytesBelow(index)
  await appliance.ask("/watches", { source: "life" })
  await appliance.ask("/watches", { question: site.question() })

  const counts = new Counts()
  const samples: Sample[] = []
  let took: number[] = []
  const signal = AbortSignal.timeout(seconds * 1000)
  const began = performance.now()
  // A short life has its crawls closer together.
  const pace = Math.max(0.02, Math.min(1, effort.scale * 4))
  const watching = async () => {
    while (!signal.aborted) {
      await pause((seconds * 1000) / SAMPLES, signal)
      // Few searches are a figure together with those before them.
      took = took.slice(-LATELY)
      const latency = percentile(took, 0.95)
      samples.push({
        at: (performance.now() - began) / 1000,
        latency,
        index: bytesBelow(index),
        ...vitalsOf(appliance.pid, appliance.dataDir),
      })
    }
  }
  effort.tell(`${Math.round(seconds)} s of crawls, searches, research and watches over ${pages} pages`)
  const noted = { push: (ms: number) => took.push(ms) } as number[]
  await Promise.all([
    crawlOn(appliance, site, pages, CRAWL_SECONDS * pace, signal, counts),
    researchOn(appliance, site, RESEARCH_SECONDS * pace, signal, counts),
    ...Array.from({ length: SEARCHERS }, () => searchOn(appliance, site, signal, counts, noted)),
    watching(),
  ])
  const faults = counts.wrong.slice(0, 20)

  const measures = [
    {
      name: "memory",
      of: (one: Sample) => one.memory,
      show: mb,
      most: (first: number) => first * MEMORY_FACTOR,
    },
    {
      name: "open files",
      of: (one: Sample) => one.handles,
      show: whole,
      most: (first: number) => first + MORE_HANDLES,
    },
    {
      name: "threads",
      of: (one: Sample) => one.threads,
      show: whole,
      most: (first: number) => first + MORE_THREADS,
    },
    {
      name: "processes",
      of: (one: Sample) => one.processes,
      show: whole,
      most: (first: number) => first + MORE_PROCESSES,
    },
    {
      name: "search, p95",
      of: (one: Sample) => one.latency,
      show: (value: number) => `${Math.round(value)} ms`,
      most: (first: number) => first * LATENCY_FACTOR,
    },
    {
      name: "disk: the index",
      of: (one: Sample) => one.index,
      show: mb,
      most: (first: number) => first * INDEX_FACTOR,
    },
    {
      // What is kept for a time, as the table below it says.
      name: "disk: all else",
      of: (one: Sample) => one.disk - one.index,
      show: mb,
      most: () => Infinity,
    },
  ]
  const curves = measures.map(({ name, of, show }) => ({
    name,
    show,
    points: samples
      .map((one): Point => ({ at: one.at, value: of(one) }))
      .filter(({ value }) => !Number.isNaN(value)),
  }))
  const rows = measures.map(({ name, show, most }, at) => {
    const { first, end, slope } = trendOf(curves[at]!.points, FIRST_SHARE)
    if (effort.scale >= JUDGED_FROM && end > most(first)) {
      faults.push(`${name} was ${show(first)} after the first ten minutes and ${show(end)} at the end`)
    }
    return [name, show(first), show(end), `${slope < 0 ? "−" : "+"}${show(Math.abs(slope))}`]
  })

  const largest = largestTables(join(appliance.dataDir, "state.db"), TABLES_TOLD)
  rows.push([
    "of all else, the largest tables",
    "",
    largest.map(({ name, bytes }) => `${name} ${mb(bytes)}`).join(", "),
    "",
  ])

  effort.tell("pages of a source that is deleted")
  await appliance.declare("passing", passing)
  await appliance.crawl("passing")
  const most = bytesBelow(index)
  await appliance.ask("/admin/sources/passing?remove_pages=true", undefined, "DELETE")
  const gone = async () => (await appliance.metrics()).get("fossick_index_pages")! <= site.urls.length + 1
  await appliance.until(gone)
  // Nobody asks it for anything from here on: the space comes back by itself.
  const back = await spaceBack(index, {
    most,
    least: withoutOther,
    waitMs: effort.scale >= SPACE_FROM ? SPACE_MS : 0,
  })
  rows.push(["index with, and without the pages of a deleted source", mb(most), mb(back), ""])
  if (effort.scale >= SPACE_FROM && back - withoutOther > (most - withoutOther) * SPACE_BACK) {
    faults.push(
      `the index took ${mb(most)}, and ${mb(back)} after the pages of a source were deleted; before it ${mb(withoutOther)}`,
    )
  }
  rows.push(["crawls, searches, reports", `${counts.crawls}, ${counts.searches}, ${counts.research}`, "", ""])
  return {
    columns: ["what", "after the first ten minutes", "at the end", "slope, by the hour"],
    rows,
    faults,
    picture: { file: "soak.svg", about: "What the appliance used over two hours", svg: chart(curves) },
  }
}

/** Waits until the index has shrunk, for so long. @returns its bytes then */
async function spaceBack(
  index: string,
  { most, least, waitMs }: { readonly most: number; readonly least: number; readonly waitMs: number },
): Promise<number> {
  const late = performance.now() + waitMs
  let bytes = bytesBelow(index)
  while (performance.now() < late && bytes - least > (most - least) * (SPACE_BACK / 2)) {
    await pause(1000)
    bytes = bytesBelow(index)
  }
  return bytes
}

/** Below this scale space is not waited for, and not judged. */
const SPACE_FROM = 0.01
/** Versions of the index that somebody may be reading are kept for a minute, and looked for four times a minute; twice, since tidying up makes one, too. */
const SPACE_MS = 240_000

const mb = (value: number): string => `${(value / MB).toFixed(value < 10 * MB ? 1 : 0)} MB`
const whole = (value: number): string => value.toFixed(0)

export const proof: Proof = {
  title: "Soak",
  promise:
    "Two hours of made-up life: a site whose pages change, come and go is crawled each minute, some of its pages in a browser; people search, ask for reports and watch. Memory, open files, threads, processes and the time that a search takes end where they were after the first ten minutes, and the space of pages that are gone comes back by itself.",
  run,
}
