// Crawls a site once: `node crawling.ts <root> <start> <data folder>`. The last line of its output is a `Crawled` as JSON.
import { existsSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type * as Settings from "#base/settings.ts"
import type * as RunJob from "#crawler/crawl/run-job.ts"
import type * as Crawler from "#crawler"
import type * as OpenEngine from "#engine/open-engine.ts"
import type * as EngineSettings from "#engine/settings.ts"
import { GENERATED_PAGES, type Measure } from "../ground.ts"
import { runOnce } from "../run.ts"

/** The result of one crawl. `read`: number of pages indexed. */
interface Crawled {
  readonly cpuMs: number
  readonly read: number
}

/** Each crawl is a separate process, as in the appliance, with a new data folder. */
export const crawl: Measure = {
  lines: [{ name: "crawl", of: "CPU ms of a page's first crawl, vectors apart" }],
  starts: 7,
  turns: 1,
  startsCold: true,
  async open(side, ground) {
    const start = await ground.site()
    const pages = (await ground.html()).length
    const dataDir = join(side.scratch, "crawl")
    await mkdir(dataDir, { recursive: true })
    return {
      async turn() {
        const { cpuMs, read } = await runOnce<Crawled>(side, import.meta.filename, [
          side.root,
          start,
          dataDir,
        ])
        // The manuals' pages are a ninth of all pages. A crawl that reads fewer than nine tenths measures something else.
        if (read < pages * 0.9) throw new Error(`${side.root} read ${read} of ${pages} pages`)
        return { crawl: cpuMs / pages }
      },
      [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
    }
  },
}

/** Crawls a site that hasn't changed since its first crawl; all starts share that first crawl. */
export const recrawl: Measure = {
  lines: [{ name: "recrawl", of: "CPU ms of an unchanged page" }],
  starts: 9,
  turns: 1,
  startsCold: true,
  async open(side, ground) {
    const start = await ground.generated()
    const dataDir = join(side.scratch, "recrawl")
    const run = () => runOnce<Crawled>(side, import.meta.filename, [side.root, start, dataDir])
    if (!existsSync(dataDir)) {
      await mkdir(dataDir, { recursive: true })
      await run()
    }
    return {
      async turn() {
        const { cpuMs, read } = await run()
        if (read > 0) throw new Error(`${side.root} indexed ${read} pages that had not changed`)
        return { recrawl: cpuMs / GENERATED_PAGES }
      },
      // Later starts reuse the folder.
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  },
}

/** Runs the job without vectors. The CPU time is that of all threads, without process startup. */
async function crawlOnce(root: string, start: string, dataDir: string): Promise<Crawled> {
  const from = async <T>(path: string) => (await import(join(root, path))) as T
  const { readSettings } = await from<typeof Settings>("base/settings.ts")
  const { Jobs, crawlerSettings, defineSource, openStateStore } =
    await from<typeof Crawler>("crawler/index.ts")
  const { runJob } = await from<typeof RunJob>("crawler/crawl/run-job.ts")
  const { openEngine } = await from<typeof OpenEngine>("engine/open-engine.ts")
  const { engineSettings } = await from<typeof EngineSettings>("engine/settings.ts")
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  await using engine = await openEngine(settings, { mode: "write", embedding: "off" })
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
  const { user, system } = process.cpuUsage(before)
  if (job?.state !== "finished") throw new Error(`the crawl has ${job?.state}: ${job?.error}`)
  return { cpuMs: (user + system) / 1000, read: job.outcomes["indexed"] ?? 0 }
}

if (import.meta.main) {
  const [root, start, dataDir] = process.argv.slice(2) as [string, string, string]
  console.log(JSON.stringify(await crawlOnce(root, start, dataDir)))
}
