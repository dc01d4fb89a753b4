import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { TermFrequencies } from "./term-frequencies.ts"

describe("term frequencies", () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "fossick-terms-"))
  })
  afterEach(() => rm(dir, { recursive: true }))

  test("bound a question by the rarity of its terms, a term counted once a page", async () => {
    const counted = await TermFrequencies.load(dir)
    for (let i = 0; i < 99; i++) counted.add("common common words")
    counted.add("rare words")
    const idf = (frequency: number) => Math.log(1 + (100 - frequency + 0.5) / (frequency + 0.5))
    expect(counted.lexicalBound(["common"])).toBeCloseTo(2.2 * idf(99))
    expect(counted.lexicalBound(["rare", "words"])).toBeCloseTo(2.2 * (idf(1) + idf(100)))
    expect(counted.lexicalBound(["unheard"])).toBeCloseTo(2.2 * idf(0))
    expect(counted.lexicalBound([])).toBe(0)
  })

  test("come back as they were saved, and newer ones replace them", async () => {
    const counted = await TermFrequencies.load(dir)
    counted.add("a b")
    await counted.save(dir)
    const read = await TermFrequencies.load(dir)
    expect(read.lexicalBound(["a", "c"])).toBe(counted.lexicalBound(["a", "c"]))
    expect(await read.newest(dir)).toBe(read)
    counted.add("c")
    await counted.save(dir)
    expect((await read.newest(dir)).lexicalBound(["c"])).toBe(counted.lexicalBound(["c"]))
  })

  test("start anew when the file is damaged", async () => {
    await writeFile(path.join(dir, "terms.bin"), "short")
    const counted = await TermFrequencies.load(dir)
    counted.add("a")
    expect(counted.lexicalBound(["a"])).toBeCloseTo(2.2 * Math.log(1 + 0.5 / 1.5))
  })
})
