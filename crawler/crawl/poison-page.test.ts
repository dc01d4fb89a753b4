import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { Jobs } from "../jobs/jobs.ts"
import { KnownAddresses } from "./frontier/known-addresses.ts"
import { defineSource } from "../source.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../testing/crawl-fixture.ts"
import { poisonPdfs } from "../testing/poison.ts"
import { type Answer, article, bytes, startTestSite } from "../testing/test-site.ts"
import { outcomeStep } from "../reporting/why/visit.ts"

const CHILD = fileURLToPath(new URL("../testing/crawl-alone.ts", import.meta.url))
const healthy = Array.from({ length: 12 }, (_, at) => `/page${at}`)

/** Healthy pages with one poisonous page among them. */
function siteWith(path: string, poison: Answer): Record<string, Answer> {
  const links = healthy.toSpliced(5, 0, path)
  return {
    "/": article("Home", { links }),
    ...Object.fromEntries(healthy.map((one) => [one, article(`Harbour ${one}`)])),
    [path]: poison,
  }
}

test("a document that takes too much memory fails alone, with a reason", async () => {
  await using fixture = await CrawlFixture.open()
  const poison = poisonPdfs(200)["Flate in Flate"]()
  await using site = await startTestSite(
    siteWith("/poison.pdf", bytes(poison, { "content-type": "application/pdf" })),
  )
  const url = site.url("/poison.pdf") as PageUrl
  const config = testConfig({ FOSSICK_DOCUMENT_MEMORY_MB: "200" })
  const job = await fixture.crawl({ seeds: [site.url("/")] }, { config })
  expect(job.state).toBe("finished")
  expect(job.outcomes).toEqual({ indexed: healthy.length + 1, "skipped:too-large": 1 })
  const known = await new KnownAddresses(fixture.db).get(url)
  expect(known).toMatchObject({
    outcome: "skipped:too-large",
    detail: "reading it takes more than 200 MB of memory",
  })
  expect(site.requests.filter((path) => path === "/poison.pdf")).toHaveLength(1)
})

/** Runs the job's process, after `lost` earlier processes were lost while reading `url`, and kills it when it reads `url`. @returns how it ended. */
async function run(dataDir: string, db: StateStore, url: string, lost: number): Promise<"killed" | "ended"> {
  const child = spawn(process.execPath, [CHILD, dataDir], { stdio: ["ignore", "ignore", "inherit"] })
  const closed = once(child, "close")
  // The record of the page that the last process was reading is kept until this process has seen it.
  const reading = statement(
    db,
    "select 1 from crawl_url where url = ? and reading = 1 and strikes = ? and outcome is null",
  )
  while (child.exitCode === null && child.signalCode === null) {
    if (await reading.get(url, lost)) child.kill("SIGKILL")
    await sleep(5)
  }
  const [code, signal] = (await closed) as [number | null, string | null]
  if (code !== null && code !== 0) throw new Error(`the job's process ended with ${code}`)
  return signal === null ? "ended" : "killed"
}

test("a page that kills the crawler's process is retried alone, then skipped and remembered", async () => {
  using folder = temporaryFolder()
  // Reading this page takes long enough for the process to be killed in the middle.
  const slow = article("Slow", { text: `${"<blockquote>".repeat(300)}${"<p>x".repeat(25_000)}` })
  await using site = await startTestSite(siteWith("/poison", slow))
  const url = site.url("/poison") as PageUrl
  const db = await openStateStore(folder.path)
  const jobs = new Jobs(db)
  const source = defineSource({ seeds: [site.url("/")] })
  const { id } = await jobs.enqueue(source)
  const runs = []
  while (runs.length < 6 && (await jobs.get(id))?.state !== "finished")
    runs.push(await run(folder.path, db, url, runs.length))
  expect(runs).toEqual(["killed", "killed", "killed", "ended"])
  expect((await jobs.get(id))?.outcomes).toEqual({ indexed: healthy.length + 1, "failed:crashed": 1 })
  const detail = "the crawler's process crashed each time it read the page"
  expect(await jobs.failures(id, 9)).toEqual([{ url, outcome: "failed:crashed", detail }])
  const known = (await new KnownAddresses(db).get(url))!
  expect(outcomeStep({ known, others: [] } as unknown as Parameters<typeof outcomeStep>[0])?.text).toContain(
    detail,
  )

  // The next run reads the poisonous page once, while no other page is being read.
  const next = await jobs.enqueue(source)
  expect([await run(folder.path, db, url, 0), await run(folder.path, db, url, 1)]).toEqual([
    "killed",
    "ended",
  ])
  expect((await jobs.get(next.id))?.outcomes).toMatchObject({ "failed:crashed": 1 })

  // Once the page does no harm any more, it is treated like any other.
  const last = await jobs.enqueue(source)
  expect(await run(folder.path, db, "https://x.example/", 0)).toBe("ended")
  expect((await jobs.get(last.id))?.outcomes).not.toHaveProperty("failed:crashed")
  db.close()
})

test("a page of a hundred megabytes, allowed by a raised limit, fails alone", async () => {
  await using fixture = await CrawlFixture.open()
  // A thread that splits this page into words crashes the whole process.
  const poison = gzipSync(`<article><p>${"word ".repeat(20_000_000)}`, { level: 1 })
  const answer = bytes(poison, { "content-type": "text/html", "content-encoding": "gzip" })
  await using site = await startTestSite(siteWith("/large", answer))
  const config = testConfig({
    FOSSICK_MAX_PAGE_BYTES: "200000000",
    FOSSICK_DOCUMENT_MEMORY_MB: "300",
    FOSSICK_FETCH_TIMEOUT_MS: "60000",
  })
  const job = await fixture.crawl({ seeds: [site.url("/")] }, { config })
  expect(job.state).toBe("finished")
  expect(job.outcomes).toEqual({ indexed: healthy.length + 1, "skipped:too-large": 1 })
})
