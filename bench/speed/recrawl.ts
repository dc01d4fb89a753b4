import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { crawlerSettings } from "#crawler/settings.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { defineSource } from "#crawler/source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { readSettings } from "#base/settings.ts"
import { CountingEmbedder } from "./counting-embedder.ts"
import { type GeneratedSite, serveGenerated } from "../corpora/generated-site.ts"
import { MB, machine, memoryOf, short, table } from "../measure.ts"
import { ownCrawl } from "../corpora/own-crawl.ts"

// Measures the cost of crawling a site again, compared with its first crawl; with `--addresses N`, the memory that a
// crawl of N addresses uses. This process serves the site; each crawl runs in a separate one, as in the appliance.

/** The maximum cost of crawling an unchanged site, in CPU time and in bytes, as a share of its first crawl's. */
const MAX_RATIO = 0.1
const STEP = 10_000
/** The share by which the memory at the last step may exceed that at the second; anything below is noise. */
const MAX_GROWTH = 0.15

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "2000" },
    addresses: { type: "string" },
    /** The part of this benchmark that this process runs: `crawl` or `links`. */
    as: { type: "string" },
    start: { type: "string", default: "" },
    dir: { type: "string", default: "" },
  },
})

/** The result of one crawl. */
interface Crawl {
  readonly cpuSeconds: number
  readonly vectors: number
  readonly outcomes: Readonly<Record<string, number>>
}

/** A run of the job, including the vectors it requires; CPU time of all threads, without the start of the process. */
async function crawl(start: string, dataDir: string): Promise<Crawl> {
  await using embedder = new CountingEmbedder()
  await using engine = await openEngine(
    { ...readSettings(engineSettings, {}), dataDir },
    { mode: "write", embedder },
  )
  using db = await openStateStore(dataDir)
  const jobs = new Jobs(db)
  const { id } = await jobs.enqueue(defineSource({ seeds: [start], rendering: "http" }), {
    trigger: "schedule",
  })
  const before = process.cpuUsage()
  const job = await runJob(id, {
    db,
    jobs,
    engine,
    config: readSettings(crawlerSettings, {}),
    signal: new AbortController().signal,
    whenAborted: "paused",
  })
  await engine.settled()
  const { user, system } = process.cpuUsage(before)
  if (job?.state !== "finished") throw new Error(`the crawl has ${job?.state}: ${job?.error}`)
  return { cpuSeconds: (user + system) / 1e6, vectors: embedder.vectors, outcomes: job.outcomes }
}

async function recrawls(pages: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), "fossick-recrawl-"))
  try {
    await using site = await serveGenerated({ pages, paragraphs: 12 })
    const first = await measured(site, dataDir)
    const rows = [row("first crawl", first, first)]
    const again = await measured(site, dataDir)
    rows.push(row("again, nothing changed", again, first))
    site.change(Math.ceil(pages / 100))
    const changed = await measured(site, dataDir)
    rows.push(row("again, 1% of the pages changed", changed, first))
    site.validators = false
    const bare = await measured(site, dataDir)
    rows.push(row("again, nothing changed, site without ETags", bare, first))
    console.log(`${pages} generated pages on loopback, hashed vectors instead of a model's. ${machine()}\n`)
    const head = ["", "requests", "indexed", "vectors made", "CPU s", "MB sent", "CPU share", "bytes share"]
    console.log(table([head, ...rows]))
    // A changed page also starts a reading thread and the index's writer, regardless of the number of pages.
    const isCheap =
      again.cpuSeconds / first.cpuSeconds < MAX_RATIO &&
      again.bytes / first.bytes < MAX_RATIO &&
      changed.bytes / first.bytes < MAX_RATIO
    const embedsOnlyChanges = again.vectors === 0 && changed.outcomes["indexed"] === Math.ceil(pages / 100)
    console.log(isCheap ? `Under ${MAX_RATIO} of the first crawl.` : `NOT under ${MAX_RATIO}.`)
    console.log(embedsOnlyChanges ? "Only changed pages were embedded." : "OTHER pages were embedded too.")
    return isCheap && embedsOnlyChanges
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Measured = Crawl & { readonly bytes: number; readonly requests: number }

async function measured(site: GeneratedSite, dataDir: string): Promise<Measured> {
  const [bytes, requests] = [site.bytes(), site.requests()]
  const result = JSON.parse(await child("crawl", site.url, dataDir)) as Crawl
  return { ...result, bytes: site.bytes() - bytes, requests: site.requests() - requests }
}

function row(name: string, one: Measured, first: Measured): (string | number)[] {
  return [
    name,
    one.requests,
    one.outcomes["indexed"] ?? 0,
    one.vectors,
    short(one.cpuSeconds),
    short(one.bytes / MB),
    short(one.cpuSeconds / first.cpuSeconds),
    short(one.bytes / first.bytes),
  ]
}

/** @returns the last line of its output. */
async function child(as: string, start: string, dir = "", onStart?: (pid: number) => void): Promise<string> {
  const args = [import.meta.filename, "--as", as, "--start", start, "--dir", dir]
  const crawler = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  let out = ""
  crawler.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  if (crawler.pid !== undefined) onStart?.(crawler.pid)
  const [code] = (await once(crawler, "close")) as [number | null]
  if (code !== 0) throw new Error(`${as} exited with code ${code}`)
  return out.trimEnd().split("\n").at(-1) ?? ""
}

/** Runs frontier, fetch, parse and links over many addresses; nothing is indexed. */
async function memory(addresses: number): Promise<boolean> {
  await using site = await serveGenerated({ pages: addresses, paragraphs: 3 })
  const steps: [requests: number, rss: number][] = []
  let sampler: NodeJS.Timeout | null = null
  try {
    await child("links", site.url, "", (pid) => {
      sampler = setInterval(() => {
        const requests = site.requests()
        if (requests >= (steps.length + 1) * STEP) steps.push([requests, memoryOf(pid).rss])
      }, 50)
    })
  } finally {
    if (sampler) clearInterval(sampler)
  }
  console.log(`Resident memory of a crawl of ${addresses} generated addresses. ${machine()}\n`)
  console.log(table([["addresses", "MB"], ...steps.map(([requests, rss]) => [requests, short(rss / MB)])]))
  const [, second = [0, 0]] = steps
  const last = steps.at(-1) ?? [0, 0]
  const growth = last[1] / second[1] - 1
  console.log(`From the second step to the last: ${short(growth * 100)}%.`)
  return growth < MAX_GROWTH
}

if (values.as === "crawl") console.log(JSON.stringify(await crawl(values.start, values.dir)))
else if (values.as === "links") console.log(JSON.stringify(await ownCrawl("links", values.start, 32)))
else if (values.addresses !== undefined) process.exitCode = (await memory(Number(values.addresses))) ? 0 : 1
else process.exitCode = (await recrawls(Number(values.pages))) ? 0 : 1
