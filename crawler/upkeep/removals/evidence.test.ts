import { describe, expect, test } from "vitest"
import type { PageUrl } from "#engine"
import type { OutcomeName } from "../../outcome-name.ts"
import { evidenceOf } from "./evidence.ts"

const HOME = "https://site.example/" as PageUrl
const said = (outcome: OutcomeName, status: number | null = null, leadsTo: PageUrl | null = null) =>
  evidenceOf({ outcome, status, leadsTo }, "schedule")

describe("a visit that found no page", () => {
  test.each<[OutcomeName, number | null, string, boolean]>([
    ["failed:http-status", 410, "gone", true],
    ["failed:http-status", 404, "not-found", false],
    ["skipped:noindex", 200, "noindex", true],
    ["skipped:robots", null, "robots", false],
    ["skipped:out-of-scope", null, "out-of-scope", false],
  ])("proves by %s %s that it is %s, immediately: %s", (outcome, status, reason, atOnce) => {
    expect(said(outcome, status)).toEqual({ reason, atOnce })
  })

  test.each<[OutcomeName, number | null]>([
    ["failed:http-status", 401],
    ["failed:http-status", 403],
    ["failed:http-status", 500],
    ["failed:http-status", null],
    ["failed:timeout", null],
    ["failed:dns", null],
    ["failed:refused", null],
    ["postponed", 429],
    ["skipped:soft-404", 200],
    ["skipped:too-large", 200],
    ["skipped:unsupported-type", 200],
    ["skipped:duplicate", 200],
    ["indexed", 200],
    ["unchanged", 304],
  ])(
    "proves nothing by temporary trouble, denied access or a page that only this reader cannot use: %s %s",
    (outcome, status) => {
      expect(said(outcome, status)).toBeNull()
    },
  )

  test.each<OutcomeName>([
    "skipped:noindex",
    "skipped:robots",
    "skipped:out-of-scope",
    "skipped:duplicate",
    "skipped:soft-404",
  ])("at a redirect's target proves only that the page leads elsewhere, never immediately: %s", (outcome) => {
    expect(said(outcome, 200, HOME)).toEqual({ reason: "leads-elsewhere", atOnce: false })
  })

  test("at a redirect's target proves nothing for temporary trouble, and a missing target is missing", () => {
    expect(said("failed:timeout", null, HOME)).toBeNull()
    expect(said("skipped:too-large", 200, HOME)).toBeNull()
    expect(said("failed:http-status", 404, HOME)).toEqual({ reason: "not-found", atOnce: false })
  })
})

test("a narrower manual crawl does not remove what a wider one added", () => {
  const found = { outcome: "skipped:out-of-scope", status: null, leadsTo: null } as const
  expect(evidenceOf(found, "command")).toBeNull()
  expect(evidenceOf({ ...found, outcome: "skipped:robots" }, "command")).toEqual({
    reason: "robots",
    atOnce: false,
  })
})
