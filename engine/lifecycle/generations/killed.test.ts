import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Page, type PageUrl, pageId } from "#engine"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { openForWriting } from "./open-for-writing.ts"
import { tidyGenerations } from "./building/build.ts"
import { DataFolder } from "./testing/appliance-data.ts"
import { Upgrade } from "./building/upgrade.ts"

const CHILD = fileURLToPath(new URL("testing/build-child.ts", import.meta.url))
const PAGES = 150
const KILLS = 3

let data: DataFolder
beforeEach(async () => {
  data = await DataFolder.make()
})
afterEach(() => data[Symbol.asyncDispose]())

/** Builds in another process and kills it some milliseconds after it has begun. */
async function killed(model: string, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, data.dir, model], { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const lines = createInterface(child.stdout)
  await Promise.race([once(lines, "line"), exited])
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs)
  await exited
  clearTimeout(timer)
}

test("a builder killed at any moment, repeatedly between crawls, ends with every page as crawled", async () => {
  const crawled = new Map<PageUrl, Page>()
  const write = async (model: string, pages: readonly Page[], gone: readonly PageUrl[]) => {
    const context = data.context(model)
    await using engine = await openForWriting(context)
    await tidyGenerations(context, 0)
    await engine.index(pages)
    await engine.remove(gone)
    for (const page of pages) crawled.set(page.url, page)
    for (const url of gone) crawled.delete(url)
  }
  const first = Array.from({ length: PAGES }, (_, i) =>
    aPage(`p/${i}`, { title: `Entry ${i}`, markdown: `Here stands ${rareWord(i)}.` }),
  )
  await write("first", first, [])
  let model = "second"
  for (let i = 0; i < KILLS; i++) {
    await killed(model, Math.random() * 1200)
    // This build finished before it could be killed, so the next one builds for the other model.
    const { current } = await data.context(model).file.read()
    const info = await data.context(model).adapter.info(current)
    if (info?.embedder === model) model = model === "first" ? "second" : "first"
    const changed = first[i * 7]!
    await write(
      model,
      [
        aPage(`new/${i}`, { markdown: `Fresh ${rareWord(1000 + i)}.` }),
        { ...changed, markdown: `Changed to ${rareWord(2000 + i)}.` },
      ],
      [first[i * 7 + 3]!.url],
    )
  }
  {
    const context = data.context(model)
    await using engine = await openForWriting(context)
    expect(await new Upgrade(context, engine).work({ signal: new AbortController().signal })).toBe(true)
  }
  await using reader = await data.reader(model)
  const found = await Array.fromAsync(reader.allPages())
  const expected = [...crawled.values()].toSorted((a, b) => (pageId(a.url) < pageId(b.url) ? -1 : 1))
  expect(found.map(({ page }) => page)).toEqual(expected)
  expect(found.filter(({ vectors }) => vectors === null)).toEqual([])
  const fresh = await reader.search({ text: rareWord(2000), limit: 1, arms: "lexical" })
  expect(fresh.hits.map((hit) => hit.url)).toEqual([first[0]!.url])
})
