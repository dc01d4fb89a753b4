import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { runJob } from "../../crawl/run-job.ts"
import { CrawlShare } from "../../crawl/together/crawl-share.ts"
import type { Job } from "../../job.ts"
import { recognisedLines } from "../../page/scans/recognised-page.ts"
import { ScanShelf } from "../../page/scans/scan-shelf.ts"
import { defineSource, type SourceSpec } from "../../source.ts"
import { CrawlFixture, testConfig } from "../../testing/crawl-fixture.ts"
import { picture } from "../../testing/pictures.ts"
import { installRecognition, scanFile, scanOf, testRecognition } from "../../testing/scans.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"
import { openPages } from "./pages.ts"
import { Recogniser } from "./recogniser.ts"

const GAUGE = [
  "The gauge at the lower gate is read every morning at six.",
  "The keeper writes the level down.",
]
const PUMP = [
  "The second pump draws air at the flange, so its gasket",
  "is replaced before the spring flood.",
]
const FOLDER = "https://weir.example/files/"

/** Runs a source in this process, as the job process would. */
async function run(fixture: CrawlFixture, spec: Omit<SourceSpec, "name">, visits: Job["visits"]) {
  const config = testConfig()
  await using share = new CrawlShare(config, undefined, new ScanShelf(fixture.folder))
  const { id } = await fixture.jobs.enqueue(defineSource({ name: "weir", ...spec }), { visits })
  const { db, jobs, engine } = fixture
  const { signal } = new AbortController()
  await runJob(id, { db, jobs, engine, config, signal, whenAborted: "queued", share })
}

async function readShelf(fixture: CrawlFixture): Promise<void> {
  const worker = fork(new URL("./scan-worker.ts", import.meta.url), {
    env: { ...process.env, FOSSICK_DATA_DIR: fixture.folder, FOSSICK_LOG_LEVEL: "silent" },
  })
  expect(await once(worker, "exit")).toEqual([0, null])
}

const outcomeOf = async (fixture: CrawlFixture, url: string) => {
  const known = await new KnownAddresses(fixture.db).get(url as never)
  return [known?.outcome, known?.detail]
}

/** A source that is a folder with the given files. */
function folderOf(fixture: CrawlFixture, files: Readonly<Record<string, Uint8Array>>) {
  const folder = join(fixture.folder, "letters")
  mkdirSync(folder)
  for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body)
  return { folder, seeds: [FOLDER] }
}

/** A letter as PNG. */
const letter = async (texts: readonly string[]) =>
  await sharp((await scanOf(texts)).jpeg)
    .png()
    .toBuffer()

/** A fax in black and white, with one page per list of lines. */
const fax = async (pages: readonly (readonly string[])[]) => {
  const frames = await Promise.all(pages.map(letter))
  return await sharp(frames, { join: { animated: true } })
    .toColourspace("b-w")
    .tiff({ compression: "ccittfax4", bitdepth: 1, xres: 300 / 25.4, yres: 300 / 25.4 })
    .toBuffer()
}

test(
  "images in a folder are found by their words, with the page number",
  { tags: ["recognition"] },
  async () => {
    await using fixture = await CrawlFixture.open()
    installRecognition(fixture.folder)
    const png = await letter(GAUGE)
    const source = folderOf(fixture, {
      "gauge_letter.png": png,
      "fax.tif": await fax([GAUGE, PUMP]),
      "lake.jpg": await sharp(await picture(1))
        .jpeg()
        .toBuffer(),
      "icon.png": await sharp(png).resize(64, 64).png().toBuffer(),
      "torn.png": png.subarray(0, 20),
    })
    await run(fixture, source, "all")
    expect(fixture.engine.pages.size).toBe(0)
    expect(await outcomeOf(fixture, `${FOLDER}gauge_letter.png`)).toEqual([
      "skipped:empty",
      "a picture; 1 page is waiting for text recognition",
    ])
    expect(await outcomeOf(fixture, `${FOLDER}fax.tif`)).toEqual([
      "skipped:empty",
      "an image of 2 pages; 2 pages are waiting for text recognition",
    ])
    expect(await outcomeOf(fixture, `${FOLDER}icon.png`)).toEqual([
      "skipped:unsupported-type",
      "an image of 64 × 64 pixels is too small to contain text",
    ])
    expect(await outcomeOf(fixture, `${FOLDER}torn.png`)).toEqual([
      "failed:unreadable",
      expect.stringMatching(/^the file is damaged: /),
    ])

    await readShelf(fixture)
    await run(fixture, source, "due")
    const pages = [...fixture.engine.pages.values()].toSorted((a, b) => (a.url < b.url ? -1 : 1))
    expect(pages.map(({ title, type, language }) => [title, type, language])).toEqual([
      ["fax", "picture", "en"],
      ["gauge letter", "picture", "en"],
    ])
    const [read, single] = pages
    expect(single!.markdown).toBe(GAUGE.join(" "))
    const text = read!.markdown.split("\n")
    expect(read!.anchors!.map(([line, fragment]) => [text[line], fragment])).toEqual([
      [GAUGE.join(" "), "page=1"],
      [PUMP.join(" "), "page=2"],
    ])
  },
)

test(
  "an image without text is reported as such, and recognised only once",
  { tags: ["recognition"] },
  async () => {
    await using fixture = await CrawlFixture.open()
    installRecognition(fixture.folder)
    const source = folderOf(fixture, { "lake.png": await picture(1) })
    await run(fixture, source, "all")
    await readShelf(fixture)
    expect(new ScanShelf(fixture.folder).askedRuns()).toEqual([])
    await run(fixture, source, "due")
    expect(await outcomeOf(fixture, `${FOLDER}lake.png`)).toEqual(["skipped:empty", "a picture without text"])
    expect(new ScanShelf(fixture.folder).allWaiting()).toEqual([])
  },
)

test("without text recognition, the outcome of an image in a folder says how to install it", async () => {
  await using fixture = await CrawlFixture.open()
  await run(fixture, folderOf(fixture, { "lake.png": await picture(1) }), "all")
  const [outcome, detail] = await outcomeOf(fixture, `${FOLDER}lake.png`)
  expect(outcome).toBe("skipped:unsupported-type")
  expect(detail).toMatch(
    /^a PNG image sent as no content type; its text can be read once text recognition is installed: npm install --prefix \S+ tesseract/,
  )
})

test("a website's images belong to its pages, even when recognition is installed", async () => {
  await using site = await startTestSite({
    "/": article("The weir", { links: ["/lake.png", "/unnamed"] }),
    "/lake.png": bytes(await picture(1), { "content-type": "image/png" }),
    "/unnamed": bytes(await picture(2), { "content-type": "application/octet-stream" }),
  })
  await using fixture = await CrawlFixture.open()
  installRecognition(fixture.folder)
  await run(fixture, { seeds: [site.url("/")] }, "all")
  expect(await outcomeOf(fixture, site.url("/lake.png"))).toEqual(["skipped:unsupported-type", "image/png"])
  expect(await outcomeOf(fixture, site.url("/unnamed"))).toEqual([
    "skipped:unsupported-type",
    "a PNG image sent as application/octet-stream",
  ])
  expect(new ScanShelf(fixture.folder).allWaiting()).toEqual([])
})

describe("text in image files", { tags: ["recognition"] }, () => {
  let recogniser: Recogniser
  beforeAll(async () => {
    recogniser = await Recogniser.open(testRecognition())
  })
  afterAll(() => {
    recogniser[Symbol.dispose]()
  })
  const read = async (file: Uint8Array, page = 1) => {
    using pages = await openPages(testRecognition(), file)
    recogniser.forgetLanguage()
    return recogniser.read(await pages.picture(page), page)
  }
  const textOf = async (file: Uint8Array) =>
    recognisedLines(await read(file))
      .map(({ text }) => text)
      .join(" ")

  test("a photo of a letter rotated by its EXIF data is read upright, at paper size", async () => {
    const upright = await sharp((await scanOf(GAUGE)).jpeg)
      .rotate(270)
      .toBuffer()
    const file = await sharp(upright).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const page = await read(file)
    expect(
      recognisedLines(page)
        .map(({ text }) => text)
        .join(" "),
    ).toBe(GAUGE.join(" "))
    expect(page.width).toBeGreaterThan(page.height)
  })

  test("a screenshot and an image with a transparent background are read", async () => {
    const { jpeg, width } = await scanOf(PUMP)
    // 12-point text at 110 pixels per inch, as on a screen.
    const screen = await sharp(jpeg)
      .resize(Math.round((width * 110) / 300))
      .webp({ lossless: true })
      .toBuffer()
    expect(await textOf(screen)).toBe(PUMP.join(" "))
    const ink = await sharp(jpeg).negate().toColourspace("b-w").raw().toBuffer({ resolveWithObject: true })
    const blank = { width: ink.info.width, height: ink.info.height, channels: 3 as const, background: "#000" }
    const transparent = await sharp({ create: blank })
      .joinChannel(ink.data, { raw: { width: ink.info.width, height: ink.info.height, channels: 1 } })
      .png()
      .toBuffer()
    expect(await textOf(transparent)).toBe(PUMP.join(" "))
  })

  test("a missing frame and an image that claims too many pixels are rejected", async () => {
    using pages = await openPages(testRecognition(), await fax([GAUGE, PUMP]))
    await expect(pages.picture(3)).rejects.toThrow("page")
    const huge = Buffer.from(await letter(GAUGE))
    huge.writeUInt32BE(90_000, 16)
    huge.writeUInt32BE(90_000, 20)
    using claimed = await openPages(testRecognition(), huge)
    await expect(claimed.picture(1)).rejects.toThrow("90000 × 90000 pixels is too large")
    using scan = await openPages(testRecognition(), scanFile("phototest.pdf"))
    expect((await scan.picture(1)).width).toBeGreaterThan(900)
  })
})
