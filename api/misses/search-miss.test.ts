import { expect, test } from "vitest"

import { parseQueryText } from "#engine/text/query-text.ts"

import { searchedOf, type SearchMissParts } from "./search-miss.ts"

const never = (): never => {
  throw new Error("asked for")
}

test("of a search that found something nothing is looked up but how complete its sources are", async () => {
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
