import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Difference } from "./address-forms.ts"
import { type Pair, SiteEvidence } from "./site-evidence.ts"

function evidence(...pairs: readonly Pair[]): SiteEvidence {
  const site = new SiteEvidence()
  for (const pair of pairs) site.add(pair)
  return site
}

const agree = (difference: Difference, pages: number, value = ""): Pair[] =>
  Array.from({ length: pages }, (_, page) => ({ difference, page: `/${page}`, value, agrees: true }))

const differ = (difference: Difference, value = ""): Pair => ({
  difference,
  page: "/x",
  value,
  agrees: false,
})

describe("a form of an address", () => {
  test("is ignored after five pages", () => {
    expect(evidence(...agree("slash", 4)).rules.forms.size).toBe(0)
    expect(evidence(...agree("slash", 5)).rules.forms.get("slash")).toBe(false)
  })

  test("is spelled as the site links to it", () => {
    expect(evidence(...agree("slash", 5, "yes")).rules.forms.get("slash")).toBe(true)
    expect(evidence(...agree("https", 5)).rules.forms.get("https")).toBe(true)
    expect(evidence(...agree("https", 5, "no")).rules.forms.get("https")).toBe(false)
  })

  test("counts for nothing after one counter-example", () => {
    expect(evidence(...agree("slash", 8), differ("slash")).rules.forms.size).toBe(0)
  })

  test("is learned from pages, not from one page seen often", () => {
    const pair: Pair = { difference: "www", page: "/", value: "", agrees: true }
    expect(evidence(...Array.from({ length: 50 }, () => pair)).rules.forms.size).toBe(0)
  })
})

describe("a parameter", () => {
  const sessions = Array.from({ length: 9 }, (_, at): Pair => ({
    difference: "parameter:sid",
    page: `/${at % 3}`,
    value: `s${at}`,
    agrees: true,
  }))

  test("is ignored if many values on several pages made no difference", () => {
    expect([...evidence(...sessions).rules.parameters]).toEqual(["sid"])
    expect(evidence(...sessions.slice(0, 7)).rules.parameters.size).toBe(0)
    expect(evidence(...sessions, differ("parameter:sid", "s99")).rules.parameters.size).toBe(0)
  })

  test("with few values is ignored value by value", () => {
    const { rules } = evidence(
      ...agree("parameter:sort", 5, "name"),
      ...agree("parameter:sort", 4, "price"),
      differ("parameter:sort", "random"),
    )
    expect(rules.parameters.size).toBe(0)
    expect([...rules.values]).toEqual(["sort=name"])
  })

  test("for pagination or language is never ignored", () => {
    const { rules } = evidence(...agree("parameter:page", 8, "1"), ...agree("parameter:Lang", 8, "en"))
    expect(rules).toMatchObject({ parameters: new Set(), values: new Set() })
  })
})

test("the same evidence gives the same rules in any order, and what is stored is limited", () => {
  const pair = fc.record({
    difference: fc.constantFrom<Difference>("slash", "parameter:a", "parameter:b"),
    page: fc.constantFrom("/1", "/2", "/3", "/4", "/5", "/6"),
    value: fc.constantFrom("", "1", "2"),
    agrees: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 60 }), (pairs) => {
      const one = evidence(...pairs)
      const other = evidence(...pairs.toReversed())
      // Which votes are kept may depend on the order; which differences are overlooked may not.
      expect([...other.rules.forms.keys()]).toEqual([...one.rules.forms.keys()])
      expect([...other.rules.values].sort()).toEqual([...one.rules.values].sort())
      expect(one.rules.forms.has("slash") && pairs.some((p) => p.difference === "slash" && !p.agrees)).toBe(
        false,
      )
    }),
  )
  const site = new SiteEvidence()
  for (let at = 0; at < 20_000; at++) {
    site.add({ difference: `parameter:p${at % 100}`, page: `/${at}`, value: `${at}`, agrees: true })
  }
  expect(site.pairs("parameter:p0").length).toBeLessThanOrEqual(40)
  expect(site.pairs("parameter:p99")).toEqual([])
})
