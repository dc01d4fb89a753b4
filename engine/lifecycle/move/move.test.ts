import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream, existsSync } from "node:fs"
import { readFile, stat, writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { exportToFile, partOf } from "./export-to-file.ts"
import { isSound } from "../../commands/difference-lines.ts"
import { ExportFileError } from "./format/export-file-error.ts"
import { ExportReader } from "./format/read-export.ts"
import {
  allOf,
  digestsOf,
  importInto,
  openWide,
  pagesOfManyKinds,
  scratch,
  widePages,
} from "./testing/movable-index.ts"
import { embeddingText, toPassages } from "../../text/passages.ts"

const CHILD = fileURLToPath(new URL("./testing/mover-child.ts", import.meta.url))

/** Counts the texts that it embeds. */
class CountingEmbedder extends HashingEmbedder {
  texts = 0

  override embed(...args: Parameters<HashingEmbedder["embed"]>): Promise<Float32Array[]> {
    this.texts += args[0].length
    return super.embed(...args)
  }
}

const open = (dir: string, embedder = new HashingEmbedder(), mode: "read" | "write" = "write") =>
  EmbeddedEngine.open({ dir, mode, embedder })

const pagesOfMany = pagesOfManyKinds(30, " \ud800")

describe("moving from one index to another", () => {
  test("keeps pages and vectors, and embeds nothing again", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(pagesOfMany)
    await from.settled()
    await exportToFile(from, folder.at("index.fossick"))

    const embedder = new CountingEmbedder()
    await using to = await open(folder.at("to"), embedder)
    const result = await importInto(to, folder.at("index.fossick"))

    expect(result).toMatchObject({ written: pagesOfMany.length, unchanged: 0, others: 0, withoutVectors: 0 })
    expect(isSound(result.differences)).toBe(true)
    expect(await allOf(to)).toEqual(await allOf(from))
    await to.settled()
    expect(embedder.texts).toBe(0)
    expect(await to.stats()).toEqual(await from.stats())
    const query = { text: `${rareWord(7)} more`, limit: 5 }
    expect(await to.search(query)).toEqual(await from.search(query))
  })

  test("writes nothing the second time", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(pagesOfMany)
    await from.settled()
    await exportToFile(from, folder.at("index.fossick"))
    expect(await importInto(from, folder.at("index.fossick"))).toMatchObject({
      written: 0,
      unchanged: pagesOfMany.length,
    })
  })

  test("replaces pages at the same address, and keeps others unless told to remove them", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index([aPage("a", { markdown: "New words." }), aPage("b")])
    await from.settled()
    await exportToFile(from, folder.at("index.fossick"))

    await using to = await open(folder.at("to"))
    await to.index([aPage("a", { markdown: "Old words." }), aPage("b"), aPage("c")])
    await to.settled()
    expect(await importInto(to, folder.at("index.fossick"))).toMatchObject({
      written: 1,
      unchanged: 1,
      others: 1,
    })
    expect((await to.get(aPage("a").url))?.markdown).toBe("New words.")
    expect(await to.get(aPage("c").url)).not.toBeNull()

    const result = await importInto(to, folder.at("index.fossick"), { replace: true })
    expect(result).toMatchObject({ written: 0, others: 1 })
    expect(isSound(result.differences)).toBe(true)
    expect(await to.get(aPage("c").url)).toBeNull()
  })

  test("leaves vectors of another model behind, and the index makes its own", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(pagesOfMany)
    await from.settled()
    await exportToFile(from, folder.at("index.fossick"))

    const embedder = new CountingEmbedder("another-64")
    await using to = await open(folder.at("to"), embedder)
    const result = await importInto(to, folder.at("index.fossick"))
    expect(isSound(result.differences)).toBe(true)
    await to.settled()
    expect(await to.stats()).toMatchObject({ pages: pagesOfMany.length, pagesWithoutVectors: 0 })
    // Equal passages are embedded once.
    const texts = pagesOfMany.flatMap(({ title, markdown }) =>
      toPassages(markdown).map((passage) => embeddingText(title, passage)),
    )
    expect(embedder.texts).toBe(new Set(texts).size)
  })

  test("exports pages that wait for vectors without them, and they are made after the import", async () => {
    await using folder = await scratch()
    const off = { embedder: new HashingEmbedder(), mode: "write", embedding: "off" } as const
    await using from = await EmbeddedEngine.open({ dir: folder.at("from"), ...off })
    await from.index(pagesOfMany)
    await exportToFile(from, folder.at("index.fossick"))
    await using to = await open(folder.at("to"))
    const { totals } = await importInto(to, folder.at("index.fossick"))
    expect(totals).toMatchObject({ pages: pagesOfMany.length, pagesWithVectors: 1 })
    expect(totals.passages).toBe((await from.stats()).passages)
    await to.settled()
    expect((await to.stats()).pagesWithoutVectors).toBe(0)
  })

  test("allows pages to be written and removed during an export", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(Array.from({ length: 120 }, (_, i) => aPage(`steady/${i}`)))
    await using reader = await open(folder.at("from"), new HashingEmbedder(), "read")
    const over = new AbortController()
    const writing = (async () => {
      for (let i = 0; !over.signal.aborted; i++) {
        await from.index([aPage(`busy/${i}`, { markdown: rareWord(i) })])
        if (i % 2 === 1) await from.remove([aPage(`busy/${i - 1}`).url])
      }
    })()
    try {
      for (let i = 0; i < 3; i++) await exportToFile(reader, folder.at(`${i}.fossick`))
    } finally {
      over.abort()
      await writing
    }
    await using to = await open(folder.at("to"))
    const { totals, differences } = await importInto(to, folder.at("2.fossick"))
    expect(isSound(differences)).toBe(true)
    expect(totals.pages).toBeGreaterThanOrEqual(120)
    for (let i = 0; i < 120; i++) expect(await to.get(aPage(`steady/${i}`).url)).not.toBeNull()
  })
})

describe("a killed process", () => {
  const PAGES = 100
  let folder: Awaited<ReturnType<typeof scratch>>

  beforeAll(async () => {
    folder = await scratch()
    await using engine = await openWide(folder.at("wide"), "write")
    await engine.load(widePages(PAGES))
    await exportToFile(engine, folder.at("undisturbed"))
  })
  afterAll(async () => {
    await folder[Symbol.asyncDispose]()
  })

  /** Runs the child until it has printed this many lines, and then kills it. @returns the lines */
  async function killedAt(nth: number, ...args: string[]): Promise<string[]> {
    const child = spawn(process.execPath, [CHILD, String(nth), ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const said: string[] = []
    const exited = once(child, "exit")
    for await (const line of createInterface({ input: child.stdout })) {
      if (said.push(line) === nth) child.kill("SIGKILL")
    }
    await exited
    expect(child.signalCode).toBe("SIGKILL")
    return said
  }

  test("leaves an export that continues after its last complete frame", async () => {
    const file = folder.at("killed")
    await killedAt(3, "export", folder.at("wide"), file)
    expect(existsSync(file)).toBe(false)
    // Appends half a frame, as a power failure might leave it.
    await writeFile(partOf(file), Buffer.alloc(5000, 7), { flag: "a" })
    const again = await killedAt(2, "export", folder.at("wide"), file)
    const resumedAt = Number(/resumed (\d+)/.exec(again[0]!)?.[1])
    expect(resumedAt).toBeGreaterThan(0)
    expect(resumedAt).toBeLessThan(PAGES)

    await using engine = await openWide(folder.at("wide"), "read")
    let resumed = 0
    await exportToFile(engine, file, { onResume: ({ pages }) => (resumed = pages) })
    expect(resumed).toBeGreaterThanOrEqual(resumedAt)
    expect(existsSync(partOf(file))).toBe(false)
    const total = async (name: string) => (await ExportReader.open(createReadStream(name), name)).check()
    expect(await total(file)).toEqual(await total(folder.at("undisturbed")))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test("leaves an import that continues without writing existing pages again", async () => {
    await killedAt(2, "import", folder.at("half"), folder.at("undisturbed"))
    await using to = await openWide(folder.at("half"), "write")
    const { pages: there } = await to.stats()
    expect(there).toBeGreaterThan(0)
    expect(there).toBeLessThan(PAGES)
    const { written, unchanged, differences } = await importInto(to, folder.at("undisturbed"))
    expect(isSound(differences)).toBe(true)
    expect(written + unchanged).toBe(PAGES)
    expect(unchanged).toBeGreaterThan(0)
    await using from = await openWide(folder.at("wide"), "read")
    expect(await digestsOf(to)).toEqual(await digestsOf(from))
  })

  test("leaves a truncated file, whose readable pages are all imported, with an error", async () => {
    const whole = await readFile(folder.at("undisturbed"))
    await writeFile(folder.at("cut"), whole.subarray(0, whole.length * 0.9))
    await using to = await openWide(folder.at("of-cut"), "write")
    const read: number[] = []
    const stopped = importInto(to, folder.at("cut"), { onProgress: (pages) => read.push(pages) })
    await expect(stopped).rejects.toThrow(ExportFileError)
    expect(read.length).toBeGreaterThan(1)
    expect(read.at(-1)).toBeLessThan(PAGES)
    expect((await to.stats()).pages).toBe(read.at(-1))
  })

  test("two exports never write the same file", async () => {
    await using engine = await openWide(folder.at("wide"), "read")
    const file = folder.at("twice")
    const both = await Promise.allSettled([exportToFile(engine, file), exportToFile(engine, file)])
    expect(both.some(({ status }) => status === "rejected")).toBe(true)
  })

  test("a file in the way of an export is not overwritten", async () => {
    await using engine = await openWide(folder.at("wide"), "read")
    const file = folder.at("in-the-way")
    await writeFile(partOf(file), "somebody's diary")
    await expect(exportToFile(engine, file)).rejects.toThrow("is in the way")
    expect(await readFile(partOf(file), "utf8")).toBe("somebody's diary")
  })

  test("an interrupted export with another model's vectors starts over", async () => {
    const file = folder.at("other-model")
    await killedAt(3, "export", folder.at("wide"), file)
    await using other = await open(folder.at("other-index"))
    await other.index([aPage("a")])
    await other.settled()
    let resumed = false
    await exportToFile(other, file, { onResume: () => (resumed = true) })
    expect(resumed).toBe(false)
    expect(await (await ExportReader.open(createReadStream(file), file)).check()).toMatchObject({ pages: 1 })
  })
})
