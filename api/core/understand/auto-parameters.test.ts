import { describe, expect, test } from "vitest"

import { choose, type Given } from "./auto-parameters.ts"

const now = new Date("2026-03-04T12:00:00Z")
const chosenFor = (question: string, given: Given = {}) => choose(question, given, now)

describe("automatic parameters chosen from the query", () => {
  test.each<[string, ReturnType<typeof chosenFor>]>([
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
    ["news of today", { topic: "news", since: "day" }],
    ["how is COBOL used today", {}],
    ["what changed this week", { since: "week" }],
    ["decided yesterday by the council", { since: "week" }],
    ["papers of the past month", { since: "month" }],
    ["decisions of last week", { since: "month" }],
    ["best laptops 2026", { since: "year" }],
    ["election results 2019", {}],
    ["postgres vs mysql", { depth: "advanced" }],
    ["compare two strings", {}],
    ["compare REST and GraphQL", { depth: "advanced" }],
    ["compare the memory use of REST servers with that of GraphQL servers", { depth: "advanced" }],
    ["comparing SQLite to DuckDB", { depth: "advanced" }],
    ["how to choose between SQLite and DuckDB", { depth: "advanced" }],
    ["which is better, SQLite or DuckDB", { depth: "advanced" }],
    ["compare dates", {}],
    ["comparable and sortable types", {}],
    ["canvas and webgl", {}],
    ["SQLite compared to DuckDB", { depth: "advanced" }],
    ["difference between a lease and a licence", { depth: "advanced" }],
    ["how does a lease end and who pays the rent", { depth: "advanced" }],
    ["What is a lease? Who signs it?", { depth: "advanced" }],
    [
      "lease signed tenant landlord rent deposit notice repair insurance garden parking heating furniture",
      { depth: "advanced" },
    ],
    ["how do I parse dates, according to docs.python.org", { domains: ["docs.python.org"] }],
    ["prices on www.Example.com", { domains: ["www.example.com"] }],
    ["https://example.com/x says what", { domains: ["example.com"] }],
    ["node.js on alpine.linux", {}],
    ["from co.uk", {}],
  ])("%s", (query, chosen) => {
    expect(chosenFor(query)).toEqual({ depth: "basic", topic: "general", ...chosen })
  })
})

describe("explicit parameters", () => {
  const query = "postgres vs mysql: news of today from example.com"

  test("are not needed when the caller set everything", () => {
    expect(chosenFor(query)).toEqual({
      depth: "advanced",
      topic: "news",
      since: "day",
      domains: ["example.com"],
    })
  })

  test("keep the country in force by leaving the topic general", () => {
    expect(chosenFor(query, { hasCountry: true })).toMatchObject({ topic: "general" })
  })

  test.each<[Given, string[]]>([
    [{ depth: "fast" }, ["depth"]],
    [{ topic: "news" }, ["topic"]],
    // With the topic "news", "today" asks for recent pages; with "general" it is only a word.
    [{ topic: "general" }, ["since", "topic"]],
    [{ hasDates: true }, ["since"]],
    [{ hasDomains: true }, ["domains"]],
  ])("%j", (given, missing) => {
    const all = chosenFor(query)
    expect(
      Object.keys(all)
        .filter((name) => !(name in chosenFor(query, given)))
        .sort(),
    ).toEqual(missing)
  })
})
