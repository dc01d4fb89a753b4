import { statSync } from "node:fs"
import { join } from "node:path"

import { pause } from "#base/flow/pause.ts"
import { findBrowser } from "#crawler/fetch/render/find-browser.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"

import { startReceiver } from "../../api/services/watches/testing/receiver.ts"
import { percentile } from "../../bench/measure.ts"
import { type Effort, type Outcome, type Proof, type Row, settingsOf, tries } from "../proof.ts"
import { LiveAppliance } from "../running/live-appliance.ts"
import { MadeUpSite } from "../running/made-up-site.ts"
import { bytesBelow, type Vitals, vitalsOf } from "../running/vitals.ts"
import { chart } from "./chart.ts"
import { Counts, crawlOn, goOn, researchOn, searchOn } from "./life.ts"
import { EMPTY, type Part, partsOf, WRITTEN_AHEAD } from "./parts.ts"
import { type Point, type Trend, trendOf } from "./trend.ts"

const MB = 1_000_000
const SECONDS = 7200
const FIRST_SHARE = 600 / SECONDS
/** Share of the time after which all data with limited retention has reached its limit. */
const BOUND_SHARE = 0.5
/** Number of samples over the whole time, its minimum, and how many of them there are for each sample of all parts of the disk. */
const SAMPLES = 480
const LEAST_SAMPLES = 40
const SAMPLES_TO_PARTS = 10
/** Limits so small that they are reached within the first hour. */
const BOUNDS = { FOSSICK_LOG_MB: "1", FOSSICK_WATCH_ENTRIES: "50" }
const REMOVED_KEPT_DAYS = 10 / (24 * 60)
const PAGES = 600
/** How many times the site has changed before the first crawl: after that many changes, dead links disappear as fast as new ones appear. */
const OLD = 60
const CRAWL_SECONDS = 60
const RESEARCH_SECONDS = 120
const SEARCHERS = 2
/** Number of searches that make up one figure. */
const LATELY = 100
/** Allowed growth after the first ten minutes: for memory the same as under load, for counts as much as a running crawl uses. */
const MEMORY_FACTOR = 1.1
const LATENCY_FACTOR = 1.5
/** Allowed growth of the index. Its versions are kept for a minute, and removed by the next cleanup: their number goes up and down with every crawl. */
const INDEX_FACTOR = 1.5
const MORE_HANDLES = 30
const MORE_THREADS = 20
const MORE_PROCESSES = 6
/** Allowed growth of everything except the index: the sizes go up and down with the runs of an hour, after which `state.db` releases free space. */
const ELSE_FACTOR = 1.25
const MOST_EMPTY = 0.5
const MOST_AHEAD = 20 * MB
const PARTS_TOLD = 3
/** Maximum wait for the last message, which may still be in flight. */
const NOTICE_MS = 60_000
/** Below this scale nothing has settled. */
const JUDGED_FROM = 0.5
/** The largest allowed size of the index without a source's pages, as a share of its size with them. */
const SPACE_BACK = 0.6

const mb = (value: number): string => `${(value / MB).toFixed(value < 10 * MB ? 1 : 0)} MB`
const whole = (value: number): string => value.toFixed(0)

interface Sample extends Vitals {
  readonly at: number
  /** The 95th percentile of recent search times, in milliseconds; NaN before the first search. */
  readonly latency: number
  /** Size of the index, in bytes. */
  readonly index: number
}

async function run(effort: Effort): Promise<Outcome> {
  await using opened = new AsyncDisposableStack()
  const life = await begin(effort, opened)
  const lived = await live(life)
  const verdict: Verdict = {
    rows: [],
    faults: lived.counts.wrong.slice(0, 20),
    isJudged: effort.scale >= JUDGED_FROM,
  }
  const curves = curvesOf(lived.samples)
  judgeMeasures(curves, verdict)
  for (const { name, first, end, slope } of grown(lived.parts).slice(0, PARTS_TOLD))
    verdict.rows.push([`fastest-growing part: ${name}`, mb(first), mb(end), signed(slope, mb)])
  judgeState(life.appliance, verdict)
  await judgeRendering(life.site, verdict)
  await judgeNotices(life, verdict)
  await judgeSpaceBack(life, verdict)
  const { crawls, searches, research } = lived.counts
  verdict.rows.push(["crawls, searches, reports", `${crawls}, ${searches}, ${research}`, "", ""])
  return {
    columns: ["measure", "after the first ten minutes", "at the end", "change per hour"],
    rows: verdict.rows,
    faults: verdict.faults,
    picture: {
      file: "soak.svg",
      about: "Resources that the appliance used over two hours",
      svg: chart(curves),
    },
  }
}

/** The components of one life, and its length. */
interface Life {
  readonly effort: Effort
  readonly seconds: number
  readonly pages: number
  readonly site: MadeUpSite
  /** The site of a source that is deleted at the end. */
  readonly passing: MadeUpSite
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
  readonly appliance: LiveAppliance
  /** The folder of the index. */
  readonly index: string
  /** Size of the index with only the site's pages, in bytes. */
  readonly withoutOther: number
}

/** Starts an appliance whose site is crawled and watched. */
async function begin(effort: Effort, opened: AsyncDisposableStack): Promise<Life> {
  const pages = tries(effort, PAGES, 60)
  const site = opened.use(await MadeUpSite.start("Life", pages, effort.seed, true))
  for (let times = tries(effort, OLD); times > 0; times--) goOn(site, pages)
  const passing = opened.use(await MadeUpSite.start("Passing", tries(effort, PAGES, 10), effort.seed + 1))
  let secret = ""
  const receiver = opened.use(await startReceiver(() => secret))
  // A short life would be spent on vectors, and end before they are created.
  const vectors = effort.scale < SPACE_FROM ? opened.use(await startCheapVectors()).settings : {}
  const appliance = opened.use(
    await LiveAppliance.start({
      ...BOUNDS,
      ...settingsOf(effort),
      ...vectors,
      FOSSICK_WEBHOOK_NETWORKS: "127.0.0.0/8",
    }),
  )
  const index = join(appliance.dataDir, "index")
  // Some pages are built by scripts, and read in a browser if there is one.
  await appliance.declare("life", site, { removal: { keepDays: REMOVED_KEPT_DAYS } })
  await appliance.crawl("life")
  const withoutOther = bytesBelow(index)
  const watch = await appliance.ask<{ readonly webhook_secret: string }>("/watches", {
    source: "life",
    webhook: receiver.url,
  })
  secret = watch.webhook_secret
  // Like everything else, this watch only reports once the vectors are created; a short life has no time for that.
  if (effort.scale >= SPACE_FROM) await appliance.ask("/watches", { question: site.question() })
  const seconds = Math.max(5, SECONDS * effort.scale)
  return { effort, seconds, pages, site, passing, receiver, appliance, index, withoutOther }
}

/** Counts and samples of one life. */
interface Lived {
  readonly counts: Counts
  readonly samples: readonly Sample[]
  readonly parts: readonly PartsAt[]
}

interface PartsAt {
  readonly at: number
  readonly of: readonly Part[]
}

async function live(life: Life): Promise<Lived> {
  const { effort, seconds, pages, site, appliance } = life
  const counts = new Counts()
  const signal = AbortSignal.timeout(seconds * 1000)
  const searches = new LateSearches()
  const watching = sample(life, searches, signal)
  // A short life has shorter pauses between its crawls.
  const pace = Math.max(0.02, Math.min(1, effort.scale * 4))
  effort.tell(`${Math.round(seconds)} s of crawls, searches, research and watches over ${pages} pages`)
  const [seen] = await Promise.all([
    watching,
    crawlOn(appliance, site, pages, CRAWL_SECONDS * pace, signal, counts),
    researchOn(appliance, site, RESEARCH_SECONDS * pace, signal, counts),
    ...Array.from({ length: SEARCHERS }, () => searchOn(appliance, site, signal, counts, searches)),
  ])
  return { counts, ...seen }
}

/** Milliseconds that each of the last searches took. */
class LateSearches {
  #took: number[] = []

  push(ms: number): void {
    this.#took.push(ms)
  }

  /** The 95th percentile of the last searches' times; NaN before the first search. */
  latency(): number {
    this.#took = this.#took.slice(-LATELY)
    return percentile(this.#took, 0.95)
  }
}

async function sample(
  { effort, seconds, index, appliance }: Life,
  searches: LateSearches,
  signal: AbortSignal,
): Promise<Pick<Lived, "samples" | "parts">> {
  const samples: Sample[] = []
  const parts: PartsAt[] = []
  const began = performance.now()
  while (!signal.aborted) {
    await pause((seconds * 1000) / tries(effort, SAMPLES, LEAST_SAMPLES), signal)
    const at = (performance.now() - began) / 1000
    const vitals = vitalsOf(appliance.pid, appliance.dataDir)
    samples.push({ at, latency: searches.latency(), index: bytesBelow(index), ...vitals })
    if (samples.length % SAMPLES_TO_PARTS === 0) parts.push({ at, of: partsOf(appliance.dataDir) })
  }
  return { samples, parts }
}

/** A quantity measured all the time, and judged at the end. */
interface Measure {
  readonly name: string
  readonly of: (one: Sample) => number
  readonly show: (value: number) => string
  /** The share of the time after which the quantity is compared. Default: the first ten minutes. */
  readonly share?: number
  /** The limit for the value at the end. */
  readonly most: (first: number) => number
}

const MEASURES: readonly Measure[] = [
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
    name: "disk: everything else, after an hour",
    of: (one: Sample) => one.disk - one.index,
    show: mb,
    share: BOUND_SHARE,
    most: (first: number) => first * ELSE_FACTOR,
  },
]

interface Curve {
  readonly name: string
  readonly show: (value: number) => string
  readonly points: readonly Point[]
}

/** One curve for each measure. */
const curvesOf = (samples: readonly Sample[]): readonly Curve[] =>
  MEASURES.map(({ name, of, show }) => ({
    name,
    show,
    points: samples
      .map((one): Point => ({ at: one.at, value: of(one) }))
      .filter(({ value }) => !Number.isNaN(value)),
  }))

/** Rows and faults of the report, as they are added. */
interface Verdict {
  readonly rows: Row[]
  readonly faults: string[]
  /** Whether the life was long enough for things to settle. */
  readonly isJudged: boolean
}

function judgeMeasures(curves: readonly Curve[], { rows, faults, isJudged }: Verdict): void {
  for (const [at, { name, show, share = FIRST_SHARE, most }] of MEASURES.entries()) {
    const { first, end, slope } = trendOf(curves[at]!.points, share)
    if (isJudged && end > most(first))
      faults.push(`${name}: ${show(first)} at first, ${show(end)} at the end`)
    rows.push([name, show(first), show(end), signed(slope, show)])
  }
}

const signed = (slope: number, show: (value: number) => string): string =>
  `${slope < 0 ? "−" : "+"}${show(Math.abs(slope))}`

function judgeState({ dataDir }: LiveAppliance, { rows, faults, isJudged }: Verdict): void {
  const last = new Map(partsOf(dataDir).map(({ name, bytes }) => [name, bytes]))
  const [empty, ahead] = [last.get(EMPTY) ?? 0, last.get(WRITTEN_AHEAD) ?? 0]
  const all = statSync(join(dataDir, "state.db")).size
  rows.push(["state.db: free space, and write-ahead log", "", `${mb(empty)} of ${mb(all)}, ${mb(ahead)}`, ""])
  if (!isJudged) return
  if (empty > all * MOST_EMPTY) faults.push(`${mb(empty)} of the ${mb(all)} of state.db are free space`)
  if (ahead > MOST_AHEAD) faults.push(`the write-ahead log of state.db has ${mb(ahead)}`)
}

async function judgeRendering(site: MadeUpSite, { rows, faults, isJudged }: Verdict): Promise<void> {
  const browser = await findBrowser("")
  const rendered = "missing" in browser ? "none: no browser is installed" : String(site.rendered)
  rows.push(["pages rendered in a browser", "", rendered, ""])
  if ("missing" in browser) {
    if (isJudged) faults.push(`no page was rendered: ${browser.missing}`)
  } else if (site.rendered === 0) faults.push("no page was rendered, though there is a browser")
}

async function judgeNotices({ appliance, receiver }: Life, { rows, faults }: Verdict): Promise<void> {
  const late = performance.now() + NOTICE_MS
  await appliance.until(() => Promise.resolve(receiver.messages.length > 0 || performance.now() > late))
  const [messages, changes] = [receiver.messages.length, receiver.entries().length]
  rows.push(["watch messages received, and changes in them", "", `${messages}, ${changes}`, ""])
  if (changes === 0) faults.push("no message of a watch was received")
  if (!receiver.messages.every(({ isGenuine }) => isGenuine))
    faults.push("a message of a watch had a wrong signature")
}

/** Whether the index becomes smaller when a source is deleted with its pages. */
async function judgeSpaceBack(life: Life, { rows, faults }: Verdict): Promise<void> {
  const { effort, appliance, site, passing, index, withoutOther } = life
  effort.tell("pages of a source that is deleted")
  await appliance.declare("passing", passing)
  await appliance.crawl("passing")
  const most = bytesBelow(index)
  await appliance.ask("/admin/sources/passing?remove_pages=true", undefined, "DELETE")
  const gone = async () => (await appliance.metrics()).get("fossick_index_pages")! <= site.urls.length + 1
  await appliance.until(gone)
  // No requests are made from here on: the space must be freed without any.
  const isWaitedFor = effort.scale >= SPACE_FROM
  const back = await spaceBack(index, { most, least: withoutOther, waitMs: isWaitedFor ? SPACE_MS : 0 })
  rows.push(["index with and without the pages of a deleted source", mb(most), mb(back), ""])
  if (isWaitedFor && back - withoutOther > (most - withoutOther) * SPACE_BACK) {
    faults.push(
      `the index took ${mb(withoutOther)} without a source, ${mb(most)} with it, and ${mb(back)} after its pages were deleted`,
    )
  }
}

/** The parts of the disk, ordered by how fast they grow once they have reached their limits, fastest first. */
function grown(samples: readonly PartsAt[]): (Trend & { readonly name: string })[] {
  const names = new Set(samples.flatMap(({ of }) => of.map(({ name }) => name)))
  return [...names]
    .map((name) => {
      const points = samples.map(({ at, of }): Point => ({
        at,
        value: of.find((part) => part.name === name)?.bytes ?? 0,
      }))
      return { name, ...trendOf(points, BOUND_SHARE) }
    })
    .sort((a, b) => b.slope - a.slope)
}

/** Waits up to this long until the index has shrunk. @returns its size then, in bytes */
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

/** Below this scale, freed space is neither waited for nor judged. */
const SPACE_FROM = 0.01
/**
 * Maximum wait for space to be freed. Versions of the index that a reader may be using are kept for a minute, and
 * checked four times a minute; the time is doubled, because the cleanup itself creates a version.
 */
const SPACE_MS = 240_000

export const proof: Proof = {
  title: "Soak test",
  promise:
    "The appliance doesn't slow down or use more and more resources over time. For two hours, a made-up site whose pages appear, change and " +
    "disappear is crawled each minute, some of its pages in a browser, while clients search, request reports and run watches; retention periods " +
    "are shortened to minutes. Memory, open files, threads, processes and search times must stay close to what they were after the first ten " +
    "minutes, and disk use close to what it was after the first hour. The space used by deleted pages must be freed automatically.",
  run,
}
