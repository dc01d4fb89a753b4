import { afterAll, expect, test } from "vitest"
import type { JobTrigger } from "#crawler/job.ts"
import { runJob } from "#crawler/crawl/run-job.ts"
import { defineSource } from "#crawler/source.ts"
import { CrawlFixture, testConfig } from "#crawler/testing/crawl-fixture.ts"
import { article, html, startTestSite, status } from "#crawler/testing/test-site.ts"
import { Fossick, refusalOf } from "../../testing/fossick.ts"

const program = new Fossick()
afterAll(() => program[Symbol.asyncDispose]())

async function fossick(dataDir: string, ...args: string[]) {
  const { code, out, err } = await program.run(dataDir, args, { FOSSICK_DATA_DIR: dataDir })
  return { code, lines: out.split("\n").slice(0, -1), err }
}

test("every address of a run is listed by outcome, and later runs take over what they visit", async () => {
  const many = Array.from({ length: 620 }, (_, index) => `/gone-${String(index).padStart(3, "0")}`)
  await using site = await startTestSite({
    "/": article("Home", { links: ["/empty-a", "/empty-b", "/a page", "/broken", ...many] }),
    "/empty-a": html(""),
    "/empty-b": html(""),
    "/a%20page": article("A page"),
    "/broken": status(500),
  })
  await using fixture = await CrawlFixture.open()
  const { db, jobs, engine } = fixture
  const run = async (trigger: JobTrigger) => {
    const source = defineSource({ name: "docs", seeds: [site.url("/")], rendering: "http" })
    const { id } = await jobs.enqueue(source, { trigger })
    const signal = new AbortController().signal
    const config = testConfig({ FOSSICK_MAX_TRIES: "1" })
    await runJob(id, { db, jobs, engine, config, signal, whenAborted: "paused" })
    return String(id)
  }
  const first = await run("run")
  const list = (id: string, outcome: string, ...more: string[]) =>
    fossick(fixture.folder, "jobs", "show", id, "--outcome", outcome, ...more)

  const empty = await list(first, "empty")
  expect(empty.lines).toEqual(
    ["/empty-a", "/empty-b"].map((path) => expect.stringContaining(`${site.url(path)}  skipped: empty`)),
  )
  const failed = await list(first, "failed", "--json")
  expect(failed).toMatchObject({ code: 0, err: "" })
  const addresses = failed.lines.map((line) => JSON.parse(line) as { url: string; outcome: string })
  expect(addresses.map(({ url }) => url)).toEqual(["/broken", ...many].map((path) => site.url(path)))
  expect((await list(first, "indexed")).lines).toEqual([
    `${site.url("/")}  indexed`,
    `${site.url("/a%20page")}  indexed`,
  ])
  expect(await list(first, "dns")).toMatchObject({
    code: 0,
    lines: [],
    err: `No visit in job ${first} ended with this outcome.\n`,
  })

  const second = await run("run")
  expect((await list(second, "unchanged")).lines).toHaveLength(2)
  // A failed address stays listed with its run; all others are listed with the latest run that visited them.
  expect((await list(first, "failed")).lines).toHaveLength(621)
  expect(await list(first, "indexed")).toMatchObject({
    lines: [],
    err: "0 of 2: the others have been visited by later runs and are listed there.\n",
  })
  expect(await list("99", "empty")).toMatchObject({ code: 1 })
})

test("the list counts a page once, and gives the reason of a run once", async () => {
  await using site = await startTestSite({ "/": article("Home") })
  await using fixture = await CrawlFixture.open()
  const { db, jobs, engine } = fixture
  const signal = new AbortController().signal
  for (const [name, seed] of [
    ["docs", site.url("/")],
    ["down", site.url("/").replace("http:", "https:")],
  ] as const) {
    const { id } = await jobs.enqueue(defineSource({ name, seeds: [seed], rendering: "http" }), {
      trigger: "run",
    })
    await runJob(id, { db, jobs, engine, config: testConfig({}), signal, whenAborted: "paused" })
  }
  const { lines } = await fossick(fixture.folder, "jobs", "list")
  expect(lines).toHaveLength(4)
  expect(lines[1]).toMatch(/^2 {4}down {4}failed .* UTC {2}0 pages$/)
  expect(lines[2]).toMatch(/^1 {4}docs {4}finished .* UTC {2}1 page$/)
  expect(lines[3]).toContain("2: nothing was indexed: the only seed failed")
})

test("an unknown outcome is rejected with the valid ones", async () => {
  expect(await refusalOf("jobs", "show", "1", "--outcome", "lost")).toMatch(
    /^There is no outcome "lost"; the outcomes are indexed, unchanged, /,
  )
})
