import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pino } from "pino"
import { expect, test } from "vitest"
import { DiskRoom } from "#base/disk-space.ts"
import { pdf } from "../../testing/pdf-file.ts"
import { until } from "#base/testing/until.ts"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { CrawlShare } from "../../crawl/together/crawl-share.ts"
import type { Job } from "../../job.ts"
import { findRecognition, recognitionFolder } from "../../page/scans/installed.ts"
import { readRecognised } from "../../page/scans/recognised-page.ts"
import { ScanShelf, scanHash } from "../../page/scans/scan-shelf.ts"
import { defineSource } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { installRecognition, scannedLines, testRecognition } from "../../testing/scans.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"
import { followScans } from "./follow-scans.ts"
import { readScans } from "./read-scans.ts"

const GAUGE = [
  "The gauge at the lower gate is read every morning at six.",
  "The keeper writes the level down.",
]
const PUMP = [
  "The second pump draws air at the flange, so its gasket",
  "is replaced before the spring flood.",
]
const PDF = { "content-type": "application/pdf", etag: '"1"' }
const SOURCE = "weir"
const silent = pino({ level: "silent" })

/** Runs a source in this process, as the job process would. */
async function run(fixture: CrawlFixture, seed: string, visits: Job["visits"]): Promise<Job | null> {
  const config = testConfig()
  await using share = new CrawlShare(config, undefined, new ScanShelf(fixture.folder))
  const { id } = await fixture.jobs.enqueue(defineSource({ name: SOURCE, seeds: [seed] }), { visits })
  const { db, jobs, engine } = fixture
  const { signal } = new AbortController()
  return await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", share })
}

const startWorker = (fixture: CrawlFixture) =>
  fork(new URL("./scan-worker.ts", import.meta.url), {
    env: { ...process.env, FOSSICK_DATA_DIR: fixture.folder, FOSSICK_LOG_LEVEL: "silent" },
  })

const outcomeOf = async (fixture: CrawlFixture, url: string) => {
  const known = await new KnownAddresses(fixture.db).get(url as never)
  return [known?.outcome, known?.detail]
}

/** A shelf with one file on it. */
async function shelfWith(folder: string, body: Uint8Array, pages: readonly number[], source = SOURCE) {
  const shelf = new ScanShelf(folder, testRecognition())
  const hash = scanHash(body)
  await shelf.put({ hash, pages }, { url: `https://${source}.example/scan.pdf` as never, source }, body)
  return { shelf, hash, texts: () => readRecognised(shelf.textFile(hash)) }
}

test(
  "a scan is found by its words after the next run, with the page number, and no page waits for it",
  { tags: ["recognition"] },
  async () => {
    await using site = await startTestSite({
      "/": article("The weir", { links: ["/scan.pdf"] }),
      "/scan.pdf": bytes(await scannedLines([GAUGE, PUMP]), PDF),
    })
    await using fixture = await CrawlFixture.open()
    installRecognition(fixture.folder)
    const shelf = new ScanShelf(fixture.folder)

    await run(fixture, site.url("/"), "all")
    expect([...fixture.engine.pages.values()].map(({ title }) => title)).toEqual(["The weir"])
    expect(await outcomeOf(fixture, site.url("/scan.pdf"))).toEqual([
      "skipped:empty",
      "no text layer in its 2 pages; 2 pages are waiting for text recognition",
    ])

    const [code] = await once(startWorker(fixture), "exit")
    expect(code).toBe(0)
    expect(shelf.allWaiting()).toEqual([])
    expect(shelf.askedRuns()).toMatchObject([{ source: SOURCE }])

    await run(fixture, site.url("/"), "due")
    const page = [...fixture.engine.pages.values()].find(({ url }) => url.endsWith("/scan.pdf"))!
    expect(page).toMatchObject({ language: "en" })
    expect(page.markdown).toBe([GAUGE, PUMP].map((texts) => texts.join(" ")).join("\n\n"))
    const text = page.markdown.split("\n")
    expect(page.anchors!.map(([line, fragment]) => [text[line], fragment])).toEqual([
      [GAUGE.join(" "), "page=1"],
      [PUMP.join(" "), "page=2"],
    ])
    expect((await outcomeOf(fixture, site.url("/scan.pdf")))[0]).toBe("indexed")
  },
)

test("without text recognition, the outcome says how to install it", async () => {
  await using site = await startTestSite({
    "/": article("The weir", { links: ["/scan.pdf"] }),
    "/scan.pdf": bytes(pdf([{ texts: [] }]), PDF),
  })
  await using fixture = await CrawlFixture.open()
  await run(fixture, site.url("/"), "all")
  const [outcome, detail] = await outcomeOf(fixture, site.url("/scan.pdf"))
  expect(outcome).toBe("skipped:empty")
  expect(detail).toMatch(
    /^no text layer in its page; its pictures can be read once text recognition is installed: npm install --prefix \S+ tesseract\.js-core@\S+ @hyzyla\/pdfium@\S+ @tesseract\.js-data\/eng$/,
  )
  expect(new ScanShelf(fixture.folder).allWaiting()).toEqual([])
})

test(
  "a killed process is followed by one that reads only what remains",
  { tags: ["recognition"] },
  async () => {
    await using fixture = await CrawlFixture.open()
    installRecognition(fixture.folder)
    const { shelf, texts } = await shelfWith(
      fixture.folder,
      await scannedLines([GAUGE, PUMP, GAUGE, PUMP]),
      [1, 2, 3, 4],
    )
    const killed = startWorker(fixture)
    await until(() => texts().size > 0)
    killed.kill("SIGKILL")
    await once(killed, "exit")
    const before = texts()
    expect(before.size).toBeLessThan(4)
    expect(shelf.allWaiting()).toHaveLength(1)

    const [code] = await once(startWorker(fixture), "exit")
    expect(code).toBe(0)
    expect([...texts().keys()]).toEqual([1, 2, 3, 4])
    for (const [number, page] of before) expect(texts().get(number)).toEqual(page)
    expect(shelf.allWaiting()).toEqual([])
  },
)

test(
  "a long book yields its first part when its turn is over, and the rest in the next",
  { tags: ["recognition"] },
  async () => {
    await using fixture = await CrawlFixture.open()
    const { shelf, texts } = await shelfWith(fixture.folder, await scannedLines([GAUGE, PUMP]), [1, 2])
    const due: number[] = []
    await readScans({
      shelf,
      recognition: testRecognition(),
      makeDue: async () => due.push(texts().size),
      isOver: () => false,
      log: silent,
      turnMs: 0,
    })
    expect(due).toEqual([1, 2])
  },
)

test(
  "a page that killed its process three times, and a file that cannot be rendered, have no text",
  { tags: ["recognition"] },
  async () => {
    await using fixture = await CrawlFixture.open()
    const good = await shelfWith(fixture.folder, await scannedLines([GAUGE, PUMP]), [1, 2])
    const bad = await shelfWith(
      fixture.folder,
      new Uint8Array(Buffer.from("%PDF-1.7 and no more")),
      [1],
      "without-text",
    )
    for (let tries = 0; tries < 3; tries += 1) await good.shelf.countTry(good.hash, 1)
    const due: string[] = []
    await readScans({
      shelf: good.shelf,
      recognition: testRecognition(),
      makeDue: async ({ url }) => due.push(url),
      isOver: () => false,
      log: silent,
    })
    expect(good.texts().get(1)).toMatchObject({ runs: [], by: "given up" })
    expect(good.texts().get(2)!.runs).not.toEqual([])
    expect(bad.texts().get(1)).toMatchObject({ runs: [] })
    // If no text was found, no run is started; the next regular run sees that nothing is waiting.
    expect(due.toSorted()).toEqual(["https://weir.example/scan.pdf", "https://without-text.example/scan.pdf"])
    expect(good.shelf.askedRuns()).toMatchObject([{ source: SOURCE }])
  },
)

test("a source runs once for its scans, as soon as possible", async () => {
  await using fixture = await CrawlFixture.open()
  const shelf = new ScanShelf(fixture.folder)
  shelf.askForRun("two words/é")
  const stop = new AbortController()
  const asked: string[] = []
  const following = followScans({
    dataDir: fixture.folder,
    run: async (source) => asked.push(source) > 1,
    room: new DiskRoom(fixture.folder, 0),
    log: silent,
    signal: stop.signal,
  })
  await until(() => shelf.askedRuns().length === 0)
  stop.abort()
  await following
  expect(asked).toEqual(["two words/é", "two words/é"])
})

test("recognition counts as installed with an engine, a renderer and at least one language", async () => {
  await using fixture = await CrawlFixture.open()
  const folder = recognitionFolder(fixture.folder)
  expect(findRecognition(folder)).toBeNull()
  const file = (name: string, text = "") => {
    const path = join(folder, name)
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  file("node_modules/tesseract.js-core/package.json", '{"version":"7.0.0"}')
  const engine = file("node_modules/tesseract.js-core/tesseract-core-relaxedsimd-lstm.js")
  const painter = file("node_modules/@hyzyla/pdfium/dist/index.esm.js")
  expect(findRecognition(folder)).toBeNull()
  const eng = file("node_modules/@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz")
  const rus = file("rus.traineddata")
  expect(findRecognition(folder)).toEqual({
    name: "Tesseract 7.0.0 eng rus",
    engine,
    painter,
    languages: new Map([
      ["eng", eng],
      ["rus", rus],
    ]),
  })
})
