import { describe, expect, test } from "vitest"

import { chooseParameters } from "./auto-parameters.ts"
import type { SearchBody } from "../schema.ts"

const now = new Date("2026-03-04T12:00:00Z")
const choose = (query: string, given: Partial<SearchBody> = {}) =>
  chooseParameters({ query, auto_parameters: true, ...given } as SearchBody, now)

describe("chosen by the words of the query", () => {
  test.each<[string, ReturnType<typeof choose>]>([
    ["how do I reset my password", {}],
    ["who wrote the parser", {}],
    ["", {}],
    ["news about the harbour", { topic: "news" }],
    ["what is happening at the harbour", { topic: "news" }],
    ["breaking changes of version 3", {}],
    ["latest developments in battery storage", { topic: "news" }],
    ["Acme share price", { topic: "finance" }],
    ["news on the stock market", { topic: "finance" }],
    ["will Acme pay dividends", { topic: "finance" }],
    ["add a folder to $PATH", {}],
    ["how to make chicken stock", {}],
    ["bonds between atoms", {}],
    ["news of today", { topic: "news", time_range: "day" }],
    ["how is COBOL used today", {}],
    ["what changed this week", { time_range: "week" }],
    ["decided yesterday by the council", { time_range: "week" }],
    ["papers of the past month", { time_range: "month" }],
    ["decisions of last week", { time_range: "month" }],
    ["best laptops 2026", { time_range: "year" }],
    ["election results 2019", {}],
    ["postgres vs mysql", { search_depth: "advanced" }],
    ["compare two strings", {}],
    ["compare REST and GraphQL", { search_depth: "advanced" }],
    ["compare the memory use of REST servers with that of GraphQL servers", { search_depth: "advanced" }],
    ["comparing SQLite to DuckDB", { search_depth: "advanced" }],
    ["how to choose between SQLite and DuckDB", { search_depth: "advanced" }],
    ["which is better, SQLite or DuckDB", { search_depth: "advanced" }],
    ["compare dates", {}],
    ["comparable and sortable types", {}],
    ["canvas and webgl", {}],
    ["SQLite compared to DuckDB", { search_depth: "advanced" }],
    ["difference between a lease and a licence", { search_depth: "advanced" }],
    ["how does a lease end and who pays the rent", { search_depth: "advanced" }],
    ["What is a lease? Who signs it?", { search_depth: "advanced" }],
    [
      "lease signed tenant landlord rent deposit notice repair insurance garden parking heating furniture",
      { search_depth: "advanced" },
    ],
    [
      "how do I parse dates, according to docs.python.org",
      { include_domains: ["docs.python.org"], include_domains_mode: "boost" },
    ],
    ["prices on www.Example.com", { include_domains: ["www.example.com"], include_domains_mode: "boost" }],
    ["https://example.com/x says what", { include_domains: ["example.com"], include_domains_mode: "boost" }],
    ["node.js on alpine.linux", {}],
    ["from co.uk", {}],
  ])("%s", (query, chosen) => {
    expect(choose(query)).toEqual({ search_depth: "basic", topic: "general", ...chosen })
  })
})

describe("what is given is left alone", () => {
  const query = "postgres vs mysql: news of today from example.com"

  test("all of it chosen", () => {
    expect(choose(query)).toEqual({
      search_depth: "advanced",
      topic: "news",
      time_range: "day",
      include_domains: ["example.com"],
      include_domains_mode: "boost",
    })
  })

  test("a country stays in force: the topic remains general", () => {
    expect(choose(query, { country: "france" })).toMatchObject({ topic: "general" })
  })

  test.each<[Partial<SearchBody>, string[]]>([
    [{ search_depth: "fast" }, ["search_depth"]],
    [{ topic: "news" }, ["topic"]],
    // Today's are the news; in general it is only a word.
    [{ topic: "general" }, ["time_range", "topic"]],
    [{ time_range: "year" }, ["time_range"]],
    [{ start_date: "2020-01-01" }, ["time_range"]],
    [{ end_date: "2020-01-01" }, ["time_range"]],
    [{ days: 7 }, ["time_range"]],
    [{ include_domains: ["b.example"] }, ["include_domains", "include_domains_mode"]],
    [{ include_domains_mode: "filter" }, ["include_domains", "include_domains_mode"]],
  ])("%j", (given, missing) => {
    const all = choose(query)
    expect(
      Object.keys(all)
        .filter((name) => !(name in choose(query, given)))
        .sort(),
    ).toEqual(missing)
  })
})
