import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { engineSettings } from "#engine/config.ts"
import { openEngine } from "#engine/open-engine.ts"
import { readSettings } from "#base/settings.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { KnownAddresses } from "../../frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { defineSource } from "../../source.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { article, startTestSite, status } from "../../testing/test-site.ts"
import { parseRemovalsArguments, REMOVALS_HELP } from "./removals-arguments.ts"
import { settleRemovals } from "../../removals/settle-removals.ts"

const COMMAND = fileURLToPath(new URL("./removals-command.ts", import.meta.url))
const CRAWLER = fileURLToPath(new URL("../../main.ts", import.meta.url))
const SETTLE_AND_DIE = fileURLToPath(new URL("../../removals/testing/settle-and-die.ts", import.meta.url))

function start(file: string, dataDir: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env["PATH"], FOSSICK_DATA_DIR: dataDir, FOSSICK_LOG_LEVEL: "silent" },
  })
}

/** Runs `npm run removals` to its end. */
async function removals(dataDir: string, ...args: string[]) {
  const child = start(COMMAND, dataDir, ...args)
  let [out, err] = ["", ""]
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, out, err }
}

describe("arguments", () => {
  test.each([
    [["burn"], "burn is no command; there are list, approve, reject, removed, restore"],
    [["approve"], "approve wants the name of a source"],
    [["reject", "a", "b"], "b is too much"],
    [["restore"], "restore wants addresses, or --source, or --job"],
    [["restore", "https://a.example/", "--job", "3"], "restore wants addresses, or --source, or --job"],
    [["restore", "--job", "last"], "--job must be a whole number"],
    [["removed", "--job", "3"], "--source and --job go with restore"],
    [["list", "--limit", "0"], "--limit must be a whole number"],
  ])("%j are refused", (args, message) => {
    expect(() => parseRemovalsArguments(args)).toThrow(message)
  })

  test("are none for a look at what waits", () => {
    expect(parseRemovalsArguments([])).toEqual({ command: "list", source: null, limit: 100, json: false })
  })
})

describe("npm run removals", () => {
  test("shows what waits, takes a yes, shows what was removed and puts it back, with and without a crawler", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b", "/c"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
      "/c": article("Gamma"),
    })
    using folder = temporaryFolder()
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path })
    const db = openStateStore(folder.path)
    try {
      const jobs = new Jobs(db)
      const source = defineSource({ name: "harbour", seeds: [site.url("/")] })
      const run = async () => {
        await using engine = await openEngine(settings, { mode: "write" })
        const signal = new AbortController().signal
        const { id } = jobs.enqueue(source)
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
      expect((await removals(folder.path)).out).toBe("Nothing waits for your word.\n")
      site.serve({ "/a": status(410), "/b": status(410) })
      await run()
      expect(await pages()).toEqual(["Home", "Alpha", "Beta", "Gamma"])
      const { out } = await removals(folder.path, "list")
      expect(out).toContain("harbour: 2 pages of 4 (50 %) seem to be gone, says run 2 of ")
      expect(out).toContain("2 gone (410)")
      expect((await removals(folder.path, "list", "harbour")).out).toBe(
        `${site.url("/a")}  the site answered 410\n${site.url("/b")}  the site answered 410\n`,
      )

      expect(await removals(folder.path, "approve", "port")).toEqual({
        code: 1,
        out: "",
        err: "Nothing of port waits; npm run removals shows what does.\n",
      })
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
      while (!jobs.hasCrawler()) await sleep(50)
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

  test("kill -9 between the index and the state leaves nothing that the next writer does not mend", async () => {
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a"] }),
      "/a": article("Alpha"),
    })
    using folder = temporaryFolder()
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: folder.path })
    const db = openStateStore(folder.path)
    try {
      const jobs = new Jobs(db)
      const known = new KnownAddresses(db)
      const url = site.url("/a") as PageUrl
      const source = defineSource({ name: "harbour", seeds: [site.url("/")] })
      {
        await using engine = await openEngine(settings, { mode: "write" })
        const signal = new AbortController().signal
        const { id } = jobs.enqueue(source)
        await runJob(id, { db, jobs, engine, config: testConfig(), signal, whenAborted: "paused" })
      }
      // The next run has found the page gone, and its process is killed as it ends.
      const { id } = jobs.enqueue(source)
      jobs.start(id)
      known.record({ id, source }, [{ url, outcome: "failed:http-status", detail: "gone", status: 410 }])
      const child = start(SETTLE_AND_DIE, folder.path)
      expect(await once(child, "close")).toEqual([null, "SIGKILL"])
      expect(known.hashOf(url)).not.toBeNull()
      {
        await using engine = await openEngine(settings, { mode: "write" })
        expect(await engine.get(url)).toBeNull()
        jobs.recover()
        expect(jobs.nextQueued()?.id).toBe(id)
        const job = jobs.get(id)!
        expect(await settleRemovals({ db, engine, job })).toEqual({ removed: 1, held: 0 })
        expect(known.hashOf(url)).toBeNull()
      }
      expect((await removals(folder.path, "restore", url)).out).toBe("1 page put back\n")
      await using engine = await openEngine(settings, { mode: "read" })
      expect(await engine.get(url)).toMatchObject({ title: "Alpha" })
    } finally {
      db.close()
    }
  })

  test("explains itself, and answers bad arguments with exit code 2", async () => {
    using folder = temporaryFolder()
    expect((await removals(folder.path, "--help")).out).toBe(REMOVALS_HELP)
    const { code, err } = await removals(folder.path, "approve")
    expect(code).toBe(2)
    expect(err).toContain("approve wants the name of a source")
  })
})
