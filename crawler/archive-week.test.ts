import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zipSync } from "fflate"
import { expect, test } from "vitest"
import { fnv1a } from "#base/text/hash.ts"
import type { PageUrl } from "#engine"
import { writeWarc } from "#engine/lifecycle/move/warc/write-warc.ts"
import { madeBy, warcOf } from "./fetch/content/archive/testing/an-archive.ts"
import { runJob } from "./crawl/run-job.ts"
import type { Job } from "./job.ts"
import { defineSource, type SourceSpec } from "./source.ts"
import { CrawlFixture, shareFor, temporaryFolder, testConfig } from "./testing/crawl-fixture.ts"

const ADDRESS = "https://nas.example.com/handbook/"

/** A text whose words appear in this order in no other file. */
function text(name: string, edition = 1): string {
  const words =
    "lantern meadow copper river thunder garden bridge silver winter candle mountain letter".split(" ")
  let state = fnv1a(`${name} ${edition}`)
  const said = Array.from({ length: 60 }, () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return words[(state >>> 20) % words.length]
  })
  return `# ${name}, edition ${edition}\n\n${said.join(" ")}.`
}

/** An archive, and a crawler that crawls it. */
class Shelf implements AsyncDisposable {
  readonly #folder = temporaryFolder()
  readonly #fixture: CrawlFixture
  readonly #config = testConfig()
  readonly path: string
  readonly #seeds: readonly string[]

  static async open(name: string, seeds: readonly string[] = [ADDRESS]): Promise<Shelf> {
    return new Shelf(await CrawlFixture.open(), name, seeds)
  }

  private constructor(fixture: CrawlFixture, name: string, seeds: readonly string[]) {
    this.#fixture = fixture
    this.path = join(this.#folder.path, name)
    this.#seeds = seeds
  }

  /** Replaces the previous zip file with one of these texts. */
  pack(files: Readonly<Record<string, string>>): void {
    const packed = Object.entries(files).map(([name, one]) => [name, new TextEncoder().encode(one)])
    writeFileSync(`${this.path}.new`, zipSync(Object.fromEntries(packed) as Record<string, Uint8Array>))
    renameSync(`${this.path}.new`, this.path)
  }

  async run(more: Partial<SourceSpec> = {}): Promise<Job> {
    const { db, jobs, engine } = this.#fixture
    const source = defineSource({ name: "shelf", archive: this.path, seeds: this.#seeds, ...more })
    const { id } = await jobs.enqueue(source, { trigger: "schedule", visits: "due" })
    const job = await runJob(id, {
      db,
      jobs,
      engine,
      config: this.#config,
      signal: new AbortController().signal,
      whenAborted: "paused",
      share: shareFor(this.#config),
    })
    return job!
  }

  /** The contents of the index: the text of each page by its address. */
  get indexed(): Record<string, string> {
    const pages = [...this.#fixture.engine.pages].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(pages.map(([url, page]) => [url, page.markdown.trim()]))
  }

  get engine() {
    return this.#fixture.engine
  }

  get(url: string) {
    return this.#fixture.engine.pages.get(url as PageUrl)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#fixture[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}

const names = (count: number) =>
  Array.from({ length: count }, (_, number) => `part ${number % 3}/page ${number}.md`)
const files = (count: number) => Object.fromEntries(names(count).map((name) => [name, text(name)]))
const pages = (all: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(all).map(([name, one]) => [
      ADDRESS + name.split("/").map(encodeURIComponent).join("/"),
      one,
    ]),
  )

test("in an archive's week it is read, replaced, unavailable, truncated and restored, and the index follows without losses", async () => {
  await using shelf = await Shelf.open("handbook.zip")
  const first = files(20)
  shelf.pack(first)
  expect((await shelf.run()).state).toBe("finished")
  expect(shelf.indexed).toEqual(pages(first))

  // Nothing has changed, so no file is opened.
  expect(await shelf.run()).toMatchObject({ state: "finished", outcomes: {} })

  // One file changes, one disappears, one is added.
  const { "part 0/page 0.md": _, ...rest } = first
  const second = { ...rest, "part 1/page 1.md": text("page 1", 2), "new.md": text("new") }
  shelf.pack(second)
  expect(await shelf.run()).toMatchObject({ changes: { new: 1, changed: 1 } })
  expect(shelf.indexed).toEqual(pages(second))

  // The share is unavailable.
  const whole = readFileSync(shelf.path)
  rmSync(shelf.path)
  const away = await shelf.run()
  expect(away).toMatchObject({ state: "failed", error: expect.stringContaining("(ENOENT)") })
  expect(shelf.indexed).toEqual(pages(second))

  // The archive is being copied.
  writeFileSync(shelf.path, whole)
  truncateSync(shelf.path, whole.length - 100)
  expect((await shelf.run()).state).toBe("failed")
  shelf.pack({})
  expect((await shelf.run()).state).toBe("failed")
  expect(shelf.indexed).toEqual(pages(second))

  // Half of the files are missing, so the run waits until a person confirms that.
  shelf.pack(files(10))
  expect((await shelf.run()).note).toContain("too many to remove without your approval")
  expect(Object.keys(shelf.indexed)).toHaveLength(21)

  writeFileSync(shelf.path, whole)
  await shelf.run()
  expect(shelf.indexed).toEqual(pages(second))
})

test("pages of a WARC file keep their addresses, and only those below the seeds are read", async () => {
  await using shelf = await Shelf.open("crawl.warc.gz", ["http://www.iana.org/", "http://example.com/"])
  writeFileSync(
    shelf.path,
    Buffer.concat(
      ["example-wget-bad-target-uri.warc.gz", "made.warc.gz"].map((name) => readFileSync(madeBy(name))),
    ),
  )
  const job = await shelf.run()
  expect(job.state).toBe("finished")
  expect(Object.keys(shelf.indexed)).toEqual(["http://example.com/"])
  const page = shelf.get("http://example.com/")!
  expect(page.title).toBe("Example Domain")
  // The capture's date isn't the page's date.
  expect(page.publishedAt).toBe(null)
})

test("a WARC file exported by Fossick gives a source the same pages", async () => {
  await using shelf = await Shelf.open("crawl.warc.gz", ["http://a.example/"])
  const html = (name: string, more = "") =>
    `<html lang="en"><head><title>${name} &amp; more</title><meta name="description" content="About ${name}."><meta name="author" content="Ada">` +
    `<meta property="article:published_time" content="2020-02-03T04:05:06Z"></head><body><main><h1>${name}</h1><hr>${more}<p>${text(name)}</p>` +
    `<h2>Prices</h2><table><tr><th>Room</th><th>Price</th></tr><tr><td>A|B</td><td>90</td></tr></table><pre><code>a --b\n  c</code></pre></main></body></html>`
  const crawled = {
    "http://a.example/a?b=c": html("Hotels"),
    "http://a.example/ü/é.html": html("Züge", "<p>Größe 3</p>"),
  }
  writeFileSync(shelf.path, warcOf(crawled))
  await shelf.run()

  await using again = await Shelf.open("export.warc.gz", ["http://a.example/"])
  const parts: Buffer[] = []
  for await (const { bytes } of writeWarc(shelf.engine, { source: "shelf" })) parts.push(bytes)
  writeFileSync(again.path, Buffer.concat(parts))
  await again.run()
  const facts = (from: Shelf) =>
    Object.keys(from.indexed).map((url) => {
      const { images: _, fetchedAt: __, favicon: ___, anchors: ____, ...rest } = from.get(url)!
      return rest
    })
  expect(facts(shelf)).toHaveLength(2)
  expect(facts(again)).toEqual(facts(shelf))
  const page = again.get("http://a.example/a?b=c")
  expect(page).toMatchObject({ title: "Hotels", author: "Ada", description: "About Hotels." })
})

test("a truncated WARC file removes no page from the index, and one with newer captures updates it", async () => {
  await using shelf = await Shelf.open("crawl.warc.gz", ["http://a.example/"])
  const html = (name: string, edition = 1) =>
    `<title>${name}</title><h1>${name}</h1><p>${text(name, edition)}</p>`
  const all = Array.from({ length: 8 }, (_, number) => `http://a.example/page/${number}?of=8`)
  const whole = warcOf(Object.fromEntries(all.map((url) => [url, html(url)])))
  writeFileSync(shelf.path, whole)
  const removal = { maxShare: 1 }
  expect(await shelf.run({ removal })).toMatchObject({ state: "finished", outcomes: { indexed: 8 } })
  expect(Object.keys(shelf.indexed)).toEqual(all)
  const before = shelf.indexed

  const half = Object.fromEntries(all.slice(0, 4).map((url) => [url, html(url)]))
  writeFileSync(shelf.path, Buffer.concat([warcOf(half), whole.subarray(0, 100)]))
  const job = await shelf.run({ removal })
  expect(job.note).toContain("cut off or damaged")
  expect(shelf.indexed).toEqual(before)

  const [first, ...others] = all
  const newer = warcOf({ [first!]: html(first!, 2) }, "2026-02-02T00:00:00Z")
  writeFileSync(shelf.path, Buffer.concat([newer, whole]))
  expect(await shelf.run({ removal })).toMatchObject({ changes: { new: 0, changed: 1, gone: 0 } })
  expect(shelf.indexed[first!]).toContain("edition 2")

  writeFileSync(shelf.path, warcOf(Object.fromEntries(others.map((url) => [url, html(url)]))))
  await shelf.run({ removal })
  expect(Object.keys(shelf.indexed)).toEqual(others)
})
