import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { until } from "#base/testing/until.ts"
import { Jobs } from "./jobs/jobs.ts"
import { Sources } from "./sources/sources.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url))

/** A crawler process with its own data folder, as on a separate machine. */
class Crawler implements AsyncDisposable {
  readonly ended: Promise<number | null>
  readonly log: string[] = []
  said = ""
  readonly #child

  constructor(dataDir: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [MAIN], {
      env: {
        ...CHILD_ENV,
        FOSSICK_DATA_DIR: dataDir,
        FOSSICK_LOG_FORMAT: "json",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    endWithUs(this.#child)
    createInterface(this.#child.stdout).on("line", (line) => {
      this.log.push((JSON.parse(line) as { msg: string }).msg)
    })
    this.#child.stderr.on("data", (text) => (this.said += String(text)))
    this.ended = once(this.#child, "close").then(([code]) => code as number | null)
  }

  /** Kills the process without warning, as a power failure would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM")
    await this.ended
  }
}

describe("several crawlers sharing one state", { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test("have one that runs the schedules, and another takes over once it is lost", async () => {
    using here = temporaryFolder()
    using there = temporaryFolder()
    // There is no server at the address of the index, and none is needed: only job processes query it.
    const env = {
      FOSSICK_STATE: server.url("schedules"),
      FOSSICK_ENGINE: "opensearch",
      FOSSICK_OPENSEARCH_URLS: "http://127.0.0.1:9",
    }
    await using first = new Crawler(here.path, env)
    await until(async () => first.log.includes("the crawler is ready"))
    await using second = new Crawler(there.path, env)
    await until(async () => second.log.includes("the crawler is ready"))

    vi.stubEnv("FOSSICK_STATE", server.url("schedules"))
    const db = await openStateStore(here.path)
    onTestFinished(() => {
      db.close()
      vi.unstubAllEnvs()
    })
    const sources = new Sources(db, new Jobs(db))
    await sources.put({ name: "bees", seeds: ["https://bees.example/"], schedule: { cron: "0 3 1 1 *" } })
    const scheduled = (crawler: Crawler) =>
      crawler.log.filter((line) => line.startsWith("the scheduled crawl bees")).length
    const come = () => sources.keepTimes([{ name: "bees", nextRun: Date.now() - 1, lastRun: null }])
    await come()
    await until(async () => scheduled(first) === 1)
    await first.kill()
    await come()
    await until(async () => scheduled(second) === 1)
    expect(scheduled(first)).toBe(1)
  })

  test("allow only one with an embedded index, and a second one says so until the first is lost", async () => {
    using here = temporaryFolder()
    using there = temporaryFolder()
    const env = { FOSSICK_STATE: server.url("embedded") }
    await using first = new Crawler(here.path, env)
    await until(async () => first.log.includes("the crawler is ready"))
    {
      await using second = new Crawler(there.path, env)
      expect(await second.ended).toBe(1)
      expect(second.said).toContain("the embedded engine allows only one")
      expect(second.log).not.toContain("the crawler is ready")
    }
    await first.kill()
    await using third = new Crawler(there.path, env)
    await until(async () => third.log.includes("the crawler is ready"))
  })
})
