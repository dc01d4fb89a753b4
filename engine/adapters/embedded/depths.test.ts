import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { havingWaited } from "#base/flow/caller.ts"
import { Degraded } from "#base/flow/degraded.ts"
import type { SearchDepth } from "../../engine.ts"
import { HashingEmbedder } from "../../testing/hashing-embedder.ts"
import { analyse } from "../../text/analysis/analyse.ts"
import { aPage, urlOf } from "../../testing/pages.ts"
import { EmbeddedEngine } from "./embedded-engine.ts"

let dir: string
let engine: EmbeddedEngine
let embedded: string[]
let readAgain: string[]
let tokenVectors: HashingEmbedder["tokenVectors"]

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fossick-depths-"))
  const embedder = new HashingEmbedder()
  const embed = embedder.embed.bind(embedder)
  tokenVectors = embedder.tokenVectors.bind(embedder)
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

/** The given number of words, none of which are on any other page. */
const filler = (page: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${page}${i}x`).join(" ")

/** Token vectors that have nothing in common unless they are equal. Hashed into 64 dimensions, some unequal ones would have something in common. */
async function apart(texts: readonly string[]) {
  const width = 2000
  return texts.map((text) => {
    const tokens = analyse(text, "en")
    const vectors = new Float32Array(tokens.length * width)
    for (const [i, token] of tokens.entries()) vectors[i * width + dimensionOf(token)] = 1
    return { tokens, vectors }
  })
}

const dimensions = new Map<string, number>()
function dimensionOf(token: string): number {
  if (!dimensions.has(token)) dimensions.set(token, dimensions.size)
  return dimensions.get(token)!
}

/** Two pages that contain the words of the question equally often, but only one of them contains them next to each other. */
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

/** Pages that match the question equally well, among others. */
async function indexAlike(sentence: string, count: number): Promise<void> {
  await engine.index([
    ...Array.from({ length: count }, (_, i) =>
      aPage(`alike-${i}`, { title: `Pipes ${i}`, markdown: `${sentence} ${filler(`marble${i}y`, 50)}` }),
    ),
    ...Array.from({ length: 20 }, (_, i) => aPage(`other-${i}`, { markdown: filler(`granite${i}y`, 50) })),
  ])
  await engine.settled()
}

/** Runs a search that has already waited this long, and returns its hits, how many of them were reread, and which parts were left out. */
async function askHavingWaited(ms: number) {
  const degraded = new Degraded()
  const hits = await degraded.collect(() => havingWaited(ms, () => ask("advanced")))
  return { hits, read: hits.filter(({ parts }) => parts.late > 0).length, without: degraded.parts }
}

const ask = async (depth: SearchDepth, text = "copper kettle", signal?: AbortSignal) =>
  (await engine.search({ text, depth, limit: 5 }, signal ? { signal } : {})).hits

describe("a search", () => {
  test("runs no model when it is fast or ultra-fast", async () => {
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast"] as const) expect(await ask(depth)).not.toHaveLength(0)
    expect([embedded, readAgain]).toEqual([[], []])
    await ask("basic")
    expect([embedded.length, readAgain.length]).toEqual([1, 0])
  })

  test("prefers words close together at every depth; fast and ultra-fast find the same", async () => {
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast", "basic", "advanced"] as const)
      expect((await ask(depth))[0]!.url).toBe(urlOf("together"))
    const [plain, fast] = [await ask("ultra-fast"), await ask("fast")]
    expect(plain.map(({ url, parts }) => [url, parts])).toEqual(fast.map(({ url, parts }) => [url, parts]))
    const value = (name: string) => fast.find(({ url }) => url === urlOf(name))!.parts.fused
    expect(value("together")).toBeGreaterThan(value("apart") * 1.2)
  })

  test("rereads passages when advanced, only once for repeated searches", async () => {
    await indexAlike("Copper pipes. The kettle sings.", 2)
    const [first] = await ask("advanced")
    expect(first!.parts.late).toBeGreaterThan(0)
    expect(readAgain.filter((text) => text.includes("Copper pipes. The kettle sings."))).toHaveLength(2)
    const read = readAgain.length
    await ask("advanced")
    expect(readAgain.slice(read)).toEqual([])
  })

  test("does not reread a page that is far enough ahead when advanced", async () => {
    await indexTogetherAndApart()
    const [first] = await ask("advanced")
    expect(first).toMatchObject({ url: urlOf("together"), parts: { late: 0 } })
    expect(readAgain.filter((text) => text.includes("sings"))).toEqual([])
  })

  test("rereads the most relevant part of a passage when advanced", async () => {
    await indexAlike(`${filler("slate", 30)}. Copper pipes. The kettle sings.`, 2)
    await ask("advanced")
    const read = readAgain.filter((text) => text.includes("The kettle sings."))
    expect(read).toHaveLength(2)
    expect(read.join(" ")).not.toContain("slate0x")
  })

  test("has a time limit when advanced, waits included, and reports an unsettled order", async () => {
    await indexAlike("Copper pipes. The kettle sings.", 8)
    const late = await askHavingWaited(60_000)
    expect([late.read, late.without, readAgain]).toEqual([0, ["order"], []])
    expect(late.hits.map(({ url }) => url)).toEqual((await ask("basic")).map(({ url }) => url))
    // A model that doesn't finish reading the fifth passage in time.
    tokenVectors = (texts, { as, signal } = {}) =>
      as === "question" || readAgain.length <= 5
        ? apart(texts)
        : new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason as Error)))
    const cut = await askHavingWaited(0)
    expect([cut.hits.length, cut.without]).toEqual([5, ["order"]])
    expect(cut.read).toBeGreaterThan(0)
  })

  test("reports nothing missing when advanced, if the time was enough or there was nothing to read", async () => {
    await indexAlike("Copper pipes. The kettle sings.", 8)
    expect(await askHavingWaited(0)).toMatchObject({ without: [] })
    await engine.index([aPage("copper-kettle", { title: "Copper kettle", markdown: "The copper kettle." })])
    await engine.settled()
    expect(await askHavingWaited(60_000)).toMatchObject({ read: 0, without: [] })
  })

  test("rereads nothing when advanced, if a page answers in the question's own words", async () => {
    await engine.index([aPage("copper-kettle", { title: "Copper kettle", markdown: "The copper kettle." })])
    await indexTogetherAndApart()
    const [first] = await ask("advanced")
    expect(first).toMatchObject({ url: urlOf("copper-kettle"), parts: { late: 0 } })
    expect(first!.parts.lexical).toBeGreaterThan(0.5)
    expect(readAgain).toEqual([])
  })

  test("rereads passages for the corrected words when advanced", async () => {
    await indexAlike("Copper pipes. The kettle sings.", 2)
    tokenVectors = apart
    const lateOf = async (text: string) => (await ask("advanced", text))[0]!.parts.late
    expect(await lateOf("copper kettel")).toBeCloseTo(1)
    // "trombone" isn't corrected: it is a known word, although it isn't on this page.
    expect(await lateOf("copper trombone")).toBeLessThan(0.7)
  })

  test("is cancelled along with its caller when advanced", async () => {
    await indexTogetherAndApart()
    const giveUp = new AbortController()
    const asked = ask("advanced", "copper kettle", giveUp.signal)
    giveUp.abort(new Error("no longer needed"))
    await expect(asked).rejects.toThrow("no longer needed")
  })

  test("gives no unrelated page a high score at any depth", async () => {
    tokenVectors = apart
    await indexTogetherAndApart()
    for (const depth of ["ultra-fast", "fast", "basic", "advanced"] as const) {
      const [hit] = await ask(depth, "flights from Paris to Tokyo")
      expect(hit?.score ?? 0).toBeLessThanOrEqual(0.25)
    }
  })
})
