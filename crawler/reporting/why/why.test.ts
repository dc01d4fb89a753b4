import { describe, expect, test } from "vitest"
import { type Engine, type PageUrl, toPageUrl } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { Removals } from "../../upkeep/removals/removals.ts"
import { runJob } from "../../crawl/run-job.ts"
import type { SourceSpec } from "../../source.ts"
import { Sources } from "../../sources/sources.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { shareFor, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { article, redirect, startTestSite, status, textFile } from "../../testing/test-site.ts"
import { type Trace, tracePage } from "./trace.ts"
import type { Step, StepName } from "./step.ts"
import { whyText } from "../../commands/why/why-text.ts"

/** State, a real index and the crawls of one test. */
async function openFixture() {
  const folder = temporaryFolder()
  const db = await openStateStore(folder.path)
  const jobs = new Jobs(db)
  const engine: Engine = await EmbeddedEngine.open({
    dir: `${folder.path}/index`,
    mode: "write",
    embedder: new HashingEmbedder(),
  })
  const parts = { db, jobs, sources: new Sources(db, jobs), removals: new Removals(db), engine }
  return {
    ...parts,
    parts,
    async crawl(spec: SourceSpec & { readonly name: string }) {
      await parts.sources.put(spec)
      const job = (await parts.sources.run(spec.name))!
      const config = testConfig()
      await runJob(job.id, {
        db,
        jobs,
        engine,
        config,
        share: shareFor(config),
        signal: new AbortController().signal,
        whenAborted: "queued",
      })
      return (await jobs.get(job.id))!
    },
    why: (url: string, query?: string) => tracePage(toPageUrl(url)!, parts, query),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

function step(trace: Trace, name: StepName): Step | undefined {
  return trace.steps.find((one) => one.name === name)
}

/** Records an alias, as a crawl does when it finds the page at another address. */
async function setAlias(db: StateStore, url: string, of: string): Promise<void> {
  await statement(
    db,
    "insert into page_alias (url, source, of, evidence) values (?, 'docs', ?, 'same text')",
  ).run(url, of)
}

describe("why", () => {
  test("follows a page from the link that named it to its vectors and its next visit", async () => {
    await using fixture = await openFixture()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/pumps"] }),
      "/pumps": article("Pumps"),
    })
    const job = await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
    await fixture.engine.settled()
    const trace = await fixture.why(site.url("/pumps"))
    expect(trace).toMatchObject({ inIndex: true, summary: "It is in the index." })
    expect(trace.steps.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["source", "yes"],
      ["found", "yes"],
      ["robots", "yes"],
      ["outcome", "yes"],
      ["text", "yes"],
      ["index", "yes"],
      ["visits", "note"],
    ])
    expect(step(trace, "found")!.text).toContain(`linked from ${site.url("/")}, 1 link from a seed`)
    expect(step(trace, "outcome")!.facts).toMatchObject({ outcome: "indexed", job_id: job.id })
    expect(step(trace, "text")!.facts).toMatchObject({ title: "Pumps", language: "en" })
    const { passages, vectors } = step(trace, "index")!.facts
    expect(passages).toBe(vectors)
    expect(step(trace, "visits")!.text).toContain("docs has no schedule")
    expect((await fixture.why(site.url("/"))).steps[1]!.text).toContain("it is a seed")
    expect(whyText(trace).split("\n")).toHaveLength(trace.steps.length + 4)
  })

  test("gives the reason that kept a visited page out", async () => {
    await using fixture = await openFixture()
    const links = ["/private/x", "/gone", "/quiet", "/copy", "/moved", "/picture"]
    await using site = await startTestSite({
      "/robots.txt": textFile("User-agent: *\nDisallow: /private/"),
      "/": article("Home", { links: [...links, "/original"] }),
      "/gone": status(404),
      "/quiet": article("Quiet", { head: '<meta name="robots" content="noindex">' }),
      "/original": article("Original"),
      "/copy": article("Copy", { head: '<link rel="canonical" href="/original">' }),
      "/moved": redirect("/original"),
      "/picture": (_, response) => {
        response.writeHead(200, { "content-type": "image/png" }).end("x")
      },
    })
    await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
    const summary = async (path: string) => (await fixture.why(site.url(path))).summary
    expect(await summary("/private/x")).toContain("robots.txt")
    expect(await summary("/gone")).toContain("404")
    expect(await summary("/quiet")).toContain("asks not to be indexed")
    expect(await summary("/picture")).toContain("image/png")
    for (const path of ["/copy", "/moved"]) {
      const trace = await fixture.why(site.url(path))
      expect(trace.inIndex).toBe(false)
      expect(step(trace, "duplicates")).toMatchObject({
        verdict: "no",
        text: expect.stringMatching(
          `^it is a duplicate of ${site.url("/original")}.*, which is in the index$`,
        ),
      })
    }
  })

  test("names the other addresses of a page, including those that no run visits", async () => {
    await using fixture = await openFixture()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/page", "/page?utm_source=mail"] }),
      "/page": article("Page"),
    })
    await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
    await setAlias(fixture.db, site.url("/print/page"), site.url("/page"))
    const page = await fixture.why(site.url("/page"))
    expect(step(page, "duplicates")!.facts["stands_for"]).toContain(site.url("/print/page"))
    const other = await fixture.why(site.url("/print/page"))
    expect(step(other, "found")!.text).toContain(`another address of ${site.url("/page")}`)
    expect(other.summary).toContain(
      `it is a duplicate of ${site.url("/page")} (same text), which is in the index`,
    )
  })

  test("names a page whose scripts may add links when no link to an address is known", async () => {
    await using fixture = await openFixture()
    const home = article("Home", { head: `<script src="/tree.js"></script>` })
    await using site = await startTestSite({ "/": home.replace("<main>", `<div role="tree"></div><main>`) })
    await fixture.crawl({ name: "docs", seeds: [site.url("/")], rendering: "http" })
    expect(step(await fixture.why(site.url("/child")), "found")!.text).toContain(
      `scripts may add links on ${site.url("/")}, which was read without a browser`,
    )
    expect(step(await fixture.why(site.url("/")), "outcome")!.text).toContain("may lack its links")
  })

  test("explains why no run has seen an address", async () => {
    await using fixture = await openFixture()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a/", "/deep/1", "/draft/2"] }),
      "/a/": article("A"),
      "/deep/1": article("Deep", { links: ["/deep/2"] }),
    })
    const found = async (url: string) => (await fixture.why(url)).steps.map(({ text }) => text).join("\n")
    expect(await found(site.url("/nowhere"))).toContain("there are no sources yet")

    await fixture.sources.put({
      name: "docs",
      seeds: [site.url("/")],
      exclude: ["/draft/**"],
      limits: { depth: 1 },
    })
    expect(await found(site.url("/nowhere"))).toContain("docs has never run")
    await fixture.crawl({
      name: "docs",
      seeds: [site.url("/")],
      exclude: ["/draft/**"],
      limits: { depth: 1 },
    })
    expect(await found(site.url("/deep/2"))).toContain(
      `docs found a link to it on ${site.url("/deep/1")}, 2 steps from a seed: deeper than its depth of 1`,
    )
    expect(await found(site.url("/nowhere"))).toContain("found no link to it within 1 step")
    expect(await found(site.url("/draft/2"))).toContain('docs excludes it with "/draft/**"')
    expect(await found(site.url("/a"))).toContain(`only as ${site.url("/a/")}, which is in the index`)
    expect(await found("https://elsewhere.example/")).toContain("no source covers elsewhere.example")

    await fixture.sources.put({ name: "docs", seeds: [site.url("/")], limits: { depth: 2 } })
    expect(await found(site.url("/deep/2"))).toContain(
      "docs has had different rules since job 1: its next run may find it",
    )
    expect(await found(site.url("/draft/2"))).toContain(
      "docs has had different rules since job 1: its next run may find it",
    )

    await fixture.crawl({ name: "docs", seeds: [site.url("/")], include: ["/a/**"], limits: { pages: 2 } })
    expect(await found(site.url("/a/none"))).toContain("reached its limit of 2 pages")
    expect(await found(site.url("/b/none"))).toContain('docs includes only "/a/**"')
  })

  test("reports that an address is waiting for its visit", async () => {
    await using fixture = await openFixture()
    const url = "http://127.0.0.1:9/page" as PageUrl
    const { source } = await fixture.sources.put({ name: "docs", seeds: ["http://127.0.0.1:9/"] })
    const { id } = await fixture.jobs.enqueue(source)
    await statement(
      fixture.db,
      `insert into crawl_url (job, url, host, depth, priority, due, found_how, found_on)
         values (?, ?, '127.0.0.1:9', 1, 0, 0, 'link', 'http://127.0.0.1:9/')`,
    ).run(id, url)
    const trace = await fixture.why(url)
    expect(step(trace, "found")!.text).toContain(`it is waiting to be visited in job ${id} of docs (queued)`)
  })

  test("reports a page's removal, with the evidence and until when it can be restored", async () => {
    await using fixture = await openFixture()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/a", "/b"] }),
      "/a": article("Alpha"),
      "/b": article("Beta"),
    })
    const source = { name: "docs", seeds: [site.url("/")], removal: { maxShare: 1 } }
    await fixture.crawl(source)
    site.serve({ "/a": status(410), "/b": status(404) })
    await fixture.crawl(source)
    const gone = await fixture.why(site.url("/a"))
    expect(gone.inIndex).toBe(false)
    expect(gone.summary).toMatch(
      /it was removed on .*410.*; until .*, fossick removals restore can restore it/,
    )
    const struck = await fixture.why(site.url("/b"))
    expect(struck.inIndex).toBe(true)
    expect(step(struck, "removal")!.text).toContain("1 strike against it")
  })

  test("gives the page's rank for a query, with its parts", async () => {
    await using fixture = await openFixture()
    await using site = await startTestSite({
      "/": article("Home", { links: ["/pumps", "/bread"] }),
      "/pumps": article("Pumps", { text: "A pump moves water uphill. Pumps need oil and care. ".repeat(4) }),
      "/bread": article("Bread", {
        text: "Flour, yeast and water make bread. Bake it for an hour. ".repeat(4),
      }),
    })
    await fixture.crawl({ name: "docs", seeds: [site.url("/")] })
    await fixture.engine.settled()
    const first = await fixture.why(site.url("/pumps"), "how do pumps move water")
    expect(step(first, "rank")!.facts).toMatchObject({ rank: 1, parts: { lexical: expect.any(Number) } })
    expect(first.summary).toContain("number 1")
    const other = await fixture.why(site.url("/bread"), "how do pumps move water -yeast")
    expect(step(other, "rank")).toMatchObject({ verdict: "no", facts: { rank: null } })
  })
})
