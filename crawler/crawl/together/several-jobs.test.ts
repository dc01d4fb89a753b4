import { pino } from "pino"
import { expect, test } from "vitest"
import type { PageUrl } from "#engine"
import { KnownAddresses } from "../frontier/known-addresses.ts"
import type { Resolve } from "../../fetch/guard/address-guard.ts"
import type { JobState } from "../../job.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { type Answer, article, html, startTestSite, status } from "../../testing/test-site.ts"
import { CrawlShare } from "./crawl-share.ts"
import { JobRuns } from "./job-runs.ts"
import { defineSource, type SourceSpec } from "../../source.ts"

type Config = Parameters<typeof testConfig>[0]

/** Works on one job of each source, all in this process. @returns how they ended, in order. */
async function crawlAll(
  fixture: CrawlFixture,
  sources: readonly SourceSpec[],
  settings: Config = {},
  resolve?: Resolve,
): Promise<(JobState | undefined)[]> {
  const { db, jobs, engine } = fixture
  const config = testConfig(settings)
  const ids = await Promise.all(sources.map(async (source) => (await jobs.enqueue(defineSource(source))).id))
  await using share = new CrawlShare(config)
  const log = pino({ level: "silent" })
  const { signal } = new AbortController()
  const runs = new JobRuns({ db, jobs, engine, config, log, signal, share, ...(resolve && { resolve }) })
  for (await runs.begin(); runs.promises.length > 0; await runs.begin()) await Promise.race(runs.promises)
  return await Promise.all(ids.map(async (id) => (await jobs.get(id))?.state))
}

/** A site that records when its requests begin and end. */
function watched(pages: readonly string[], answerMs = 5) {
  const spans: { path: string; from: number; to: number }[] = []
  let open = 0
  let most = 0
  const watch =
    (answer: Answer): Answer =>
    async (request, response) => {
      const from = performance.now()
      most = Math.max(most, (open += 1))
      await new Promise((done) => setTimeout(done, answerMs))
      open -= 1
      spans.push({ path: request.url ?? "", from, to: performance.now() })
      if (typeof answer === "string") html(answer)(request, response)
      else await answer(request, response)
    }
  const answers: Record<string, Answer> = {
    "*": watch((_, response) => void response.writeHead(404).end()),
  }
  for (const path of pages) {
    const folder = path.slice(0, path.indexOf("/", 1) + 1)
    const links = pages.filter((one) => one.startsWith(folder) && one !== path)
    answers[path] = watch(article(`Harbour ${path}`, { links }))
  }
  return { answers, spans, mostAtOnce: () => most }
}

/** Two sources on one external host, each with four pages. */
async function twoOnOneHost(settings: Config, extra: Readonly<Record<string, Answer>> = {}) {
  await using fixture = await CrawlFixture.open()
  const pages = ["north", "south"].flatMap((part) => ["", "1", "2", "3"].map((page) => `/${part}/${page}`))
  const watch = watched(pages)
  await using site = await startTestSite({ ...watch.answers, ...extra })
  const { port } = new URL(site.origin)
  const sources = ["north", "south"].map((name) => ({
    name,
    seeds: [`http://docs.example:${port}/${name}/`],
    scope: "prefix" as const,
  }))
  const resolve: Resolve = (_, __, callback) => {
    callback(null, [{ address: "127.0.0.1", family: 4 }])
  }
  expect(await crawlAll(fixture, sources, settings, resolve)).toEqual(["finished", "finished"])
  expect((await fixture.engine.stats()).pages).toBe(pages.length)
  const { spans } = watch
  // Both jobs were running at the same time.
  const jobs = await fixture.jobs.list()
  const lastBegin = Math.max(...jobs.map(({ startedAt }) => startedAt!.getTime()))
  expect(Math.min(...jobs.map(({ endedAt }) => endedAt!.getTime()))).toBeGreaterThan(lastBegin)
  const gaps = spans.slice(1).map(({ from }, at) => from - spans[at]!.to)
  return { mostAtOnce: watch.mostAtOnce(), leastPause: Math.min(...gaps), gaps, spans }
}

test("two sources on one host share its pace: never two requests at once, and a pause after each", async () => {
  const { mostAtOnce, leastPause } = await twoOnOneHost({ FOSSICK_HOST_DELAY_MS: "60" })
  expect(mostAtOnce).toBe(1)
  expect(leastPause).toBeGreaterThan(55)
})

test("a Crawl-delay in a site's robots.txt applies to all sources on it", async () => {
  const robots = html("User-agent: *\nCrawl-delay: 0.08")
  const settings = { FOSSICK_HOST_DELAY_MS: "1", FOSSICK_HOST_CONCURRENCY: "4" } as const
  const { mostAtOnce, gaps } = await twoOnOneHost(settings, { "/robots.txt": robots })
  expect(mostAtOnce).toBeLessThanOrEqual(2)
  // The first gaps are left out, because each source may be at its first page before the other has read one.
  expect(Math.min(...gaps.slice(2))).toBeGreaterThan(75)
})

test("when a site asks one source to come back later, the others leave it alone too", async () => {
  let busyAt = 0
  const busy: Answer = (request, response) => {
    if (busyAt > 0)
      return html(article("North", { links: ["/north/1", "/north/2", "/north/3"] }))(request, response)
    busyAt = performance.now()
    return status(503, { "retry-after": "2" })(request, response)
  }
  const { spans } = await twoOnOneHost({ FOSSICK_HOST_DELAY_MS: "1" }, { "/north/": busy })
  const after = spans.filter(({ path, from }) => /^\/(?:north|south)\//.test(path) && from > busyAt)
  expect(after.some(({ path }) => path.startsWith("/south/"))).toBe(true)
  expect(Math.min(...after.map(({ from }) => from)) - busyAt).toBeGreaterThan(1900)
})

test("a page that may kill the process is read alone, with no other page of any job beside it", async () => {
  await using fixture = await CrawlFixture.open()
  const { db, jobs } = fixture
  const suspect = "/south/suspect"
  const north = Array.from({ length: 40 }, (_, page) => `/north/${page}`)
  const { answers, spans, mostAtOnce } = watched(["/north/", ...north, "/south/", suspect, "/south/last"])
  await using site = await startTestSite(answers)
  const [one, other] = ["north", "south"].map((name): SourceSpec => ({
    name,
    seeds: [site.url(`/${name}/`)],
    scope: "prefix",
  }))
  // The state that the previous run left behind.
  const before = await jobs.enqueue(defineSource(other!))
  await jobs.start(before.id)
  const url = site.url(suspect) as PageUrl
  await new KnownAddresses(db).record(before, [{ url, outcome: "failed:crashed", detail: null }])
  await jobs.end(before.id, "finished")

  expect(await crawlAll(fixture, [one!, other!], { FOSSICK_JOBS: "2" })).toEqual(["finished", "finished"])
  const at = spans.findIndex(({ path }) => path === suspect)
  const { from, to } = spans[at]!
  // Robots.txt and lists such as llms.txt are not pages, and may be read at the same time.
  const pages = spans.filter(({ path }) => /^\/(?:north|south)\//.test(path))
  expect(pages.filter((span) => span.from < to && from < span.to)).toEqual([spans[at]])
  // Other visits did overlap, so the page was not alone by chance.
  expect(mostAtOnce()).toBeGreaterThan(1)
  for (const part of [spans.slice(0, at), spans.slice(at + 1)])
    expect(part.some(({ path }) => path.startsWith("/north/"))).toBe(true)
})

test("jobs never exceed the number of slots, and each source runs one at a time", async () => {
  await using fixture = await CrawlFixture.open()
  const names = ["a", "b", "c", "d"]
  const { answers, spans } = watched(
    names.flatMap((name) => [`/${name}/`, `/${name}/1`]),
    30,
  )
  await using site = await startTestSite(answers)
  const source = (name: string): SourceSpec => ({ name, seeds: [site.url(`/${name}/`)], scope: "prefix" })
  // The same source, requested in two different spellings.
  const twice = { ...source("a"), limits: { pages: 5 } }
  const states = await crawlAll(fixture, [source("a"), twice, ...names.slice(1).map(source)], {
    FOSSICK_JOBS: "2",
  })
  expect(states).toEqual(Array.from({ length: 5 }, () => "finished"))
  const jobs = (await fixture.jobs.list()).toReversed()
  const atOnce = (time: number) =>
    jobs.filter(({ startedAt, endedAt }) => startedAt!.getTime() <= time && time < endedAt!.getTime())
  for (const { startedAt } of jobs) {
    const running = atOnce(startedAt!.getTime())
    expect(running.length).toBeLessThanOrEqual(2)
    expect(new Set(running.map((job) => job.source.name)).size).toBe(running.length)
  }
  expect(jobs.some(({ startedAt }) => atOnce(startedAt!.getTime()).length === 2)).toBe(true)
  expect(spans.filter(({ path }) => path === "/a/")).toHaveLength(2)
})

test("your own host is read without pauses or Crawl-delay, but robots.txt rules still apply", async () => {
  await using fixture = await CrawlFixture.open()
  const pages = ["/a/1", "/a/2", "/a/3"]
  const { answers } = watched(["/a/", ...pages, "/a/secret"])
  // No page is answered until a second one has been requested.
  let asked = 0
  const another = Promise.withResolvers<void>()
  const together = (answer: Answer): Answer => {
    return async (request, response) => {
      if ((asked += 1) > 1) another.resolve()
      await another.promise
      await (answer as Exclude<Answer, string>)(request, response)
    }
  }
  for (const page of pages) answers[page] = together(answers[page]!)
  const robots = html("User-agent: *\nCrawl-delay: 60\nDisallow: /a/secret")
  await using site = await startTestSite({ ...answers, "/robots.txt": robots })
  const { port } = new URL(site.origin)
  const resolve: Resolve = (_, __, callback) => {
    callback(null, [{ address: "127.0.0.1", family: 4 }])
  }
  const source = { seeds: [`http://docs.example:${port}/a/`], scope: "prefix" as const }
  // If requests were a minute apart, or pages were requested one at a time, this test would not end.
  const settings = { FOSSICK_OWN_HOSTS: "*.example", FOSSICK_HOST_DELAY_MS: "60000" }
  expect(await crawlAll(fixture, [source], settings, resolve)).toEqual(["finished"])
  expect((await fixture.jobs.list())[0]?.outcomes).toEqual({ indexed: 4, "skipped:robots": 1 })
  expect(asked).toBe(pages.length)
  expect(site.requests).not.toContain("/a/secret")
})

test("a failed job does not end the others", async () => {
  await using fixture = await CrawlFixture.open()
  const { answers } = watched(["/a/", "/a/1", "/b/", "/b/1"], 30)
  await using site = await startTestSite(answers)
  const source = (name: string): SourceSpec => ({ name, seeds: [site.url(`/${name}/`)], scope: "prefix" })
  const broken = { ...source("broken"), caFile: `${fixture.folder}/missing.pem` }
  const states = await crawlAll(fixture, [source("a"), broken, source("b")])
  expect(states).toEqual(["finished", "failed", "finished"])
  expect((await fixture.jobs.list({ source: "broken" }))[0]?.reason).toContain("missing.pem")
  expect((await fixture.engine.stats()).pages).toBe(4)
})
