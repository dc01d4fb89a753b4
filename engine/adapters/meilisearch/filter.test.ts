import { assert, asyncProperty, constantFrom, oneof, property, record, string, uniqueArray } from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import type { Condition } from "../../index/search-index.ts"
import { facetValue, filterOf, textOfFacet } from "./filter.ts"
import { pageKey } from "./server/page-key.ts"
import { Server } from "./server/server.ts"

const hostile = constantFrom(
  `a" OR key > 0 OR host = "b`,
  "it's",
  "a\\",
  `\\"`,
  "] OR true",
  " en ",
  "EN",
  "Ünï",
  "uni",
  "\0",
  "\ud800",
  "",
  "NOT",
  "_geoRadius(0, 0, 1)",
  "x".repeat(600),
)
const values = oneof(
  hostile,
  string({ unit: "binary", maxLength: 20 }),
  string({ unit: "grapheme", maxLength: 20 }),
)

test("different texts become different values, though the server folds case and accents and cuts long ones", () => {
  assert(
    property(values, values, (one, other) => {
      const value = facetValue(one)
      expect(value === facetValue(other)).toBe(one === other)
      expect(value).toMatch(/^[\x21-\x7e]{1,450}$/)
      expect(value).toBe(value.toLowerCase())
      expect(textOfFacet(value)).toBe(one.length <= 100 ? one : value)
    }),
  )
})

test("no text escapes its quotes", () => {
  assert(
    property(values, (text) => {
      const filter = filterOf([{ languages: [text], sources: [text], includeDomains: [text] }])!
      // Some of these texts could be domain names; the others are hosts.
      expect(filter.replaceAll(/"[^"\\]*"/g, "…")).toMatch(
        /^\(domain IN \[…?\] OR host IN \[…?\]\) AND \(language IN \[…\]\) AND \(source IN \[…\]\)$/,
      )
    }),
  )
})

test("an empty condition is left out, and an empty list of ids matches nothing", () => {
  expect(filterOf([{}, { languages: [], sources: [], includeDomains: [] }])).toBeUndefined()
  expect(filterOf([{ ids: [] }])).toBe("(key IN [])")
  expect(filterOf([{ excludeSources: ["handbook"] }])).toBe('(NOT (source IN ["handbook"]))')
})

test("dates are bounds in milliseconds; pages without a date match unless one is required", () => {
  const bounds = { publishedFrom: new Date(5), publishedBefore: new Date(9) }
  expect(filterOf([bounds])).toBe("(published NOT EXISTS OR ((published >= 5) AND (published < 9)))")
  expect(filterOf([{ ...bounds, requirePublished: true }])).toBe("((published >= 5) AND (published < 9))")
  expect(() => filterOf([{ publishedFrom: new Date("never") }])).toThrow(TypeError)
})

test("keys sort in the order of the ids", () => {
  const ids = ["-_aA0000", "0zzzzzzz", "A_______", "Zzzzzzzz", "_0000000", "a-------", "zzzzzzzz"]
  const keys = ids.map((id) => pageKey(`${id}aaaaaaaaaaaaaa`))
  expect(keys).toEqual(keys.toSorted((a, b) => a - b))
  expect(new Set(keys).size).toBe(ids.length)
  expect(Number.isSafeInteger(keys.at(-1))).toBe(true)
})

const url = process.env["MEILI_URL"]

describe("on a real server", { tags: ["meilisearch"] }, () => {
  const server = new Server({
    url: url ?? "http://none",
    key: process.env["MEILI_KEY"] ?? "",
    patienceMs: 1000,
  })
  const name = `filter-${process.pid}-${Date.now()}`
  afterAll(() => server.done(server.client.deleteIndex(name)))

  test("every value is found by itself, and by no other", async () => {
    await server.done(server.client.createIndex(name, { primaryKey: "id" }))
    const index = server.client.index<{ id: number; source: string }>(name)
    await server.done(index.updateFilterableAttributes(["source", "language", "host", "domain"]))
    const sources = uniqueArray(values, { minLength: 5, maxLength: 40 })
    await assert(
      asyncProperty(
        sources,
        record({ languages: uniqueArray(values), includeDomains: uniqueArray(values) }),
        async (all, other) => {
          await server.done(index.deleteAllDocuments())
          await server.done(index.addDocuments(all.map((source, id) => ({ id, source: facetValue(source) }))))
          const found = async (condition: Condition) => {
            const { hits } = await index.search("", { filter: filterOf([condition])!, limit: 100 })
            return hits.map(({ id }) => id)
          }
          for (const [id, source] of all.entries()) expect(await found({ sources: [source] })).toEqual([id])
          expect(await found({ excludeSources: all.slice(1) })).toEqual([0])
          expect(await found({ ...other, sources: all, languages: [...other.languages, "none"] })).toEqual([])
        },
      ),
      { numRuns: 5 },
    )
  })
})
