import { existsSync } from "node:fs"
import { cp, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Engine } from "../../../engine.ts"
import { aPage, rareWord, urlOf } from "../../../testing/pages.ts"
import { READERS_FOLLOW_MS, targetDue, tidyGenerations } from "./build.ts"
import { openForWriting } from "../open-for-writing.ts"
import { rollBack } from "./rollback.ts"
import { indexStatus } from "../status.ts"
import { DataFolder } from "../testing/appliance-data.ts"
import { Upgrade } from "./upgrade.ts"

const PAGES = 60
const pages = Array.from({ length: PAGES }, (_, i) =>
  aPage(`p/${i}`, { title: `Entry ${i}`, markdown: `Here stands ${rareWord(i)} and harbour.` }),
)
const never = new AbortController().signal

let data: DataFolder
beforeEach(async () => {
  data = await DataFolder.make()
})
afterEach(() => data[Symbol.asyncDispose]())

/** The index of an appliance that ran with the given model. */
async function crawled(model = "first"): Promise<void> {
  if (model === "first") return await cp((made ??= await make()).dir, data.dir, { recursive: true })
  await crawl(data, model)
}
/** Created once, because it is the same each time. */
let made: DataFolder | undefined
async function make(): Promise<DataFolder> {
  const folder = await DataFolder.make()
  await crawl(folder, "first")
  return folder
}
afterAll(() => made?.[Symbol.asyncDispose]())

async function crawl(into: DataFolder, model: string): Promise<void> {
  await using engine = await openForWriting(into.context(model))
  await engine.index(pages)
  await engine.settled()
}

async function upgraded(model: string, meanwhile?: (engine: Engine) => Promise<void>): Promise<void> {
  const context = data.context(model)
  await using engine = await openForWriting(context)
  const upgrade = new Upgrade(context, engine)
  await meanwhile?.(upgrade.engine)
  expect(await upgrade.work({ signal: never })).toBe(true)
}

const found = async (engine: Engine, text: string) =>
  (await engine.search({ text, limit: 3, arms: "lexical" })).hits.map((hit) => hit.url)

/** Waits until a reader answers from another generation. */
async function followed(reader: { stats(): Promise<{ embedder: string }> }, model: string): Promise<void> {
  await expect.poll(async () => (await reader.stats()).embedder).toBe(model)
}

describe("switching to another configured model", () => {
  test("answers questions without a pause while the index is rebuilt, with one model and then the other", async () => {
    await crawled()
    await using reader = await data.reader("second")
    expect((await reader.stats()).embedder).toBe("first")
    const asking = new AbortController()
    const answered = new Set<string>()
    let asked = 0
    const questions = (async () => {
      for (let i = 0; !asking.signal.aborted; i = (i + 1) % PAGES) {
        expect(await found(reader, rareWord(i))).toContain(urlOf(`p/${i}`))
        answered.add((await reader.stats()).embedder)
        asked++
      }
    })()
    await upgraded("second")
    await followed(reader, "second")
    const before = asked
    await expect.poll(() => asked).toBeGreaterThan(before + 5)
    asking.abort()
    await questions
    expect([...answered]).toEqual(["first", "second"])
    const meant = await reader.search({ text: rareWord(7), limit: 1, arms: "vector" })
    expect(meant.hits.map((hit) => hit.url)).toEqual([urlOf("p/7")])
    expect(await reader.stats()).toMatchObject({ pages: PAGES, pagesWithoutVectors: 0 })
    expect(data.problems).toEqual([])
  })

  test("lets a long listing of pages run to its end", async () => {
    await crawled()
    await using reader = await data.reader("second")
    const list = reader.allPages()[Symbol.asyncIterator]()
    await list.next()
    await upgraded("second")
    await followed(reader, "second")
    let count = 1
    while (!(await list.next()).done) count++
    expect(count).toBe(PAGES)
  })

  test("finds pages crawled meanwhile at once, and afterwards too", async () => {
    await crawled()
    await using reader = await data.reader("second")
    const context = data.context("second")
    await using engine = await openForWriting(context)
    const upgrade = new Upgrade(context, engine)
    const giveWay = new AbortController()
    const broken = await upgrade.work({ signal: giveWay.signal, onProgress: () => giveWay.abort() })
    expect(broken).toBe(false)

    await upgrade.engine.index([
      aPage("new", { markdown: "A fresh platypus." }),
      { ...pages[3]!, markdown: "Changed to wombat." },
    ])
    await upgrade.engine.remove([urlOf("p/4"), urlOf("p/5")])
    await expect.poll(() => found(reader, "platypus")).toEqual([urlOf("new")])

    expect(await upgrade.work({ signal: never })).toBe(true)
    await followed(reader, "second")
    expect(await found(reader, "platypus")).toEqual([urlOf("new")])
    expect(await found(reader, "wombat")).toEqual([urlOf("p/3")])
    expect(await reader.get(urlOf("p/4"))).toBeNull()
    expect(await reader.stats()).toMatchObject({ pages: PAGES - 1, pagesWithoutVectors: 0 })
  })

  test("continues after a killed process by comparing pages that were added, changed and removed since", async () => {
    await crawled()
    const context = data.context("second")
    {
      await using engine = await openForWriting(context)
      const giveWay = new AbortController()
      const begun = await new Upgrade(context, engine).work({
        signal: giveWay.signal,
        onProgress: () => giveWay.abort(),
      })
      expect(begun).toBe(false)
    }
    await upgraded("second", async (engine) => {
      await engine.index([aPage("new", { markdown: "A fresh platypus." }), { ...pages[3]!, title: "Other" }])
      await engine.remove([urlOf("p/4")])
    })
    await using reader = await data.reader("second")
    expect(await reader.stats()).toMatchObject({ pages: PAGES, pagesWithoutVectors: 0, embedder: "second" })
    expect(await reader.get(urlOf("p/3"))).toMatchObject({ title: "Other" })
    expect(await reader.get(urlOf("p/4"))).toBeNull()
  })

  test("to a third one before the index is ready deletes the unfinished one", async () => {
    await crawled()
    data.models.add("third")
    const context = data.context("second")
    await using engine = await openForWriting(context)
    const giveWay = new AbortController()
    giveWay.abort()
    await new Upgrade(context, engine).work({ signal: giveWay.signal })
    await engine[Symbol.asyncDispose]()
    expect(existsSync(path.join(data.dir, "index-2"))).toBe(true)

    await using again = await openForWriting(data.context("third"))
    await tidyGenerations(data.context("third"), 7)
    expect(existsSync(path.join(data.dir, "index-2"))).toBe(false)
    expect(await new Upgrade(data.context("third"), again).work({ signal: never })).toBe(true)
    await using reader = await data.reader("third")
    expect((await reader.stats()).embedder).toBe("third")
  })

  test("finds pages by their words until the rebuild is done, with a notice, when the old model is gone", async () => {
    await crawled()
    data.models.delete("first")
    await using reader = await data.reader("second")
    expect(data.problems).toEqual([expect.stringContaining("found by their words alone")])
    for (const depth of ["ultra-fast", "fast", "basic", "advanced"] as const) {
      const { hits } = await reader.search({ text: rareWord(9), limit: 1, depth })
      expect(hits.map((hit) => hit.url)).toEqual([urlOf("p/9")])
    }
    expect(reader.embedder.id).toBe("second")
    await upgraded("second", (engine) => engine.index([aPage("new", { markdown: "A fresh platypus." })]))
    await followed(reader, "second")
    const { hits } = await reader.search({ text: "platypus", limit: 1, arms: "vector" })
    expect(hits.map((hit) => hit.url)).toEqual([urlOf("new")])
  })
})

describe("rolling back", () => {
  test("keeps pages crawled since, stays with the old model, and can be reversed", async () => {
    await crawled()
    await upgraded("second")
    {
      await using engine = await openForWriting(data.context("second"))
      await engine.index([aPage("new", { markdown: "A fresh platypus." })])
      await engine.remove([urlOf("p/4")])
      await engine.settled()
    }
    await using reader = await data.reader("second")
    expect(await rollBack(data.context("second"), { signal: never })).toEqual({ to: "index", changed: 2 })
    await followed(reader, "first")
    expect(await found(reader, "platypus")).toEqual([urlOf("new")])
    expect(await reader.get(urlOf("p/4"))).toBeNull()
    // The model is still configured, but the operator has rejected it.
    expect(await targetDue(data.context("second"))).toBeNull()
    {
      await using engine = await openForWriting(data.context("second"))
      await tidyGenerations(data.context("second"), 7)
      await engine.settled()
      expect((await engine.stats()).pagesWithoutVectors).toBe(0)
    }
    expect(await rollBack(data.context("second"), { signal: never })).toMatchObject({ to: "index-2" })
    await followed(reader, "second")
    // Switching forward doesn't reject the first model.
    expect(await targetDue(data.context("first"))).toMatchObject({ embedder: "first" })
  })

  test("is forgotten when the settings name another model, so that the same one can be requested again", async () => {
    await crawled()
    await upgraded("second")
    await rollBack(data.context("second"), { signal: never })
    expect(await targetDue(data.context("second"))).toBeNull()
    await tidyGenerations(data.context("first"), 7)
    expect(await targetDue(data.context("second"))).toMatchObject({ embedder: "second" })
  })

  test("is impossible when nothing is kept, and fails while a crawl is writing", async () => {
    await crawled()
    expect(await rollBack(data.context(), { signal: never })).toBeNull()
    await upgraded("second")
    await using engine = await openForWriting(data.context("second"))
    await expect(rollBack(data.context("second"), { signal: never })).rejects.toMatchObject({
      code: "INDEX_LOCKED",
    })
    expect((await engine.stats()).embedder).toBe("second")
  })

  test("works from a newer format, and reports that pages crawled since are missing", async () => {
    await crawled()
    await upgraded("second")
    await setFormat("index-2", 99)
    await expect(data.reader()).rejects.toMatchObject({ code: "INDEX_FORMAT_TOO_NEW" })
    expect(await rollBack(data.context(), { signal: never })).toEqual({ to: "index", changed: null })
    await using reader = await data.reader()
    expect((await reader.stats()).pages).toBe(PAGES)
  })
})

describe("the index on disk", () => {
  test("stays unchanged when there is no room for a second one, and the reason is given", async () => {
    await crawled()
    const roomy = data.context("second")
    const { taken, free } = await roomy.adapter.room!("index")
    expect(taken).toBeGreaterThan(100_000)
    expect(free).toBeGreaterThan(0)
    const adapter = { ...roomy.adapter, room: async () => ({ taken: 90_000_000, free: 100_000_000 }) }
    const context = { ...roomy, adapter }
    await using engine = await openForWriting(context)
    await expect(new Upgrade(context, engine).work({ signal: never })).rejects.toMatchObject({
      code: "NO_ROOM",
      message: expect.stringMatching(/about 113 MB.* 100 MB are free/),
    })
    expect((await indexStatus(context, 7)).building).toBeNull()
    expect(await new Upgrade(roomy, engine).work({ signal: never })).toBe(true)
  })

  test("is complete in the end, even if a power cut destroyed half of a new one", async () => {
    await crawled()
    const context = data.context("second")
    await using engine = await openForWriting(context)
    const giveWay = new AbortController()
    await new Upgrade(context, engine).work({ signal: giveWay.signal, onProgress: () => giveWay.abort() })
    await writeFile(
      path.join(data.dir, "index-2", "pages.db"),
      "not a database, but long enough to be taken for one",
    )
    const upgrade = new Upgrade(context, engine)
    await expect(upgrade.work({ signal: never })).rejects.toMatchObject({ code: "INDEX_DAMAGED" })
    expect(await upgrade.work({ signal: never })).toBe(true)
    await tidyGenerations(context, 7)
    expect(existsSync(path.join(data.dir, "index-2"))).toBe(false)
    await using reader = await data.reader("second")
    expect(await reader.stats()).toMatchObject({ pages: PAGES, pagesWithoutVectors: 0 })
  })

  test("is kept for the configured days once replaced, and no longer", async () => {
    await crawled()
    await upgraded("second")
    const context = data.context("second")
    await tidyGenerations(context, 7)
    expect((await indexStatus(context, 7)).previous).toMatchObject({ name: "index", pages: PAGES })
    await tidyGenerations(context, 0)
    expect((await indexStatus(context, 7)).previous).not.toBeNull()
    const later = new Date(Date.now() - READERS_FOLLOW_MS).toISOString()
    await context.file.change(({ previous }) => ({ previous: { ...previous!, replacedAt: later } }))
    await tidyGenerations(context, 0)
    expect((await indexStatus(context, 7)).previous).toBeNull()
    expect(existsSync(path.join(data.dir, "index"))).toBe(false)
    await using reader = await data.reader("second")
    expect(await found(reader, rareWord(1))).toEqual([urlOf("p/1")])
    expect(await indexStatus(context, 7)).toMatchObject({
      current: { name: "index-2", pages: PAGES, pagesWithoutVectors: 0, embedder: "second" },
      building: null,
      due: null,
    })
  })
})

describe("an index in another format", () => {
  test("is rejected when newer, naming both versions, and left unchanged", async () => {
    await crawled()
    await setFormat("index", 99)
    const refused = {
      code: "INDEX_FORMAT_TOO_NEW",
      message: expect.stringMatching(/format 99.*up to 5/),
    }
    await expect(data.reader()).rejects.toMatchObject(refused)
    await expect(openForWriting(data.context())).rejects.toMatchObject(refused)
    await expect(targetDue(data.context())).rejects.toMatchObject(refused)
    expect(await indexStatus(data.context(), 7)).toMatchObject({ current: { format: 99, pages: null } })
    expect(JSON.parse(await readFile(path.join(data.dir, "index", "index.json"), "utf8"))).toMatchObject({
      format: 99,
    })
  })

  test("is rejected when too old", async () => {
    await crawled()
    await setFormat("index", 1)
    const refused = {
      code: "INDEX_FORMAT_TOO_OLD",
      message: expect.stringMatching(/format 1, which this Fossick cannot read.*crawl again/),
    }
    await expect(data.reader()).rejects.toMatchObject(refused)
    await expect(openForWriting(data.context())).rejects.toMatchObject(refused)
  })
})

describe("the file that names the current index", () => {
  const file = () => path.join(data.dir, "generations", "embedded.json")
  const copy = () => path.join(data.dir, "generations", "embedded-copy.json")

  test.each(['{ "current": ', "[]", '{"current":"../elsewhere"}', '{"current":"index","dropping":["/"]}'])(
    "with the content %s is rejected, with how to repair it",
    async (text) => {
      await crawled()
      await upgraded("second")
      for (const one of [file(), copy()]) await writeFile(one, text)
      const refused = {
        code: "INDEX_DAMAGED",
        message: expect.stringContaining('{"current": "index-2"}'),
      }
      await using refusing = await data.reader()
      expect(refusing.problem).toContain('{"current": "index-2"}')
      await expect(refusing.search({ text: rareWord(1), limit: 1 })).rejects.toMatchObject(refused)
      await expect(openForWriting(data.context("second"))).rejects.toMatchObject(refused)
      await writeFile(file(), '{"current": "index-2"}')
      await using reader = await data.reader("second")
      expect((await reader.stats()).embedder).toBe("second")
    },
  )

  test("does not interrupt running readers when briefly unreadable, and is reported once", async () => {
    await crawled()
    await upgraded("second")
    const text = await readFile(file(), "utf8")
    await using reader = await data.reader("second")
    for (const one of [file(), copy()]) await writeFile(one, "")
    await expect.poll(() => data.problems.length).toBe(1)
    await sleep(1200)
    expect(await found(reader, rareWord(1))).toEqual([urlOf("p/1")])
    await writeFile(file(), text)
    expect(data.problems).toHaveLength(1)
  })
})

async function setFormat(generation: string, format: number): Promise<void> {
  const file = path.join(data.dir, generation, "index.json")
  const said = JSON.parse(await readFile(file, "utf8"))
  await writeFile(file, JSON.stringify({ ...said, format, checksum: undefined }))
}
