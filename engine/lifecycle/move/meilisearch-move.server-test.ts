import { createReadStream } from "node:fs"
import { afterAll, describe, expect, test } from "vitest"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import type { Engine } from "#engine/engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { openTestServer } from "#engine/testing/meilisearch/test-server.ts"
import { onServer } from "#engine/testing/meilisearch/under-test.ts"
import { aPage, rareWord } from "#engine/testing/pages.ts"
import { isSound } from "../../commands/difference-lines.ts"
import { exportToFile } from "./export-to-file.ts"
import { FRAME_PAGES } from "./format/export-format.ts"
import { ExportReader } from "./format/read-export.ts"
import { allOf, importInto, pagesOfManyKinds, scratch } from "./testing/movable-index.ts"

const server = await openTestServer()
const meilisearch = onServer(server)

afterAll(async () => {
  await server.close()
})

/** An index on the server that is removed after the test. */
async function place(): Promise<AsyncDisposable & { readonly open: () => Promise<Engine> }> {
  const name = await meilisearch.freshPlace()
  return {
    open: () => meilisearch.open(name, { embedder: new SilentEmbedder() }),
    [Symbol.asyncDispose]: () => meilisearch.removePlace(name),
  }
}

/** An embedder for indexes whose vectors all come with their pages. */
class SilentEmbedder extends HashingEmbedder {
  override embed(...[texts, options]: Parameters<HashingEmbedder["embed"]>): Promise<Float32Array[]> {
    if (options?.priority === "index") return Promise.reject(new Error("Nothing is to be embedded again."))
    return super.embed(texts, options)
  }
}

const open = (dir: string, embedder = new HashingEmbedder()) =>
  EmbeddedEngine.open({ dir, mode: "write", embedder })

async function contentOf(file: string): Promise<unknown> {
  return await (await ExportReader.open(createReadStream(file), file)).check()
}

const pages = pagesOfManyKinds(40)

describe("from the embedded index to Meilisearch and back", () => {
  test("pages and vectors arrive as they left, and the same pages are found", async () => {
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(pages)
    await from.settled()
    await exportToFile(from, folder.at("1.fossick"))

    await using there = await place()
    await using between = await there.open()
    const result = await importInto(between, folder.at("1.fossick"))
    expect(result).toMatchObject({ written: pages.length, unchanged: 0, others: 0, withoutVectors: 0 })
    expect(isSound(result.differences)).toBe(true)
    expect(await importInto(between, folder.at("1.fossick"))).toMatchObject({ written: 0 })
    await exportToFile(between, folder.at("2.fossick"))
    expect(await contentOf(folder.at("2.fossick"))).toEqual(await contentOf(folder.at("1.fossick")))

    await using to = await open(folder.at("to"), new SilentEmbedder())
    expect(isSound((await importInto(to, folder.at("2.fossick"))).differences)).toBe(true)
    const [left, arrived] = [await allOf(from), await allOf(to)]
    expect(arrived.map(({ page }) => page)).toEqual(left.map(({ page }) => page))
    let furthest = 0
    for (const [i, { vectors }] of left.entries()) {
      for (const [n, vector] of vectors!.entries()) {
        for (const [at, value] of vector.entries()) {
          furthest = Math.max(furthest, Math.abs(value - arrived[i]!.vectors![n]![at]!))
        }
      }
    }
    expect(furthest).toBeLessThan(1e-7)
    expect(await between.stats()).toEqual(await from.stats())
    expect(await to.stats()).toEqual(await from.stats())
    for (const text of [`${rareWord(7)} more`, "Überschrift"]) {
      const found = async (engine: Engine) => (await engine.search({ text, limit: 1 })).hits[0]?.url
      const urls = [await found(from), await found(between), await found(to)]
      expect(urls).toEqual([expect.any(String), urls[0], urls[0]])
    }
  })

  test("an import that was stopped goes on, and --replace takes away what the file does not have", async () => {
    const many = FRAME_PAGES + 100
    await using folder = await scratch()
    await using from = await open(folder.at("from"))
    await from.index(Array.from({ length: many }, (_, i) => aPage(`many/${i}`, { markdown: rareWord(i) })))
    await from.settled()
    await exportToFile(from, folder.at("index.fossick"))
    await using there = await place()
    const first = aPage("many/0")
    {
      await using to = await there.open()
      const stop = new AbortController()
      const stopped = importInto(to, folder.at("index.fossick"), {
        signal: stop.signal,
        onProgress: () => stop.abort(new Error("stopped")),
      })
      await expect(stopped).rejects.toThrow("stopped")
      expect(await to.stats()).toMatchObject({ pages: FRAME_PAGES })
    }
    await using to = await there.open()
    const on = await importInto(to, folder.at("index.fossick"))
    expect(on).toMatchObject({ written: many - FRAME_PAGES, unchanged: FRAME_PAGES })
    expect(isSound(on.differences)).toBe(true)

    await to.load([
      { page: { ...first, markdown: "" }, vectors: [] },
      { page: aPage("other", { markdown: "" }), vectors: [] },
    ])
    const replaced = await importInto(to, folder.at("index.fossick"), { replace: true })
    expect(replaced).toMatchObject({ written: 1, unchanged: many - 1, others: 1 })
    expect(isSound(replaced.differences)).toBe(true)
    expect(await to.get(aPage("other").url)).toBeNull()
    expect(await to.stats()).toEqual(await from.stats())
  })
})
