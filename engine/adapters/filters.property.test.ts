import * as fc from "fast-check"
import { expect, test } from "vitest"
import { madeUp } from "#base/testing/made-up.ts"
import type { Condition } from "../index/search-index.ts"
import { placeOf } from "../index/page/domains.ts"
import { facetValue, filterOf } from "./meilisearch/filter.ts"
import { filtersOf, type QueryClause } from "./opensearch/filter.ts"
import { DOMAINS } from "../testing/domain-oracle.ts"

// Runs the filters that the servers receive in a small interpreter and compares the results with a naive oracle. This
// proves, without a server, that a filter means what it should.

type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

const DAY = 86_400_000
const SOURCES = ["s0", "S0", "sö", "s 1"]
const aPage = fc.record({
  url: fc.constantFrom(
    "https://example.com/",
    "https://docs.example.com/",
    "http://localhost:8080/",
    "https://example.co.uk/",
  ),
  language: fc.constantFrom("en", "de", null),
  country: fc.constantFrom("fr", "de", null),
  topic: fc.constantFrom("news", "finance", null),
  type: fc.constantFrom("html", "pdf"),
  published: fc.option(fc.nat(9)),
  unsafe: fc.boolean(),
  sources: fc.subarray(SOURCES, { minLength: 1 }),
})
type PageOf = typeof aPage extends fc.Arbitrary<infer T> ? T : never

const list = <T>(...all: readonly T[]) => fc.subarray([...all], { maxLength: 2 })
const day = fc.nat(9).map((number) => new Date(number * DAY))
const aCondition: fc.Arbitrary<Condition> = fc.record(
  {
    includeDomains: list("example.com", "docs.example.com", "localhost", "localhost:8080", "co.uk"),
    excludeDomains: list("example.com", "docs.example.com", "localhost:1", "example.co.uk:443"),
    publishedFrom: day,
    publishedBefore: day,
    requirePublished: fc.boolean(),
    languages: list("en", "de", `a" OR key > 0 OR host = "b`),
    countries: list("fr", "de"),
    topics: list<"news" | "finance">("news", "finance"),
    types: list<"html" | "pdf">("html", "pdf"),
    sources: list(...SOURCES, "none"),
    excludeSources: list(...SOURCES),
    safe: fc.boolean(),
  },
  { requiredKeys: [] },
)

function naive(page: PageOf, condition: Condition): boolean {
  const url = new URL(page.url)
  const among = <T>(all: readonly T[] | undefined, holds: (one: T) => boolean) =>
    all === undefined || all.length === 0 || all.some(holds)
  const { publishedFrom: from, publishedBefore: before } = condition
  const at = page.published === null ? null : page.published * DAY
  return (
    among(condition.includeDomains, (name) => DOMAINS[name]!(url)) &&
    !condition.excludeDomains?.some((name) => DOMAINS[name]!(url)) &&
    (at === null
      ? !(condition.requirePublished === true && (from !== undefined || before !== undefined))
      : (from === undefined || at >= from.getTime()) && (before === undefined || at < before.getTime())) &&
    among(condition.languages, (one) => one === page.language) &&
    among(condition.countries, (one) => one === page.country) &&
    among(condition.topics, (one) => one === page.topic) &&
    among(condition.types, (one) => one === page.type) &&
    among(condition.sources, (one) => page.sources.includes(one)) &&
    !condition.excludeSources?.some((one) => page.sources.includes(one)) &&
    !(condition.safe === true && page.unsafe)
  )
}

/** A page's fields; `value` converts a text to the form that the index stores. */
const fieldsOf = ({ url, sources, published, ...page }: PageOf, value: (text: string) => string): Fields => {
  const { host, domain, port } = placeOf(url)
  const text = (one: string | null) => one && value(one)
  return {
    ...page,
    host: value(host),
    domain: value(domain),
    port,
    published: published === null ? null : published * DAY,
    source: sources.map(value),
    language: text(page.language),
    country: text(page.country),
    topic: text(page.topic),
  }
}

const holdsAny = (field: Fields[string] | undefined, values: readonly unknown[]): boolean =>
  (Array.isArray(field) ? (field as readonly unknown[]) : [field]).some((one) => values.includes(one))

/** The part of OpenSearch's query language that filters use. */
function passes(fields: Fields, clause: QueryClause): boolean {
  const [[kind, body]] = Object.entries(clause) as [[string, Record<string, unknown>]]
  const [[name, value]] = (Object.entries(body).length > 0 ? Object.entries(body) : [["", null]]) as [
    [string, unknown],
  ]
  switch (kind) {
    case "match_none":
      return false
    case "terms":
      return holdsAny(fields[name], value as unknown[])
    case "term":
      return holdsAny(fields[name], [value])
    case "exists":
      return fields[String(value)] !== null
    case "range": {
      const { gte = -Infinity, lt = Infinity } = value as { gte?: number; lt?: number }
      const own = fields[name]
      return typeof own === "number" && own >= gte && own < lt
    }
    case "bool": {
      const { filter = [], should, must_not: never = [] } = body as Record<string, QueryClause[]>
      return (
        filter.every((one) => passes(fields, one)) &&
        (should === undefined || should.some((one) => passes(fields, one))) &&
        !never.some((one) => passes(fields, one))
      )
    }
    default:
      throw new Error(`unknown: ${kind}`)
  }
}

/** Meilisearch's filter expressions: NOT binds more tightly than AND, and AND more tightly than OR. */
function reads(fields: Fields, expression: string): boolean {
  const tokens = expression.match(/"(?:[^"\\]|\\.)*"|NOT EXISTS|[()[\],]|>=|[<=]|[^\s()[\],]+/g) ?? []
  let at = 0
  const take = (): string => tokens[at++] ?? ""
  const valueOf = (token: string): unknown =>
    token.startsWith('"')
      ? token.slice(1, -1).replace(/\\(.)/g, "$1")
      : /^(?:true|false)$/.test(token)
        ? token === "true"
        : Number(token)
  const or = (): boolean => {
    let result = and()
    while (tokens[at] === "OR") {
      take()
      const next = and()
      result ||= next
    }
    return result
  }
  const and = (): boolean => {
    let result = one()
    while (tokens[at] === "AND") {
      take()
      const next = one()
      result &&= next
    }
    return result
  }
  const one = (): boolean => {
    const token = take()
    if (token === "NOT") return !one()
    if (token === "(") {
      const result = or()
      if (take() !== ")") throw new Error(`no end in ${expression}`)
      return result
    }
    const field = fields[token]
    const operator = take()
    if (operator === "NOT EXISTS") return field === null
    if (operator === "IN") {
      const values: unknown[] = []
      if (take() !== "[") throw new Error(`no list in ${expression}`)
      for (let next = take(); next !== "]"; next = take()) {
        if (next === "") throw new Error(`no end of a list in ${expression}`)
        if (next !== ",") values.push(valueOf(next))
      }
      return holdsAny(field, values)
    }
    const value = valueOf(take())
    if (operator === "=") return holdsAny(field, [value])
    return typeof field === "number" && (operator === ">=" ? field >= Number(value) : field < Number(value))
  }
  const result = or()
  if (at !== tokens.length) throw new Error(`more in ${expression}`)
  return result
}

test("filters sent to an OpenSearch cluster match the right pages", () => {
  fc.assert(
    fc.property(aPage, fc.array(aCondition, { minLength: 1, maxLength: 2 }), (page, conditions) => {
      const fields = fieldsOf(page, (text) => text)
      const passed = filtersOf(conditions).every((clause) => passes(fields, clause))
      expect(passed).toBe(conditions.every((condition) => naive(page, condition)))
    }),
    madeUp(1000, 11),
  )
})

test("filters sent to a Meilisearch server match the right pages", () => {
  fc.assert(
    fc.property(aPage, fc.array(aCondition, { minLength: 1, maxLength: 2 }), (page, conditions) => {
      const filter = filterOf(conditions)
      const passed = filter === undefined || reads(fieldsOf(page, facetValue), filter)
      expect(passed).toBe(conditions.every((condition) => naive(page, condition)))
    }),
    madeUp(1000, 12),
  )
})
