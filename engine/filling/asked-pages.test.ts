import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { SearchIndex } from "../index/search-index.ts"
import { AskedPages, AskedPagesReader } from "./asked-pages.ts"

/** An index of which no page but those has vectors. */
const indexWith = (...embedded: readonly string[]) =>
  ({
    withoutVectors: (ids: readonly string[]) => Promise.resolve(new Set(ids).difference(new Set(embedded))),
  }) as unknown as SearchIndex

async function files() {
  const dir = await mkdtemp(path.join(tmpdir(), "fossick-asked-"))
  onTestFinished(() => rm(dir, { recursive: true }))
  return { asked: path.join(dir, "asked.json"), rate: path.join(dir, "rate.json") }
}

const fillingNow = () => JSON.stringify({ perSecond: 50, at: Date.now() })

test("the writer learns that questions are asked while it makes vectors, whatever pages they come across", async () => {
  const { asked, rate } = await files()
  const reader = new AskedPagesReader(asked)
  expect([await reader.areAsked(), await reader.news()]).toEqual([false, []])
  await writeFile(rate, fillingNow())
  await using pages = new AskedPages(asked, rate)
  await pages.noting(indexWith("a")).withoutVectors(["a"])
  await expect.poll(() => existsSync(asked)).toBe(true)
  const later = new AskedPagesReader(asked)
  expect([await later.areAsked(), await later.news()]).toEqual([true, []])
})

test("nothing is written of questions while no vectors are made", async () => {
  const { asked, rate } = await files()
  {
    await using pages = new AskedPages(asked, rate)
    await pages.noting(indexWith("a")).withoutVectors(["a"])
  }
  expect(existsSync(asked)).toBe(false)
})

test("pages without vectors are told once each time they are noted, also where nobody tells of a rate", async () => {
  const { asked, rate } = await files()
  {
    await using pages = new AskedPages(asked, rate)
    await pages.noting(indexWith("a")).withoutVectors(["a", "b", "c"])
  }
  const reader = new AskedPagesReader(asked)
  expect(await reader.areAsked()).toBe(true)
  expect(await reader.news()).toEqual(["b", "c"])
  expect(await reader.news()).toEqual([])
})
