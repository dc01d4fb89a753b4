import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { SearchDepth } from "../../engine.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { aPage, urlOf } from "../../testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"

let dir: string
let engine: EmbeddedEngine
let embedded: string[]
let readAgain: string[]

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-depths-"))
  const embedder = new HashingEmbedder()
  const [embed, tokenVectors] = [embedder.embed.bind(embedder), embedder.tokenVectors.bind(embedder)]
  embedded = []
  readAgain = []
  embedder.embed = (texts, options) => {
    if (options?.priority === "query") embedded.push(...texts)
    return embed(texts, options)
  }
  embedder.tokenVectors = (texts, options) => {
    readAgain.push(...texts)
    return tokenVectors(texts, options)
  }
  engine = await EmbeddedEngine.open({ dir, embedder, mode: "write" })
})

afterEach(async () => {
  await engine[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** As many words as asked for, shared with no other page. */
const filler = (page: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${page}${i}x`).join(" ")

/** Two pages with the words of the question, as often; only in one do they stand together. */
async function indexTogetherAndApart(): Promise<void> {
  const [one, other] = ["Copper pipes.", "The kettle sings."]
  const markdown = {
    apart: `# A\n\n${one} ${filler("slate", 50)}\n\n# B\n\n${filler("chalk", 50)} ${other}`,
    together: `# A\n\n${one} ${other} ${filler("marble", 50)}\n\n# B\n\n${filler("quartz", 50)}`,
  }
  await engine.index([
    aPage("apart", { title: "Left", markdown: markdown.apart }),
    aPage("together", { title: "Right", markdown: markdown.together }),
    ...Array.from({ length: 20 }, (_, i) => aPage(`other-${i}`, { markdown: filler(`granite${i}y`, 50) })),
  ])
  await engine.settled()
}

const ask = async (depth: SearchDepth, text = "copper kettle", signal?: AbortSignal) =>
  (await engine.search({ text, depth, limit: 5 }, signal ? { signal } : {})).hits

describe("a search", () => {
  test("asks the model for nothing when it is fast or ultra-fast", async () => {
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast"] as const) expect(await ask(depth)).not.toHaveLength(0)
    expect([embedded, readAgain]).toEqual([[], []])
    await ask("basic")
    expect([embedded.length, readAgain.length]).toEqual([1, 0])
  })

  test("prefers words that stand together at every depth; fast and ultra-fast find the same", async () => {
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast", "basic", "advanced"] as const)
      expect((await ask(depth))[0]!.url).toBe(urlOf("together"))
    const [plain, fast] = [await ask("ultra-fast"), await ask("fast")]
    expect(plain.map(({ url, parts }) => [url, parts])).toEqual(fast.map(({ url, parts }) => [url, parts]))
    const value = (name: string) => fast.find(({ url }) => url === urlOf(name))!.parts.fused
    expect(value("together")).toBeGreaterThan(value("apart") * 1.2)
  })

  test("that is advanced reads the best passages again, once for all times they are asked for", async () => {
    await indexTogetherAndApart()
    const [first] = await ask("advanced")
    expect(first!.url).toBe(urlOf("together"))
    const read = readAgain.length
    expect(readAgain.filter((text) => text.includes("Copper pipes. The kettle sings."))).toHaveLength(1)
    await ask("advanced")
    expect(readAgain.slice(read)).toEqual(["copper kettle"])
  })

  test("that is advanced is given up when its caller gives up", async () => {
    await indexTogetherAndApart()
    const giveUp = new AbortController()
    const asked = ask("advanced", "copper kettle", giveUp.signal)
    giveUp.abort(new Error("no longer needed"))
    await expect(asked).rejects.toThrow("no longer needed")
  })

  test("scores no unrelated page high at any depth", async () => {
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast", "basic", "advanced"] as const) {
      const [hit] = await ask(depth, "flights from Paris to Tokyo")
      expect(hit?.score ?? 0).toBeLessThanOrEqual(0.25)
    }
  })
})
