import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { crawlerSettings } from "#crawler/config.ts"
import { type Job, Jobs } from "#crawler/jobs.ts"
import { runJob } from "#crawler/run-job.ts"
import { openStateStore } from "#crawler/state-store.ts"
import { type Engine, openEngine } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { readSettings } from "#engine/settings.ts"
import { DOCUMENTATION_QUESTIONS } from "./documentation-questions.ts"
import { homePage, htmlPages } from "./documentation-site.ts"
import { serveFolder, type StaticSite } from "./static-site.ts"

const PAGES = join(import.meta.dirname, "testing/pages")
const paths = await htmlPages(PAGES)
const questions = DOCUMENTATION_QUESTIONS.filter(({ answer }) => paths.includes(answer))

let dataDir: string
let site: StaticSite
let engine: Engine
let job: Job | null

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fossick-real-site-"))
  site = await serveFolder(PAGES, homePage("Manuals", paths))
  engine = await openEngine({ ...readSettings(engineSettings, {}), dataDir }, { mode: "write" })
  using db = openStateStore(dataDir)
  const jobs = new Jobs(db)
  // One step from the home page: the manuals link to many pages that are not here.
  const { id } = jobs.enqueue({ url: site.url, scope: "host", depth: 1, limit: 100 })
  const { signal } = new AbortController()
  const config = readSettings(crawlerSettings, {})
  job = await runJob(id, { db, jobs, engine, config, signal, whenAborted: "stopped" })
  await engine.settled()
}, 120_000)

afterAll(async () => {
  await engine?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

describe("pages of real manuals, crawled and asked", () => {
  test("the crawl indexes every page", async () => {
    expect(job?.error).toBeNull()
    expect(job?.outcomes["indexed"]).toBeGreaterThanOrEqual(paths.length)
    expect((await engine.stats()).pagesWithoutVectors).toBe(0)
  })

  test("there are ten questions", () => {
    expect(questions).toHaveLength(10)
  })

  test.each(questions)("$text", async ({ text, answer }) => {
    const { hits } = await engine.search({ text, limit: 3 })
    expect(hits.map(({ url }) => url)).toContain(site.url + answer)
    expect(hits.find(({ url }) => url === site.url + answer)?.passages).not.toHaveLength(0)
  })
})
