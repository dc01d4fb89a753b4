import { describe, expect, test } from "vitest"

import {
  ENDPOINTS,
  isUnlimited,
  type KeyScope,
  limitsPages,
  readScope,
  ScopeError,
  scopeOfCollections,
  scopeOfText,
  scopeText,
  UNLIMITED,
} from "./key-scope.ts"

describe("a written scope", () => {
  test("drops duplicates, and treats empty lists as no limit", () => {
    expect(
      readScope({
        endpoints: ["search", "search", "map"],
        sources: ["docs", "docs"],
        collections: ["all"],
        domains: ["Docs.Example", "docs.example"],
      }),
    ).toEqual({
      endpoints: ["search", "map"],
      sources: ["docs"],
      collections: ["all"],
      domains: ["docs.example"],
    })
    expect(readScope({})).toEqual(UNLIMITED)
    expect(readScope({ endpoints: [], sources: [], collections: [], domains: [] })).toEqual(UNLIMITED)
    expect(readScope({ endpoints: ENDPOINTS }).endpoints).toEqual(ENDPOINTS)
  })

  test("may name 300 sources, of 100 characters each", () => {
    const names = Array.from({ length: 300 }, (_, at) => `${"é".repeat(97)}${String(at).padStart(3, "0")}`)
    expect(readScope({ sources: names, collections: names })).toMatchObject({
      sources: names,
      collections: names,
    })
  })

  const many = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`)
  test.each([
    [
      "an endpoint that is none",
      { endpoints: ["search", "find"] },
      "Invalid endpoints. Must be some of search, extract, crawl, map, research.",
    ],
    ["a blank source", { sources: ["docs", " "] }, "Invalid sources. Must be names of 1 to 100 characters."],
    ["an empty source", { sources: [""] }, "Invalid sources. Must be names of 1 to 100 characters."],
    [
      "a long name",
      { collections: ["é".repeat(101)] },
      "Invalid collections. Must be names of 1 to 100 characters.",
    ],
    ["301 sources", { sources: many(301) }, "Invalid sources. Must have at most 300 entries."],
    ["301 collections", { collections: many(301) }, "Invalid collections. Must have at most 300 entries."],
    ["a domain that is none", { domains: ["no domain"] }, "Invalid domains: 'no domain'."],
  ])("with %s is rejected by field name", (_, written, message) => {
    expect(() => readScope(written)).toThrow(message)
    expect(() => readScope(written)).toThrow(ScopeError)
  })
})

describe("a scope", () => {
  const only = (part: Partial<KeyScope>): KeyScope => ({ ...UNLIMITED, ...part })

  test("limits pages by every part except endpoints, even with an empty list", () => {
    expect(
      [{}, { endpoints: [] }, { sources: [] }, { collections: [] }, { domains: [] }].map((part) => [
        limitsPages(only(part)),
        isUnlimited(only(part)),
      ]),
    ).toEqual([
      [false, true],
      [false, false],
      [true, false],
      [true, false],
      [true, false],
    ])
    expect(scopeOfCollections(["all"])).toEqual(only({ collections: ["all"] }))
  })

  test("is stored as text and read back, with parts that are newer than the text", () => {
    const scope = only({ sources: ["docs"], endpoints: [] })
    expect(scopeOfText(scopeText(scope))).toEqual(scope)
    expect([scopeText(UNLIMITED), scopeOfText(null)]).toEqual([null, UNLIMITED])
    expect(scopeOfText('{"sources":["docs"]}')).toEqual(only({ sources: ["docs"] }))
  })
})
