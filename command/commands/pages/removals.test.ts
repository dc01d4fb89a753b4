import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { startCheapVectors } from "#engine/testing/model-server.ts"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { KnownAddresses } from "#crawler/crawl/frontier/known-addresses.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { defineSource } from "#crawler/source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { temporaryFolder, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, startTestSite, status } from "#crawler/testing/test-site.ts"
import { settleRemovals } from "#crawler/upkeep/removals/settle-removals.ts"
import { readCommandLine } from "../../program.ts"
import { Fossick, refusalOf } from "../../testing/fossick.ts"

const CRAWLER = fileURLToPath(import.meta.resolve("#crawler/main.ts"))
const SETTLE_AND_DIE = fileURLToPath(
  import.meta.resolve("#crawler/upkeep/removals/testing/settle-and-die.ts"),
)

function start(file: string, dataDir: string): ChildProcess {
  return spawn(process.execPath, [file], {
    env: { ...CHILD_ENV, FOSSICK_DATA_DIR: dataDir, FOSSICK_LOG_LEVEL: "silent", ...vectors.settings },
  })
}

/** Runs `fossick removals` to its end. */
const removals = (dataDir: string, ...args: string[]) =>
  fossick.run(dataDir, ["removals", ...args], {
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_LOG_LEVEL: "silent",
    ...vectors.settings,
  })

const fossick = new Fossick()
const vectors = await startCheapVectors()
afterAll(async () => {
  await fossick[Symbol.asyncDispose]()
  await vectors[Symbol.asyncDispose]()
})

describe("arguments", () => {
  test.each([
    [["burn"], "unknown command 'burn'"],
    [["approve"], "missing required argument 'source'"],
    [["reject", "a", "b"], "too many arguments"],
    [["restore"], "restore needs addresses, --source or --job"],
    [["restore", "https://a.example/", "--job", "3"], "restore needs addresses, --source or --job"],
    [["restore", "--job", "last"], "--job must be a whole number"],
    [["removed", "--job", "3"], "unknown option '--job'"],
    [["list", "--limit", "0"], "--limit must be a whole number"],
  ])("%j are refused", async (args, message) => {
    expect(await refusalOf("removals", ...args)).toContain(message)
  })

  test("are optional for listing pending removals", async () => {
    expect(await readCommandLine(["removals"])).toMatchObject({
      path: "removals list",
      given: { args: {}, options: { limit: "100" }, json: false },
    })
  })
})

describe("fossick removals", () => {
  test("lists pending removals, approves them, shows what was removed and restores it, with and without a crawler", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b", "/c"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
      "/c": article("Gamma"),
    })
    using folder = temporaryFolder()
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path, ...vectors.settings })
    const db = await openStateStore(folder.path)
    try {
      const jobs = new Jobs(db)
      const source = defineSource({ name: "harbour", seeds: [site.url("/")] })
      const run = async () => {
        await using engine = await openEngine(settings, { mode: "write" })
        const signal = new AbortController().signal
        const { id } = await jobs.enqueue(source)
        await runJob(id, { db, jobs, engine, config: testConfig(), signal, whenAborted: "paused" })
      }
      const pages = async () => {
        await using engine = await openEngine(settings, { mode: "read" })
        const found = await Promise.all(
          ["/", "/a", "/b", "/c"].map((path) => engine.get(site.url(path) as PageUrl)),
        )
        return found.flatMap((page) => page?.title ?? [])
      }
      await run()
      expect((await removals(folder.path)).out).toBe("No removals are waiting for your decision.\n")
      site.serve({ "/a": status(410), "/b": status(410) })
      await run()
      expect(await pages()).toEqual(["Home", "Alpha", "Beta", "Gamma"])
      const { out } = await removals(folder.path, "list")
      expect(out).toContain("harbour: 2 pages of 4 (50 %) seem to be gone (run 2, ")
      expect(out).toContain("2 gone (410)")
      expect((await removals(folder.path, "list", "harbour")).out).toBe(
        `${site.url("/a")}  the site answered 410\n${site.url("/b")}  the site answered 410\n`,
      )

      for (const given of [["list"], ["restore", "--source"]]) {
        const refused = await removals(folder.path, ...given, "habour")
        expect(refused).toMatchObject({ code: 1, out: "" })
        expect(refused.err).toContain('There is no source "habour"; did you mean "harbour"?')
      }
      expect(await removals(folder.path, "approve", "harbour")).toEqual({
        code: 0,
        out: "2 pages removed\n",
        err: "",
      })
      expect(await pages()).toEqual(["Home", "Gamma"])
      const removed = JSON.parse((await removals(folder.path, "removed", "--json")).out) as object[]
      expect(removed).toMatchObject([
        { url: site.url("/a"), source: "harbour", state: "removed", reason: "gone", job: 2 },
        { url: site.url("/b") },
      ])

      const crawler = start(CRAWLER, folder.path)
      while (!(await jobs.hasCrawler())) await sleep(50)
      expect(await removals(folder.path, "restore", site.url("/b"), "--json")).toEqual({
        code: 0,
        out: `${JSON.stringify({ command: "restore", pages: 1, done: true })}\n`,
        err: "",
      })
      crawler.kill("SIGTERM")
      await once(crawler, "close")
      expect(await pages()).toEqual(["Home", "Beta", "Gamma"])
      expect((await removals(folder.path, "restore", site.url("/b"))).code).toBe(1)
    } finally {
      db.close()
    }
  })

  test("leaves nothing after a kill -9 between index and state that the next writer does not repair", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"] }),
      "/a": article("Alpha"),
    })
    using folder = temporaryFolder()
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path, ...vectors.settings })
    const db = await openStateStore(folder.path)
    try {
      const jobs = new Jobs(db)
      const known = new KnownAddresses(db)
      const url = site.url("/a") as PageUrl
      const source = defineSource({ name: "harbour", seeds: [site.url("/")] })
      {
        await using engine = await openEngine(settings, { mode: "write" })
        const signal = new AbortController().signal
        const { id } = await jobs.enqueue(source)
        await runJob(id, { db, jobs, engine, config: testConfig(), signal, whenAborted: "paused" })
      }
      // The next run has found the page gone, and its process is killed as it ends.
      const { id } = await jobs.enqueue(source)
      await jobs.start(id)
      await known.record({ id, source }, [
        { url, outcome: "failed:http-status", detail: "gone", status: 410 },
      ])
      const child = start(SETTLE_AND_DIE, folder.path)
      expect(await once(child, "close")).toEqual([null, "SIGKILL"])
      expect(await known.hashOf(url)).not.toBeNull()
      {
        await using engine = await openEngine(settings, { mode: "write" })
        expect(await engine.get(url)).toBeNull()
        await jobs.recover()
        expect((await jobs.nextQueued())?.id).toBe(id)
        const job = (await jobs.get(id))!
        expect(await settleRemovals({ db, engine, job })).toEqual({ removed: 1, held: 0 })
        expect(await known.hashOf(url)).toBeNull()
      }
      expect((await removals(folder.path, "restore", url)).out).toBe("1 page restored\n")
      await using engine = await openEngine(settings, { mode: "read" })
      expect(await engine.get(url)).toMatchObject({ title: "Alpha" })
    } finally {
      db.close()
    }
  })

  test("explains itself, and answers bad arguments with exit code 2", async () => {
    using folder = temporaryFolder()
    expect((await removals(folder.path, "--help")).out).toMatch(/^Usage: fossick removals /)
    const { code, err } = await removals(folder.path, "approve")
    expect(code).toBe(2)
    expect(err).toContain("missing required argument 'source'")
  })
})
