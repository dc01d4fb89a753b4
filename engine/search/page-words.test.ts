import { expect, test } from "vitest"
import type { SearchIndex } from "../index/search-index.ts"
import { termsOf } from "../text/analysis/known-chunks.ts"
import { packTerms } from "../text/passage-terms.ts"
import { PageWords } from "./page-words.ts"

const QUESTION = [{ terms: ["pump"], idf: 4, asked: 4 }]

/** An index whose pages contain the word this many times, among other words. */
function indexOf(pages: Readonly<Record<string, number>>) {
  const read: string[] = []
  const index = {
    async *passageTerms(ids: readonly string[]) {
      for (const id of ids) {
        read.push(id)
        const times = pages[id]
        if (times === undefined) continue
        const terms = [...Array<string>(times).fill("pump"), "oil", "seal"]
        yield [
          id,
          packTerms({
            title: [],
            address: [],
            single: [],
            passages: [{ headings: [], text: termsOf(terms) }],
          }),
        ] as const
      }
    },
  }
  const searched = index as unknown as SearchIndex
  return { words: new PageWords(searched, { words: QUESTION }), read, index: searched }
}

test("each page is read once, and a deleted one counts as empty", async () => {
  const { words, read } = indexOf({ a: 1, b: 3 })
  await words.readLikeliest(["a", "b", "gone"], 9, new Map())
  await words.readLikeliest(["b", "a"], 9, new Map())
  expect(read).toEqual(["a", "b", "gone"])
  expect(words.share("b")).toBeGreaterThan(words.share("a"))
  expect(words.share("gone")).toBe(0)
  expect(words.passages("gone")).toBeNull()
})

test("words on no page that was read count in full, unless the question may be in a foreign language", async () => {
  const { index } = indexOf({ a: 1, b: 0 })
  const words = [...QUESTION, { terms: ["turbine"], idf: 1, asked: 12 }]
  const nowhere = async (isForeign: boolean, ...pages: string[]) => {
    const asked = new PageWords(index, { words, isForeign })
    await asked.read(pages)
    return asked.nowhere
  }
  expect(await nowhere(false, "a", "b")).toBe(0.75)
  expect(await nowhere(false, "b", "gone")).toBe(1)
  expect(await nowhere(true, "b")).toBe(0)
})

test("a page with a synonym lacks none of the question's words", async () => {
  const { index } = indexOf({ a: 1 })
  const asked = new PageWords(index, {
    words: [{ terms: ["compressor"], idf: 4, asked: 4 }],
    variants: [QUESTION],
  })
  await asked.read(["a"])
  expect(asked.nowhere).toBe(0)
})

test("only the likeliest pages are read, and the others keep the arm's score", async () => {
  const { words, read } = indexOf({ a: 3, b: 2, c: 1, d: 1 })
  const lexical = new Map([
    ["a", 6],
    ["b", 4],
    ["c", 3],
    ["d", 2],
  ])
  await words.readLikeliest([...lexical.keys(), "near"], 2, lexical)
  expect(read).toEqual(["a", "b"])
  const shares = [...lexical.keys()].map((id) => words.share(id))
  expect(shares).toEqual(shares.toSorted((a, b) => b - a))
  expect(shares[3]).toBeGreaterThan(0)
  expect(words.share("near")).toBe(0)
  expect(words.passages("c")).toBeNull()
})

test("a page can cover all words of a question, and less of the misspelled ones", () => {
  const reachOf = (words: ConstructorParameters<typeof PageWords>[1]["words"]) =>
    new PageWords({} as unknown as SearchIndex, { words }).reach
  expect(reachOf(QUESTION)).toBe(1)
  expect(reachOf([...QUESTION, { terms: ["seal"], idf: 2, asked: 6 }])).toBeCloseTo(0.6)
  expect(reachOf([])).toBe(1)
})

test("stems from a language of few pages count only on its pages", async () => {
  const packed = packTerms({
    title: [],
    address: [],
    single: [],
    passages: [{ headings: [], text: termsOf(["pump", "lant", "oil"]) }],
  })
  const languages: Record<string, string | null> = { english: "en", german: "de", unknown: null }
  const ids = Object.keys(languages)
  const index = {
    facts: () => Promise.resolve(new Map(ids.map((id) => [id, { language: languages[id] }]))),
    async *passageTerms() {
      for (const id of ids) yield [id, packed] as const
    },
  }
  const lantern = { terms: ["lantern"], idf: 4, asked: 4 }
  const words = new PageWords(index as unknown as SearchIndex, {
    words: [lantern],
    further: new Map([["de", [{ ...lantern, terms: ["lantern", "lant"] }]]]),
  })
  await words.read(ids)
  expect(ids.map((id) => words.share(id) > 0)).toEqual([false, true, false])
})
