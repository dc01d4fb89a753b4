import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { KnownTerms } from "./known-terms.ts"

describe("known terms", () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "fossick-known-"))
  })
  afterEach(() => rm(dir, { recursive: true }))

  test("come from the pages, and survive a reload", async () => {
    const known = await KnownTerms.load(dir)
    const terms = Array.from({ length: 20_000 }, (_, i) => `term${i}`)
    known.add(terms.join(" "))
    await known.save(dir)
    const read = await KnownTerms.load(dir)
    expect(terms.filter((term) => !read.has(term))).toEqual([])
    expect(terms.filter((term) => read.has(`${term}x`))).toEqual([])
    expect(await read.newest(dir)).toBe(read)
    known.add("newer")
    await known.save(dir)
    expect((await read.newest(dir)).has("newer")).toBe(true)
  })

  test("start over when the file is damaged", async () => {
    await writeFile(path.join(dir, "known-terms.bin"), "short")
    expect((await KnownTerms.load(dir)).has("term")).toBe(false)
  })
})
