import { expect, test, vi } from "vitest"
import { runJob } from "../../crawl/run-job.ts"
import type { Job } from "../../job.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { CrawlFixture, shareFor, testConfig } from "../../testing/crawl-fixture.ts"
import { type Answer, article, html, startTestSite, status, type TestSite } from "../../testing/test-site.ts"

// Tests runs over a real site, from the first request to the result that its operator sees.

const NAMES = Array.from({ length: 20 }, (_, index) => `/page-${index}`)
const SITE: Readonly<Record<string, Answer>> = {
  "/": article("Home", { links: NAMES }),
  ...Object.fromEntries(NAMES.map((path) => [path, article(`Harbour ${path}`)])),
}

async function run(fixture: CrawlFixture, site: TestSite, spec: Partial<SourceSpec> = {}): Promise<Job> {
  const { db, jobs, engine } = fixture
  const source = defineSource({ name: "docs", seeds: [site.url("/")], rendering: "http", ...spec })
  const { id } = await jobs.enqueue(source, { trigger: "run" })
  const config = testConfig({ FOSSICK_FETCH_CONCURRENCY: "1", FOSSICK_MAX_WAIT_MS: "20" })
  const job = await runJob(id, {
    db,
    jobs,
    engine,
    config,
    signal: new AbortController().signal,
    whenAborted: "paused",
    share: shareFor(config),
  })
  return job!
}

test("a run without problems is finished, and counts its changes", async () => {
  await using site = await startTestSite(SITE)
  await using fixture = await CrawlFixture.open()
  expect(await run(fixture, site)).toMatchObject({
    state: "finished",
    result: "finished",
    reason: null,
    changes: { new: 21, changed: 0, gone: 0 },
  })
  site.serve({ "/page-3": article("Harbour three, all of it written anew") })
  expect(await run(fixture, site)).toMatchObject({
    result: "finished",
    changes: { new: 0, changed: 1, gone: 0 },
  })
})

test("lost pages give a run problems, and dead links do not", async () => {
  const dead = NAMES.slice(0, 12).map((path) => `${path}-that-never-was`)
  await using site = await startTestSite({ ...SITE, "/": article("Home", { links: [...NAMES, ...dead] }) })
  await using fixture = await CrawlFixture.open()
  expect(await run(fixture, site)).toMatchObject({
    result: "finished",
    outcomes: { "failed:http-status": 12 },
  })
  const gone = NAMES.slice(0, 6)
  site.serve(Object.fromEntries(gone.map((path) => [path, status(404)])))
  const first = await run(fixture, site)
  expect(first).toMatchObject({
    state: "finished",
    result: "finished-with-problems",
    reason: "29% of its pages have gone since the last run: 6 of 21 answered 404 or 410",
  })
  expect((await fixture.jobs.events(first.id)).at(-1)).toMatchObject({
    level: "warn",
    text: "finished with problems: 29% of its pages have gone since the last run: 6 of 21 answered 404 or 410",
  })
  // From the second run on, missing pages are no longer new, and wait for a decision.
  expect(await run(fixture, site)).toMatchObject({
    result: "finished-with-problems",
    reason: "6 pages seem to be gone and are waiting for your decision: run fossick removals",
  })
})

test("a run whose only seed fails, is noindex or disallowed has failed, even though it completed", async () => {
  await using site = await startTestSite({
    "/robots.txt": "User-agent: *\nDisallow: /closed",
    "/closed": article("Closed"),
    "/private": html('<meta name="robots" content="noindex"><p>Not for searches, and no word of it.'),
    "/broken": status(500),
    "/busy": status(503),
  })
  await using fixture = await CrawlFixture.open()
  for (const [path, reason] of [
    ["/closed", "the only seed is disallowed by robots.txt"],
    ["/private", "the only seed asks not to be indexed (noindex)"],
    ["/broken", "the only seed failed"],
    ["/busy", `the only seed asked to come back later: ${site.url("/busy")}: the site answered 503, until`],
  ]) {
    const job = await run(fixture, site, { seeds: [site.url(path!)], name: path!.slice(1) })
    expect(job).toMatchObject({
      state: "finished",
      result: "failed",
      error: null,
      reason: expect.stringContaining(`nothing was indexed: ${reason}`),
    })
  }
})

test("a rejected login is shown in the result, the reason and the log", async () => {
  await using site = await startTestSite({ "*": status(401) })
  await using fixture = await CrawlFixture.open()
  vi.stubEnv("READER_PASSWORD", "as the site does not have it")
  const job = await run(fixture, site, {
    login: { kind: "basic", user: "reader", password: "${READER_PASSWORD}" },
  })
  expect(job).toMatchObject({
    state: "failed",
    result: "failed",
    reason: `login: the site rejected the credentials: ${site.url("/")} answered 401`,
  })
  expect((await fixture.jobs.events(job.id)).at(-1)).toMatchObject({
    level: "error",
    text: `failed: ${job.reason}`,
  })
})

test("a run that reached its limit is fine and has a note; a cancelled one has no result", async () => {
  await using site = await startTestSite(SITE)
  await using fixture = await CrawlFixture.open()
  const job = await run(fixture, site, { limits: { pages: 5 } })
  expect(job).toMatchObject({ result: "finished", reason: null, note: expect.stringContaining("ended at") })
  const { id } = await fixture.jobs.enqueue(defineSource({ seeds: [site.url("/")] }))
  expect(await fixture.jobs.get(id)).toMatchObject({ result: null, reason: null })
  await fixture.jobs.cancel(id)
  expect(await fixture.jobs.get(id)).toMatchObject({ state: "cancelled", result: null, reason: null })
})

test("a host that was given up gives a run problems, and is named with its unread pages", async () => {
  const busy = Object.fromEntries(NAMES.map((path) => [path, status(429, { "retry-after": "0" })]))
  await using site = await startTestSite({ ...SITE, ...busy })
  await using fixture = await CrawlFixture.open()
  const job = await run(fixture, site)
  expect(job).toMatchObject({ state: "finished", result: "finished-with-problems" })
  expect(job.reason).toMatch(new RegExp(`^${site.authority} was given up with \\d+ addresses left: `))
})
