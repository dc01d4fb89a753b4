import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "./jobs/jobs.ts"
import type { Job } from "./job.ts"
import { defineSource } from "./source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { type Answer, article, html, startTestSite, status } from "./testing/test-site.ts"

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url))
const PAGES = 10

/** The crawler process of an appliance, and its log. */
class Crawler {
  readonly ended: Promise<number | null>
  /** The process that works on the job, once the log has reported it. */
  readonly #jobPid = Promise.withResolvers<number>()
  readonly log: string[] = []
  readonly #child

  constructor(dataDir: string, vectors: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [MAIN], {
      env: {
        ...CHILD_ENV,
        ...vectors,
        FOSSICK_DATA_DIR: dataDir,
        FOSSICK_FETCH_CONCURRENCY: "2",
        FOSSICK_LOG_FORMAT: "json",
      },
      stdio: ["ignore", "pipe", "inherit"],
    })
    createInterface(this.#child.stdout).on("line", (line) => {
      const entry = JSON.parse(line) as { pid: number; msg: string }
      this.log.push(entry.msg)
      if (/^crawl .* started$/.test(entry.msg)) this.#jobPid.resolve(entry.pid)
    })
    this.ended = once(this.#child, "close").then(([code]) => code as number | null)
  }

  async killJob(): Promise<void> {
    process.kill(await this.#jobPid.promise, "SIGKILL")
  }

  stop(): void {
    this.#child.kill("SIGTERM")
  }
}

test("a job survives its process and the appliance: it visits every page once, and its state stays correct", async () => {
  using folder = temporaryFolder()
  await using vectors = await startCheapVectors()
  let crawler: Crawler | null = null
  const on = new Map<string, () => Promise<void> | void>([
    ["/p13", () => crawler?.killJob()],
    ["/p17", () => crawler?.stop()],
  ])
  const links = Array.from({ length: PAGES }, (_, index) => `/p${10 + index}`)
  // After the signal, each page links to one more, so that the job cannot run out of pages before it reacts.
  const further = new Map<string, string>()
  let isGrowing = true
  const page: Answer = async (request, response) => {
    const path = request.url ?? ""
    const happen = on.get(path)
    on.delete(path)
    await happen?.()
    if (isGrowing && on.size === 0 && !further.has(path)) further.set(path, `/q${further.size}`)
    const next = further.get(path)
    html(article(`Harbour ${path}`, { links: next === undefined ? [] : [next] }))(request, response)
  }
  const answers: Record<string, Answer> = { "/": article("Home", { links }), "*": page }
  await using site = await startTestSite(answers)
  const db = await openStateStore(folder.path)
  try {
    const jobs = new Jobs(db)
    const { id } = await jobs.enqueue(defineSource({ seeds: [site.url("/")] }))

    crawler = new Crawler(folder.path, vectors.settings)
    expect(await crawler.ended).toBe(0)
    expect(crawler.log).toContainEqual(expect.stringMatching(/^the job process failed and will be restarted/))
    expect(on.size).toBe(0)
    expect(await jobs.hasCrawler()).toBe(false)
    isGrowing = false
    const pages = 1 + PAGES + further.size
    const stopped = await jobs.get(id)
    expect(stopped).toMatchObject({ state: "queued", endedAt: null, error: null })
    expect(stopped?.queued).toBeGreaterThan(0)
    // The page that was linked last may not have been recorded yet.
    const visited = stopped?.outcomes["indexed"] ?? 0
    expect(visited).toBeGreaterThan(0)
    expect(visited + (stopped?.queued ?? 0)).toBeLessThanOrEqual(pages)

    crawler = new Crawler(folder.path, vectors.settings)
    expect(await over(jobs, id)).toMatchObject({
      state: "finished",
      queued: 0,
      outcomes: { indexed: pages },
    })
    crawler.stop()
    expect(await crawler.ended).toBe(0)
  } finally {
    db.close()
  }

  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path, ...vectors.settings })
  await using engine = await openEngine(settings, { mode: "read" })
  expect((await engine.stats()).pages).toBe(1 + PAGES + further.size)
  for (const path of ["/p10", "/p13", "/p17", "/p19"]) {
    expect(await engine.get(site.url(path) as PageUrl)).toMatchObject({ title: `Harbour ${path}` })
  }
})

test("three running jobs survive kill -9 of their process: nothing is lost, and none is blamed", async () => {
  using folder = temporaryFolder()
  await using vectors = await startCheapVectors()
  const paths = Array.from({ length: 5 }, (_, index) => `/p${index}`)
  let crawler: Crawler | null = null
  const asked = new Set<string>()
  let isKilled = false
  const siteOf = (name: string) => {
    const page: Answer = async (request, response) => {
      if (request.url?.startsWith("/p") !== true) {
        status(404)(request, response)
        return
      }
      asked.add(name)
      // By then all three jobs are running, and none is done.
      if (asked.size === 3 && request.url === "/p3" && !isKilled) {
        isKilled = true
        await crawler?.killJob()
      }
      while (asked.size < 3) await sleep(5)
      html(article(`Harbour ${name} ${request.url}`))(request, response)
    }
    return startTestSite({ "/": article(`Home ${name}`, { links: paths }), "*": page })
  }
  await using north = await siteOf("north")
  await using south = await siteOf("south")
  await using west = await siteOf("west")
  const db = await openStateStore(folder.path)
  try {
    const jobs = new Jobs(db)
    const ids = await Promise.all(
      [north, south, west].map(
        async (site, at) =>
          (await jobs.enqueue(defineSource({ name: `source-${at}`, seeds: [site.url("/")] }))).id,
      ),
    )
    crawler = new Crawler(folder.path, vectors.settings)
    for (const id of ids) {
      const job = await over(jobs, id)
      expect(job).toMatchObject({ state: "finished", outcomes: { indexed: 1 + paths.length } })
      expect(
        (await jobs.events(id)).filter(({ text }) => text === "its process was lost: queued"),
      ).toHaveLength(1)
    }
    expect(isKilled).toBe(true)
    crawler.stop()
    expect(await crawler.ended).toBe(0)
  } finally {
    db.close()
  }
  const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path, ...vectors.settings })
  await using engine = await openEngine(settings, { mode: "read" })
  expect((await engine.stats()).pages).toBe(3 * (1 + paths.length))
})

async function over(jobs: Jobs, id: number): Promise<Job | null> {
  for (;;) {
    const job = await jobs.get(id)
    if (job?.state !== "queued" && job?.state !== "running") return job
    await sleep(50)
  }
}
