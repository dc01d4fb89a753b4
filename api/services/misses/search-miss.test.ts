import { expect, test } from "vitest"

import { parseQueryText } from "#engine/text/query-text.ts"

import { searchedOf, type SearchMissParts } from "./search-miss.ts"

const never = (): never => {
  throw new Error("asked for")
}

test("a search with results only looks up how complete its sources are", async () => {
  const parts = {
    reach: { engine: { search: never }, limits: () => null, addresses: never, page: never },
    key: { role: "search" },
    knowledge: { names: () => [], sources: async () => [], missing: never, leads: never },
    signal: new AbortController().signal,
  } as unknown as SearchMissParts
  const query = { text: parseQueryText("roses"), depth: "basic" as const }
  expect((await searchedOf(query as never, [{ score: 0.9 }], parts)).misses).toEqual([])
  await expect(searchedOf(query as never, [{ score: 0.1 }], parts)).rejects.toThrow("asked for")
})

test("while pages wait for their vectors, a miss says so instead of saying that nothing fits", async () => {
  const asked = (waiting: number) =>
    searchedOf({ text: parseQueryText("roses"), depth: "basic" } as never, [{ score: 0.1 }], {
      reach: {
        engine: { search: async () => ({ hits: [] }) },
        limits: () => null,
        addresses: async () => null,
        page: never,
      },
      key: { role: "search" },
      knowledge: {
        names: () => ["garden"],
        sources: async () => [
          {
            name: "garden",
            source: null,
            pages: 3,
            waiting,
            incomplete: null,
            completeAsOf: new Date(0),
            checkedAt: null,
            keptOut: new Map(),
            cutOff: waiting,
          },
        ],
        isUnfilled: async () => false,
        answersBeyond: async () => false,
        leads: async () => [],
        missing: never,
      },
      signal: new AbortController().signal,
    } as unknown as SearchMissParts)
  const texts = [0, 1, 2].map(async (waiting) => (await asked(waiting)).misses.map(({ text }) => text))
  const [none, one, two] = await Promise.all(texts)
  expect(none).toEqual(["No page matches. Try other words, or fewer of them."])
  expect(one).toEqual([expect.stringContaining("1 page is waiting for vectors")])
  expect(two).toEqual([expect.stringContaining("2 pages are waiting for vectors")])
  const cutOff = async (pages: number) => (await asked(pages)).coverage.sources[0]
  expect(await cutOff(0)).not.toHaveProperty("cut_off")
  expect(await cutOff(2)).toHaveProperty("cut_off", 2)
})
