import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { article } from "./testing/test-site.ts"
import { runJob } from "./crawl/run-job.ts"
import { defineSource } from "./source.ts"
import { CrawlFixture, shareFor, temporaryFolder, testConfig } from "./testing/crawl-fixture.ts"

// Files that list the readers of a folder: runs notice changes to these files even if the files beside them are
// unchanged.

const ADDRESS = "https://nas.example/docs/"
let fixture: CrawlFixture
let folder: ReturnType<typeof temporaryFolder>
const config = testConfig()

beforeEach(async () => {
  fixture = await CrawlFixture.open()
  folder = temporaryFolder()
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const write = (path: string, text: string) => {
  mkdirSync(join(folder.path, path, ".."), { recursive: true })
  writeFileSync(join(folder.path, path), text)
}

/** Runs a crawl of the due pages. @returns who may read each page; `all` stands for everybody */
async function run(): Promise<Record<string, unknown>> {
  const { db, jobs, engine } = fixture
  const source = defineSource({ name: "docs", folder: folder.path, seeds: [ADDRESS] })
  const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
  const signal = new AbortController().signal
  await runJob(id, { db, jobs, engine, config, signal, whenAborted: "paused", share: shareFor(config) })
  return Object.fromEntries(
    [...engine.pages.values()]
      .map(({ url, readers }) => [url.slice(ADDRESS.length), readers?.[0]?.allow ?? "all"] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

test("adding, changing or removing a readers file changes the pages below it, and no others", async () => {
  write("a.html", article("Alpha"))
  write("hr/b.html", article("Beta"))
  write("hr/c.html", article("Gamma"))
  expect(await run()).toEqual({ "a.html": "all", "hr/b.html": "all", "hr/c.html": "all" })
  write("hr/.fossick-readers.yaml", "allow: group:hr\nfiles: { c.html: { allow: [user:anna] } }\n")
  expect(await run()).toEqual({
    "a.html": "all",
    "hr/b.html": [["group:hr"]],
    "hr/c.html": [["group:hr"], ["user:anna"]],
  })
  write("hr/.fossick-readers.yaml", "allow: [group:hr")
  expect(await run()).toEqual({ "a.html": "all", "hr/b.html": [[]], "hr/c.html": [[]] })
  rmSync(join(folder.path, "hr/.fossick-readers.yaml"))
  expect(await run()).toEqual({ "a.html": "all", "hr/b.html": "all", "hr/c.html": "all" })
  expect((await fixture.jobs.list({ limit: 1 }))[0]?.outcomes).toEqual({ indexed: 2 })
})

test("equal files for different people are separate pages, even when they become equal later", async () => {
  write("plan.html", article("Plan"))
  write("copy/plan.html", article("Plan"))
  expect(await run()).toEqual({ "plan.html": "all" })
  write(".fossick-readers.yaml", "files: { plan.html: { allow: [group:board] } }\n")
  expect(await run()).toEqual({ "copy/plan.html": "all", "plan.html": [["group:board"]] })
  write(".fossick-readers.yaml", "allow: [group:board]\n")
  await run()
  rmSync(join(folder.path, ".fossick-readers.yaml"))
  write("copy/.fossick-readers.yaml", "allow: [group:copies]\n")
  expect(await run()).toEqual({ "copy/plan.html": [["group:copies"]], "plan.html": "all" })
})
