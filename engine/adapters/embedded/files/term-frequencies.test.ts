import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { termHash } from "../../../text/analysis/term-hash.ts"
import { TermFrequencies } from "./term-frequencies.ts"

const hashes = (terms: string) => terms.split(" ").map(termHash)

describe("term frequencies", () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "fossick-terms-"))
  })
  afterEach(() => rm(dir, { recursive: true }))

  test("give the rarity of a term, counted once per page", async () => {
    const counted = await TermFrequencies.load(dir)
    for (let i = 0; i < 99; i++) counted.add(hashes("common common words"), "en")
    counted.add(hashes("rare words"), null)
    const idf = (frequency: number) => Math.log(1 + (100 - frequency + 0.5) / (frequency + 0.5))
    expect(counted.idf("common")).toBeCloseTo(idf(99))
    expect(counted.idf("rare")).toBeCloseTo(idf(1))
    expect(counted.idf("words")).toBeCloseTo(idf(100))
    expect(counted.idf("unheard")).toBeCloseTo(idf(0))
    expect([counted.shareOf("en"), counted.shareOf("de")]).toEqual([0.99, 0.01])
  })

  test("are loaded as they were saved, and newer ones replace them", async () => {
    const counted = await TermFrequencies.load(dir)
    counted.add(hashes("a b"), "en")
    await counted.save(dir)
    const read = await TermFrequencies.load(dir)
    for (const term of ["a", "c"]) expect(read.idf(term)).toBe(counted.idf(term))
    expect(await read.newest(dir)).toBe(read)
    counted.add(hashes("c"), "en")
    await counted.save(dir)
    expect((await read.newest(dir)).idf("c")).toBe(counted.idf("c"))
  })

  test("start over when the file is damaged", async () => {
    await writeFile(path.join(dir, "terms.bin"), "short")
    const counted = await TermFrequencies.load(dir)
    counted.add(hashes("a"), "en")
    expect(counted.idf("a")).toBeCloseTo(Math.log(1 + 0.5 / 1.5))
  })
})
