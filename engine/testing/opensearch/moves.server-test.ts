import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { readSettings } from "#base/settings.ts"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { opensearchGenerations } from "#engine/adapters/opensearch/opensearch-generations.ts"
import type { Engine } from "#engine/engine.ts"
import { isSound } from "#engine/commands/difference-lines.ts"
import { rollBack } from "#engine/lifecycle/generations/building/rollback.ts"
import { upgradeNow } from "#engine/lifecycle/generations/building/upgrade-now.ts"
import { openForWriting } from "#engine/lifecycle/generations/open-for-writing.ts"
import { DataFolder } from "#engine/lifecycle/generations/testing/appliance-data.ts"
import { exportToFile } from "#engine/lifecycle/move/export-to-file.ts"
import { importInto, scratch } from "#engine/lifecycle/move/testing/movable-index.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import { aPage, rareWord, urlOf } from "../pages.ts"
import { clusterUnderTest } from "./cluster-under-test.ts"
import { onCluster } from "./under-test.ts"

const urls = clusterUnderTest()
const PAGES = 30
const pages = Array.from({ length: PAGES }, (_, i) =>
  aPage(`p/${i}`, { title: `Entry ${i}`, markdown: `Here stands ${rareWord(i)} and harbour.` }),
)
const never = new AbortController().signal

/** Runs searches one after the other until stopped; resolves with their number. */
function asking(engine: Engine) {
  const stop = new AbortController()
  const asked = (async () => {
    let count = 0
    for (; !stop.signal.aborted || count === 0; count++) {
      const text = rareWord(count % PAGES)
      const { hits } = await engine.search({ text, limit: 1, arms: "lexical" })
      expect(hits.map(({ url }) => url)).toEqual([urlOf(`p/${count % PAGES}`)])
    }
    return count
  })()
  asked.catch(() => undefined)
  return { asked, stop: () => stop.abort() }
}

test("an index is made anew for another model beside the one that answers, and one goes back", async () => {
  const name = `contract-${randomBytes(6).toString("hex")}`
  await using data = await DataFolder.make((dataDir) =>
    opensearchGenerations(
      readSettings(engineSettings, {
        FOSSICK_DATA_DIR: dataDir,
        FOSSICK_OPENSEARCH_URLS: urls.join(),
        FOSSICK_OPENSEARCH_INDEX: name,
      }),
    ),
  )
  const { adapter } = data.context()
  try {
    {
      await using engine = await openForWriting(data.context("first"))
      await engine.index(pages)
      await engine.settled()
    }
    await using reader = await data.reader("second")
    expect((await reader.stats()).embedder).toBe("first")
    const questions = asking(reader)
    expect(await upgradeNow(data.context("second"), { signal: never })).toBe(true)
    await expect.poll(async () => (await reader.stats()).embedder).toBe("second")
    questions.stop()
    expect(await questions.asked).toBeGreaterThan(0)
    const { hits } = await reader.search({ text: rareWord(7), limit: 1, arms: "vector" })
    expect(hits.map(({ url }) => url)).toEqual([urlOf("p/7")])
    expect(await reader.stats()).toMatchObject({ pages: PAGES, pagesWithoutVectors: 0 })
    await rollBack(data.context("second"), { signal: never })
    await expect.poll(async () => (await reader.stats()).embedder).toBe("first")
    expect(data.problems).toEqual([])
  } finally {
    for (const generation of ["index", "index-2"]) await adapter.drop(generation)
  }
})

test("an embedded index moves to the cluster while it serves, and what it crawled meanwhile follows", async () => {
  const adapter = onCluster(urls)
  await using folder = await scratch()
  const dir = folder.at("old")
  await using old = await EmbeddedEngine.open({ dir, mode: "write", embedder: new HashingEmbedder() })
  await old.index([...pages, aPage("gone", { markdown: "Soon gone." })])
  await old.settled()
  await using serving = await EmbeddedEngine.open({ dir, mode: "read", embedder: new HashingEmbedder() })
  const questions = asking(serving)
  const place = await adapter.freshPlace()
  try {
    await using there = await adapter.open(place)
    await exportToFile(old, folder.at("1.fossick"))
    expect(await importInto(there, folder.at("1.fossick"))).toMatchObject({ written: PAGES + 1 })
    await old.index([
      aPage("new", { markdown: "A new page." }),
      { ...pages[3]!, title: `Changed: ${rareWord(3)}` },
    ])
    await old.remove([urlOf("gone")])
    await old.settled()
    await exportToFile(old, folder.at("2.fossick"))
    const second = await importInto(there, folder.at("2.fossick"), { replace: true })
    expect(second).toMatchObject({ written: 2, unchanged: PAGES - 1, others: 1 })
    expect(isSound(second.differences)).toBe(true)
    expect(await there.stats()).toEqual(await old.stats())
    questions.stop()
    expect(await questions.asked).toBeGreaterThan(0)
    const { hits } = await there.search({ text: "changed", limit: 1 })
    expect(hits.map(({ url }) => url)).toEqual([urlOf("p/3")])
  } finally {
    questions.stop()
    await adapter.removePlace(place)
  }
})
