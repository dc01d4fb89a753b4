import { expect, test, vi } from "vitest"

import { readSettings } from "#base/settings.ts"
import { type Page, type PageUrl, withSources } from "#engine"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { crawlerSettings } from "../../settings.ts"
import type { SourceSpec } from "../../source.ts"
import { Sources } from "../../sources/sources.ts"
import { openDataFolder } from "../../testing/data-folder.ts"
import { runSource } from "../../testing/run-source.ts"
import { type Answer, article, html, redirect, startTestSite, status } from "../../testing/test-site.ts"
import { Rereader } from "./rereader.ts"

const AT_ONCE = { maxAgeMs: 0, signal: new AbortController().signal }
const WITHIN_THE_HOUR = { ...AT_ONCE, maxAgeMs: 3_600_000 }

/** A site that was crawled into an index as the source `garden`, and the rereader for its pages. */
async function crawled(
  opened: AsyncDisposableStack,
  answers: Readonly<Record<string, Answer>>,
  spec: Partial<SourceSpec> = {},
) {
  const { db, engine } = await openDataFolder(opened)
  const site = opened.use(await startTestSite(answers))
  const jobs = new Jobs(db)
  const sources = new Sources(db, jobs)
  await sources.put({ name: "garden", seeds: [site.url("/")], ...spec })
  await runSource("garden", db, engine)
  const config = readSettings(crawlerSettings, { FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8" })
  const problems: unknown[] = []
  const rereader = opened.use(
    new Rereader({ db, jobs, config, onProblem: (_, error) => problems.push(error) }),
  )
  const known = new KnownAddresses(db)
  return {
    site,
    sources,
    rereader,
    problems,
    held: async (path: string): Promise<Page> => (await engine.get(site.url(path) as PageUrl))!,
    isDue: async (path: string) => (await known.get(site.url(path) as PageUrl))!.dueAt === 0,
  }
}

test("a page is the same, changed or gone, and the next run visits it soon unless it is the same", async () => {
  await using opened = new AsyncDisposableStack()
  const { site, rereader, held, isDue } = await crawled(opened, {
    "/": article("Garden", { links: ["/roses", "/tulips", "/lilies", "/ferns", "/moss"] }),
    "/roses": article("Roses", { text: "Roses are pruned in winter." }),
    "/tulips": article("Tulips", { text: "Tulips are planted in autumn." }),
    "/lilies": article("Lilies", { text: "Lilies like their feet in the shade." }),
    "/ferns": article("Ferns", { text: "Ferns unroll in spring." }),
    "/moss": article("Moss", { text: "Moss grows where nothing else does." }),
  })
  site.serve({
    "/tulips": article("Tulips", { text: "Tulips are lifted in June now." }),
    "/lilies": status(404),
    "/ferns": redirect("http://elsewhere.example/"),
    "/moss": status(503),
  })
  const read = async (path: string) => await rereader.read(await held(path), AT_ONCE)
  expect(await read("/roses")).toEqual({ kind: "same", at: expect.any(Date) })
  expect(await read("/tulips")).toMatchObject({
    kind: "changed",
    page: { title: "Tulips", source: "garden", markdown: expect.stringContaining("lifted in June") },
  })
  expect(await read("/lilies")).toMatchObject({ kind: "gone", end: { status: 404 } })
  expect(await read("/ferns")).toMatchObject({ kind: "gone", end: { because: "out-of-scope" } })
  expect((await read("/moss")).kind).toBe("unread")
  const due: string[] = []
  for (const path of ["/roses", "/tulips", "/lilies", "/ferns", "/moss"])
    if (await isDue(path)) due.push(path)
  expect(due).toEqual(["/tulips", "/lilies", "/ferns"])
  expect((await held("/tulips")).markdown).toContain("planted in autumn")
})

test("a reading is cached for as long as the caller allows", async () => {
  await using opened = new AsyncDisposableStack()
  const { site, rereader, held } = await crawled(opened, { "/": article("Garden", { text: "Roses only." }) })
  site.serve({ "/": article("Garden", { text: "Roses, and now tulips." }) })
  const visits = () => site.requests.filter((path) => path === "/").length
  const page = await held("/")
  const first = await rereader.read(page, AT_ONCE)
  const before = visits()
  expect(await rereader.read(page, WITHIN_THE_HOUR)).toEqual(first)
  // By then, the index contains the changed page.
  const crawledSince = { ...(first.kind === "changed" ? first.page : page) }
  expect((await rereader.read(crawledSince, WITHIN_THE_HOUR)).kind).toBe("same")
  expect(visits()).toBe(before)
  await rereader.read(page, AT_ONCE)
  expect(visits()).toBe(before + 1)
})

test("robots.txt and noindex apply as in a run", async () => {
  await using opened = new AsyncDisposableStack()
  const { site, rereader, held } = await crawled(opened, {
    "/": article("Garden", { links: ["/private", "/hidden"] }),
    "/private": article("Private", { text: "The shed is behind the hedge." }),
    "/hidden": article("Hidden", { text: "The key is under the pot." }),
  })
  site.serve({
    "/robots.txt": html("User-agent: *\nDisallow: /private", { "content-type": "text/plain" }),
    "/hidden": html(
      '<html><head><meta name="robots" content="noindex"></head><body><p>No.</p></body></html>',
    ),
  })
  const before = site.requests.length
  const because = async (path: string) => {
    const now = await rereader.read(await held(path), AT_ONCE)
    return now.kind === "gone" && now.end.kind === "skipped" ? now.end.because : now
  }
  expect([await because("/private"), await because("/hidden")]).toEqual(["robots", "noindex"])
  expect(site.requests.slice(before)).toEqual(["/robots.txt", "/hidden"])
})

test("a page behind a login is read with its source's login, and no other", async () => {
  await using opened = new AsyncDisposableStack()
  vi.stubEnv("GARDEN_PASSWORD", "secret")
  opened.defer(() => void vi.unstubAllEnvs())
  const expected = `Basic ${Buffer.from("gardener:secret").toString("base64")}`
  const behindLogin =
    (text: string): Answer =>
    (request, response) =>
      (request.headers.authorization === expected
        ? html(`<html><body><main><h1>Shed</h1><p>${text}</p></main></body></html>`)
        : status(401))(request, response)
  const login = { kind: "basic", user: "gardener", password: "${GARDEN_PASSWORD}" } as const
  const { site, sources, rereader, held, problems } = await crawled(
    opened,
    { "/": behindLogin("The spade hangs on the left wall.") },
    { login },
  )
  site.serve({ "/": behindLogin("The spade hangs on the right wall.") })
  const page = await held("/")
  expect(await rereader.read(page, AT_ONCE)).toMatchObject({
    kind: "changed",
    page: { markdown: expect.stringContaining("right wall") },
  })
  expect(await rereader.readLive(page, {})).toMatchObject({
    kind: "read",
    reading: { extracted: { markdown: expect.stringContaining("right wall") } },
  })
  expect(await rereader.read(withSources(page, ["other"]), WITHIN_THE_HOUR)).toEqual({
    kind: "refused",
    because: "its source no longer exists",
  })
  // Changed sources are read with their current settings.
  await sources.put({ name: "garden", seeds: [site.url("/")], login: { ...login, user: "stranger" } })
  const because = "the site did not accept the login of its source"
  expect(await rereader.read(page, AT_ONCE)).toEqual({ kind: "refused", because })
  expect(problems).toEqual([expect.objectContaining({ name: "LoginError" })])
  expect(await rereader.readLive(page, {})).toMatchObject({ kind: "failed", detail: because })
  // Without a login, anyone can read the page.
  await sources.put({ name: "garden", seeds: [site.url("/")] })
  expect(await rereader.readLive(page, {})).toBeNull()
})

test("a caller whose time is up gets an answer at once, and holds up no other", async () => {
  await using opened = new AsyncDisposableStack()
  const { rereader, held, site } = await crawled(opened, { "/": article("Garden", { text: "Roses." }) })
  const page = await held("/")
  const before = site.requests.length
  const late = await rereader.read(page, { maxAgeMs: 0, signal: AbortSignal.abort() })
  expect(late).toMatchObject({ kind: "unread", end: { because: "cancelled" } })
  expect(site.requests).toHaveLength(before)
  expect((await rereader.read(page, AT_ONCE)).kind).toBe("same")
})
