import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { PinnedNetworks } from "../fetch/guard/pinned-networks.ts"
import type { Job } from "../job.ts"
import type { PageUrl } from "#engine"
import { Removals } from "../upkeep/removals/removals.ts"
import { runJob } from "./run-job.ts"
import { Sources } from "../sources/sources.ts"
import { sourceStatus } from "../sources/source-status.ts"
import { listLines } from "../commands/sources/sources-text.ts"
import { defineSource, type SourceSpec } from "../source.ts"
import { CrawlFixture, shareFor, testConfig } from "../testing/crawl-fixture.ts"
import { FakeInternet, PUBLIC_ADDRESS } from "../testing/fake-internet.ts"
import { WebhookQueue } from "../reporting/webhooks/webhook-queue.ts"
import { tracePage } from "../reporting/why/trace.ts"
import { article, html, redirect, startTestSite, textFile, type TestSite } from "../testing/test-site.ts"

const HERE = "127.0.0.1"
const ELSEWHERE = "127.0.2.1"
const closing = { connection: "close" }

let site: TestSite
let fixture: CrawlFixture
let internet: FakeInternet
let port: string

beforeEach(async () => {
  fixture = await CrawlFixture.open()
  internet = new FakeInternet({})
  site = await startTestSite({ "/": article("Home", { links: ["/a"] }), "/a": article("A") })
  port = new URL(site.origin).port
})
afterEach(async () => {
  internet[Symbol.dispose]()
  await fixture[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const at = (host: string, path = "/") => `http://${host}:${port}${path}`

async function run(
  spec: Partial<SourceSpec>,
  options: Partial<Pick<Job, "trigger" | "author">> = {},
): Promise<Job> {
  const { db, jobs, engine } = fixture
  const source = defineSource({
    name: "docs",
    seeds: [at("docs.example")],
    rendering: "http",
    limits: { depth: 0 },
    ...spec,
  })
  const { id } = await jobs.enqueue(source, options)
  const config = testConfig({
    FOSSICK_ALLOWED_NETWORKS: "",
    FOSSICK_HOST_DELAY_MS: "0",
    FOSSICK_MAX_TRIES: "1",
  })
  const job = await runJob(id, {
    db,
    jobs,
    engine,
    config,
    share: shareFor(config),
    signal: new AbortController().signal,
    whenAborted: "queued",
    resolve: internet.resolve,
  })
  return job!
}

describe("a host whose name leads elsewhere in a later run", () => {
  test.each([
    ["from the internet into a private network", PUBLIC_ADDRESS, HERE, "public addresses", "127.0.0.0/24"],
    ["out of a private network", HERE, PUBLIC_ADDRESS, "127.0.0.0/24", "public addresses"],
    ["into another private network", HERE, ELSEWHERE, "127.0.0.0/24", "127.0.2.0/24"],
  ])("%s: nothing is read, and the job says why", async (_, before, after, was, is) => {
    internet.lead("docs.example", before)
    expect(await run({})).toMatchObject({ state: "finished", outcomes: { indexed: 1 } })
    const asked = site.requests.length

    internet.lead("docs.example", after)
    const moved = await run({ webhooks: [{ url: "https://hooks.example/" }] })
    expect(moved.state).toBe("failed")
    expect(moved.error).toMatch(/^docs\.example resolved to .+ and now resolves to .+ accept docs$/)
    expect(moved.error).toContain(was)
    expect(moved.error).toContain(is)
    expect(moved.note).toBe("stopped: docs.example moved to another network")
    expect(site.requests.length).toBe(asked)

    const queue = new WebhookQueue(fixture.db)
    await queue.collect()
    const [told] = await queue.due(new Set(), 1)
    expect(JSON.parse(told!.body)).toMatchObject({ data: { state: "failed", error: moved.error } })
    expect((await fixture.jobs.events(moved.id)).at(-1)?.text).toContain(moved.error)
    const { db, jobs } = fixture
    const sources = new Sources(db, jobs)
    const entry = await sources.put({ name: "docs", seeds: at("docs.example") }, "file")
    expect(listLines([entry], await sourceStatus({ db, jobs, engine: null }, ["docs"])).at(-1)).toBe(
      `docs: ${moved.reason}`,
    )
    const parts = { db, jobs, sources, removals: new Removals(db), engine: fixture.engine }
    const never = at("docs.example", "/never-visited") as PageUrl
    expect((await tracePage(never, parts)).summary).toContain(moved.error)

    internet.lead("docs.example", before)
    expect(await run({})).toMatchObject({ state: "finished", error: null, note: null })
  })

  test("is read again once the operator has accepted its new location", async () => {
    internet.lead("docs.example", PUBLIC_ADDRESS)
    await run({})
    internet.lead("docs.example", HERE)
    expect((await run({})).state).toBe("failed")
    await new PinnedNetworks(fixture.db).forget("docs")
    expect(await run({})).toMatchObject({ state: "finished", outcomes: { unchanged: 1 } })
  })

  test("may move inside its network, and between public addresses", async () => {
    internet.lead("docs.example", ["127.0.0.9", HERE])
    expect((await run({})).state).toBe("finished")
    internet.lead("docs.example", HERE)
    expect((await run({})).state).toBe("finished")
  })

  test("is read wherever it is when the operator named it", async () => {
    const named = { allowedNetworks: ["docs.example"] }
    internet.lead("docs.example", PUBLIC_ADDRESS)
    expect((await run(named)).state).toBe("finished")
    internet.lead("docs.example", HERE)
    expect((await run(named)).state).toBe("finished")
  })

  test("had no address in its first run: a scheduled run rejects a private one, a manual run accepts it", async () => {
    expect((await run({}, { trigger: "schedule" })).outcomes).toEqual({ "failed:dns": 1 })
    internet.lead("docs.example", HERE)
    const scheduled = await run({}, { trigger: "schedule" })
    expect(scheduled.error).toContain(
      "docs.example had no address in the first run and now resolves to the private",
    )
    expect(site.requests).toEqual([])
    expect(await run({}, { trigger: "command" })).toMatchObject({ outcomes: { indexed: 1 } })
  })
})

describe("a host whose name resolves elsewhere in the middle of a run", () => {
  test("ends the run: pages", async () => {
    site.serve({
      "/": (request, response) => {
        internet.lead("docs.example", ELSEWHERE)
        html(article("Home", { links: ["/a"] }), closing)(request, response)
      },
      "/robots.txt": html("", closing),
    })
    internet.lead("docs.example", HERE)
    const job = await run({ limits: { depth: 1 } })
    expect(job.error).toMatch(/now resolves to the private network 127\.0\.2\.0\/24/)
    expect(job.state).toBe("failed")
    expect(site.requests).not.toContain("/a")
  })

  test("ends the run: robots.txt", async () => {
    internet.lead("docs.example", PUBLIC_ADDRESS)
    const { resolve } = internet
    Object.assign(internet, {
      resolve: ((hostname, options, callback) => {
        resolve(hostname, options, callback)
        internet.lead("docs.example", HERE)
      }) satisfies FakeInternet["resolve"],
    })
    const job = await run({})
    // The check before the run comes first: not even robots.txt was requested.
    expect(job.state).toBe("failed")
    expect(site.requests).toEqual([])
  })
})

describe("links from a public site to a private host", () => {
  beforeEach(() => {
    internet.lead("docs.example", PUBLIC_ADDRESS)
    internet.lead("inside.example", HERE)
  })
  const inside = (path: string) => at("inside.example", path)

  test("are not followed, whether in redirects, links, sitemaps or feeds", async () => {
    site.serve({
      "/": article("Home", { links: ["/moved", inside("/linked")] }),
      "/moved": redirect(at("inside.example", "/redirected")),
      "/robots.txt": textFile(`Sitemap: ${inside("/named-sitemap.xml")}`),
      "/redirected": article("Secret"),
      "/linked": article("Secret"),
    })
    const job = await run({
      scope: "domain",
      limits: { depth: 2 },
      seeds: [at("docs.example")],
      sitemaps: [inside("/sitemap.xml")],
      feeds: [inside("/feed.xml")],
    })
    expect(job.state).toBe("finished")
    for (const path of ["/redirected", "/linked", "/named-sitemap.xml", "/sitemap.xml", "/feed.xml"])
      expect(site.requests).not.toContain(path)
  })

  test.each([
    [301, "moved"],
    [302, "redirects"],
  ])(
    "are named when the site itself answers with a %i to one, but not to API callers",
    async (code, word) => {
      site.serve({ "/": redirect(inside("/"), code) })
      const job = await run({ scope: "domain" })
      const detail = `${word} to ${inside("/")} (${code}): inside.example has no public address (127.0.0.1); allow it with FOSSICK_ALLOWED_NETWORKS`
      expect(await fixture.jobs.failures(job.id, 9)).toMatchObject([
        { outcome: "failed:blocked-address", detail },
      ])
      expect(job.reason).toContain(`${word} to ${inside("/")} (${code})`)

      const told = await run({ name: "told", scope: "domain" }, { author: "api" })
      expect(JSON.stringify([told, await fixture.jobs.events(told.id)])).not.toContain("inside.example")
    },
  )

  test("are not used for a login", async () => {
    process.env["MOVED_PASSWORD"] = "x"
    const login = {
      kind: "form",
      url: inside("/login"),
      fields: { pass: "${MOVED_PASSWORD}" },
      proof: null,
    } as const
    const job = await run({ login })
    expect(job.state).toBe("failed")
    expect(site.requests).not.toContain("/login")
    delete process.env["MOVED_PASSWORD"]
  })

  test("stop the run when a host that the seed redirected to has become private", async () => {
    site.serve({ "/": redirect(at("www.docs.example", "/a")) })
    internet.lead("www.docs.example", PUBLIC_ADDRESS)
    expect((await run({ scope: "domain" })).outcomes).toMatchObject({ indexed: 1 })
    internet.lead("www.docs.example", HERE)
    expect((await run({ scope: "domain" })).error).toContain("www.docs.example resolved to public addresses")
  })
})

describe("a source written with an admin key", () => {
  const byApi = { author: "api", trigger: "api" } as const

  test("reads no private host, whatever networks it names", async () => {
    internet.lead("docs.example", HERE)
    const job = await run({ allowedNetworks: ["0.0.0.0/0", "docs.example", "127.0.0.1"] }, byApi)
    expect(job.outcomes).toEqual({ "failed:blocked-address": 1 })
    expect(await run({ seeds: [site.url("/")] }, byApi)).toMatchObject({
      outcomes: { "failed:blocked-address": 1 },
    })
    expect(site.requests).toEqual([])
  })

  test("does not inherit what the operator's source of the same name may read", async () => {
    internet.lead("docs.example", HERE)
    expect((await run({})).outcomes).toEqual({ indexed: 1 })
    const asked = site.requests.length
    expect((await run({}, byApi)).outcomes).toEqual({ "failed:blocked-address": 1 })
    expect(site.requests.length).toBe(asked)
  })

  test("stops when its host moves, without revealing local networks", async () => {
    internet.lead("docs.example", PUBLIC_ADDRESS)
    expect((await run({}, byApi)).outcomes).toEqual({ indexed: 1 })
    internet.lead("docs.example", HERE)
    const { state, error } = await run({}, byApi)
    expect(state).toBe("failed")
    expect(error).toContain("now resolves to a private network; allow it with FOSSICK_ALLOWED_NETWORKS")
    expect(error).not.toContain("127.")
  })
})

test("a metadata service is never read, even when it is allowed by network or by name", async () => {
  for (const address of ["169.254.169.254", "fd00:ec2::254", "100.100.100.200"]) {
    internet.lead("docs.example", address)
    const job = await run({ allowedNetworks: ["0.0.0.0/0", "::/0", "docs.example"] })
    expect(job.outcomes).toEqual({ "failed:blocked-address": 1 })
    expect((await fixture.jobs.failures(job.id, 1))[0]?.detail).toContain("metadata service")
  }
})
