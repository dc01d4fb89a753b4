import { expect, test } from "vitest"
import { termHash } from "./analysis/term-hash.ts"
import { termsOf } from "./analysis/known-chunks.ts"
import { hashesIn, packTerms, unpackTerms } from "./passage-terms.ts"

const names = {
  title: ["name", "page"],
  address: ["docs", "name"],
  single: [["name"], ["name", "page"]],
}
const page = {
  ...names,
  passages: [
    { headings: [termsOf(["one"]), termsOf([])], text: termsOf(["two"]) },
    { headings: [], text: termsOf([]) },
    { headings: [], text: termsOf(["one"]) },
  ],
}
const hashes = (terms: readonly string[]) => terms.map(termHash)

test("a page's names and passages come back as hashes, each with its own, including empty ones", () => {
  const { title, address, single, passages } = unpackTerms(packTerms(page))
  expect([...title]).toEqual(hashes(page.title))
  expect([...address]).toEqual(hashes(page.address))
  expect(single.map((name) => [...name])).toEqual(page.single.map(hashes))
  expect([...passages.lengths]).toEqual([2, 0, 1])
  expect([...passages.hashes]).toEqual(hashes(["one", "two", "one"]))
})

test("hashes are read at any byte offset", () => {
  const packed = packTerms(page)
  const moved = new Uint8Array(packed.length + 1)
  moved.set(packed, 1)
  expect(unpackTerms(moved.subarray(1))).toEqual(unpackTerms(packed))
})

test("a page without names and passages has no hashes, nor has one that was never packed", () => {
  for (const packed of [packTerms({ title: [], address: [], single: [], passages: [] }), new Uint8Array()]) {
    const { title, single, passages } = unpackTerms(packed)
    expect([title.length, single.length, passages.lengths.length, passages.hashes.length]).toEqual([
      0, 0, 0, 0,
    ])
    expect([...hashesIn(packed)]).toEqual([])
  }
})

test("all of a page's hashes are those of its names and passages", () => {
  const { title, address, single } = names
  expect([...hashesIn(packTerms(page))]).toEqual(
    hashes([...title, ...address, ...single.flat(), "one", "two", "one"]),
  )
})
