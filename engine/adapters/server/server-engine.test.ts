import { tmpdir } from "node:os"
import { afterEach, expect, test, vi } from "vitest"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import type { Backend, IndexState } from "./backend.ts"
import { ServerEngine } from "./server-engine.ts"

afterEach(() => vi.restoreAllMocks())

const AT_REST: IndexState = { pages: 3, passages: 9, waiting: 0, byLanguage: new Map(), lastWritten: 7 }

/** A reader of an index on a server; the test sets the server's state and how long its queries take. */
async function reading(state: IndexState) {
  const embedder = new HashingEmbedder()
  let now = performance.now()
  vi.spyOn(performance, "now").mockImplementation(() => now)
  const server = { asked: 0, state }
  const backend = {
    supports: { adapter: "scripted", typoTolerance: false, exactPhrase: true, readerLagMs: 1000 },
    explain: (error: unknown) => error,
    checkVersion: () => Promise.resolve(),
    manifest: () => Promise.resolve({ format: 1, embedder: embedder.id, dimensions: embedder.dimensions }),
    refuseOtherFormat: () => undefined,
    state: () => {
      server.asked++
      return Promise.resolve(server.state)
    },
    searchIndex: () => ({}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  } as unknown as Backend
  const engine = await ServerEngine.open({ backend, name: "test", lockDir: tmpdir(), embedder, mode: "read" })
  return {
    server,
    engine,
    /** Asks a question every half second. */
    async questions(seconds: number): Promise<number> {
      const before = server.asked
      for (let i = 0; i < 2 * seconds; i++) {
        now += 501
        await engine.search({ text: "", limit: 1 })
      }
      return server.asked - before
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

test("an unchanged index is polled less and less often, and a changing one every half second", async () => {
  await using reader = await reading(AT_REST)
  await reader.questions(20)
  expect(await reader.questions(30)).toBeLessThan(7)
  const written = async (times: number) => {
    let asked = 0
    for (let i = 0; i < times; i++) {
      reader.server.state = { ...AT_REST, lastWritten: reader.server.state.lastWritten! + 1 }
      asked += await reader.questions(0.5)
    }
    return asked
  }
  await written(10)
  expect(await written(10)).toBe(10)
})

test("statistics on demand are current", async () => {
  await using reader = await reading(AT_REST)
  await reader.questions(20)
  reader.server.state = { ...AT_REST, pages: 4, lastWritten: 8 }
  expect((await reader.engine.stats()).pages).toBe(4)
})

test("an index with waiting pages, or whose server reports no writes, is polled every half second", async () => {
  const { lastWritten: _lastWritten, ...silent } = AT_REST
  for (const state of [{ ...AT_REST, waiting: 1 }, silent]) {
    await using reader = await reading(state)
    expect(await reader.questions(10)).toBe(20)
    vi.restoreAllMocks()
  }
})
