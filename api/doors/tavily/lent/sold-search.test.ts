import { describe, expect, test } from "vitest"

import { readSettings } from "#base/settings.ts"

import { apiSettings } from "../../../settings.ts"
import { paidRequestReader, paidSearchSchema, soldSearch } from "./sold-search.ts"
import { pricing } from "../../x402/pricing.ts"
import { paymentTerms } from "../../x402/terms.ts"

const limits = readSettings(apiSettings, {})
const read = paidRequestReader(limits)

describe("a paid request", () => {
  test("uses advanced depth, and never returns operator reports", async () => {
    const { request, warnings } = await read({
      query: "pumps",
      explain: "as you like",
      include_evidence: 1,
      include_facets: 2,
      include_usage: 3,
      include_word_statistics: 4,
      sources: 5,
      collections: 6,
      word_statistics: 7,
      of_no_meaning: 8,
    })
    expect(request).toEqual((await read({ query: "pumps" })).request)
    expect(warnings.map(({ code, field }) => [code, field])).toEqual(
      [
        "explain",
        "include_evidence",
        "include_facets",
        "include_usage",
        "include_word_statistics",
        "sources",
        "collections",
        "word_statistics",
        "of_no_meaning",
      ].map((field) => ["unknown-field", field]),
    )
    expect(request).toMatchObject({
      query: "pumps",
      search_depth: "advanced",
      explain: false,
      include_evidence: false,
      include_usage: false,
      include_word_statistics: false,
    })
    for (const field of ["include_facets", "sources", "collections", "word_statistics", "of_no_meaning"])
      expect(request).not.toHaveProperty(field)
  })

  test("limits its query to a thousand characters, however many bytes each takes", async () => {
    expect((await read({ query: "𝒳".repeat(1000) })).request.query).toHaveLength(2000)
    const error = "Invalid query. Must be a string of 1 to 1000 characters."
    await expect(read({ query: "x".repeat(1001) })).rejects.toThrow(error)
    await expect(read({})).rejects.toThrow("Missing query. Must be a string of 1 to 1000 characters.")
  })

  test.each([1, 50, "auto"])("may ask for %s results", async (results) => {
    const { request } = await read({ query: "pumps", max_results: results, search_depth: "advanced" })
    expect(request.max_results).toBe(results)
  })

  test.each([
    { max_results: 0 },
    { max_results: 51 },
    { max_results: 1.5 },
    { max_results: "all" },
    { search_depth: "basic" },
    { search_depth: "ultra-fast" },
  ])("may not ask for %o", async (more) => {
    await expect(read({ query: "pumps", ...more })).rejects.toThrow(`Invalid ${Object.keys(more)[0]}.`)
  })
})

test.each([
  [true, [2, 1]],
  [false, [2]],
])(
  "the price list says what is sold, for how much, and how it is paid; with version 1: %s",
  async (v1, versions) => {
    const terms = await paymentTerms({
      network: "eip155:8453",
      payTo: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      publicUrl: "https://search.example",
      v1,
    })
    expect(pricing(terms, soldSearch(limits))).toEqual({
      version: "1.0.0",
      endpoints: [
        {
          method: "POST",
          path: "/search",
          url: "https://search.example/search",
          description: "Web search at advanced depth, one request",
          price: { type: "fixed", currency: "USD", amount: "0.010000", per: "request" },
          charged: "Only for answers with status 200, including those without results.",
          request: {
            content_type: "application/json",
            required: ["query"],
            query: "a string of 1 to 1000 characters",
            search_depth: ["advanced"],
            max_results: [
              { type: "integer", minimum: 1, maximum: 50 },
              { type: "string", enum: ["auto"] },
            ],
            fields: Object.keys(paidSearchSchema.properties),
          },
          payment: { protocol: "x402", versions, accepts: [terms.requirements] },
        },
      ],
    })
  },
)
