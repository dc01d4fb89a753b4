import { describe, expect, test } from "vitest"
import { meaningOf } from "../progress.ts"
import type { OutcomeName } from "../../outcome-name.ts"
import { DEAD_LINKS, FEW, judgeRun, type RunFacts, type SeedEnd } from "./judge-run.ts"

const seed = (outcome: OutcomeName, detail: string | null = null, url = "https://a.example/"): SeedEnd => ({
  url,
  outcome,
  detail,
})

/** A recrawl of 100 pages in which nothing is wrong. */
const FINE: RunFacts = {
  visits: "all",
  outcomes: { indexed: 5, unchanged: 95 },
  seeds: [seed("unchanged")],
  pagesBefore: 100,
  lost: {},
  notFound: 0,
  missing: 0,
  deadLinks: 0,
  held: 0,
  givenUp: [],
  meaningOf,
}

const judged = (facts: Partial<RunFacts>) => judgeRun({ ...FINE, ...facts })

/** A run in which only the seed was due, and the visit to the seed had this outcome. */
const onlySeed = (outcome: OutcomeName, facts: Partial<RunFacts> = {}) =>
  judged({ visits: "due", seeds: [seed(outcome)], outcomes: { [outcome]: 1 }, ...facts })

test("a seed that was never a page, and links to pages that are not due, is not a problem", () => {
  expect(onlySeed("skipped:empty")).toEqual({ result: "finished", reason: null })
  expect(onlySeed("skipped:duplicate")).toEqual({ result: "finished", reason: null })
  expect(onlySeed("skipped:empty", { lost: { "skipped:empty": 1 } }).result).toBe("failed")
  expect(onlySeed("skipped:empty", { pagesBefore: 0 }).result).toBe("failed")
  expect(onlySeed("skipped:noindex").result).toBe("failed")
})

test("pages that collapse into one are a problem, and pages that move with their text are not", () => {
  const lost = { "skipped:duplicate": 60 }
  expect(judged({ lost, outcomes: { unchanged: 1, "skipped:duplicate": 60 } })).toEqual({
    result: "finished-with-problems",
    reason: "60% of its pages now have the same text as another page: 60 of 100 ended as skipped: duplicate",
  })
  expect(judged({ lost, outcomes: { indexed: 60, unchanged: 40, "skipped:duplicate": 60 } }).result).toBe(
    "finished",
  )
})

/** The first run of a source, whose only seed had this outcome. */
const firstRun = (outcome: OutcomeName, detail: string | null = null, outcomes = { [outcome]: 1 }) =>
  judged({ pagesBefore: 0, seeds: [seed(outcome, detail)], outcomes })

describe("a run has failed", () => {
  test.each([
    [
      "whose only seed does not answer",
      firstRun("failed:tls", "certificate has expired"),
      "nothing was indexed: the only seed failed: https://a.example/: certificate has expired",
    ],
    [
      "whose only seed asks not to be indexed",
      firstRun("skipped:noindex"),
      "nothing was indexed: the only seed asks not to be indexed (noindex), as login pages often do: https://a.example/",
    ],
    [
      "whose only seed robots.txt disallows",
      firstRun("skipped:robots"),
      "nothing was indexed: the only seed is disallowed by robots.txt: https://a.example/",
    ],
    [
      "whose only seed is empty",
      firstRun("skipped:empty"),
      "nothing was indexed: the only seed was skipped: empty: https://a.example/: no main content found",
    ],
    [
      "that a recrawl of a site that is down is",
      judged({ outcomes: { "failed:timeout": 100 }, seeds: [seed("failed:timeout", "no answer in 30 s")] }),
      "nothing was indexed: the only seed failed: https://a.example/: no answer in 30 s",
    ],
    [
      "whose only seed is too busy",
      firstRun("postponed", "the site answered 503, until 2026-03-02T03:15:00.000Z"),
      "nothing was indexed: the only seed asked to come back later: https://a.example/: the site answered 503, until 2026-03-02T03:15:00.000Z",
    ],
    [
      "none of whose seeds gave a page",
      judged({
        outcomes: { "failed:dns": 2 },
        seeds: [seed("failed:dns", "no such host"), seed("failed:dns", null, "https://b.example/")],
      }),
      "nothing was indexed: none of the 2 seeds gave a page; failed: https://a.example/: no such host",
    ],
    [
      "that visited all and found nothing, whatever became of its seeds",
      judged({ seeds: [], outcomes: { "skipped:empty": 7, "failed:timeout": 1 } }),
      "nothing was indexed: 7 visits ended as skipped: empty (no main content found)",
    ],
  ])("%s", (_, found, reason) => {
    expect(found).toEqual({ result: "failed", reason })
  })
})

describe("a run has problems", () => {
  test.each([
    [
      "when 28 % of the pages are newly gone",
      judged({ outcomes: { unchanged: 72, "failed:http-status": 28 }, notFound: 28, missing: 28 }),
      "28% of its pages have gone since the last run: 28 of 100 answered 404 or 410",
    ],
    [
      "when robots.txt disallows pages that were there",
      judged({ outcomes: { unchanged: 60, "skipped:robots": 40 }, lost: { "skipped:robots": 40 } }),
      "40% of its pages have been lost since the last run: 40 of 100 ended as skipped: robots (robots.txt disallows them)",
    ],
    [
      "when removals wait",
      judged({ held: 12 }),
      "12 pages seem to be gone and are waiting for your decision: run fossick removals",
    ],
    [
      "when a tenth of the pages cannot be read",
      judged({ outcomes: { unchanged: 90, "failed:timeout": 8, "failed:refused": 2 } }),
      "10 of 100 pages could not be read; 8 of these ended as failed: timeout (no answer in time)",
    ],
    [
      "when a site asks to come back later for many",
      judged({ outcomes: { unchanged: 50, postponed: 50 } }),
      "50 of 100 pages could not be read: postponed (the site asked to come back later)",
    ],
    [
      "when one of several seeds fails",
      judged({ seeds: [seed("unchanged"), seed("failed:dns", "no such host", "https://b.example/")] }),
      "1 of 2 seeds could not be read; failed: https://b.example/: no such host",
    ],
    [
      "when the only seed fails though a sitemap names others",
      judged({ seeds: [seed("failed:http-status", "HTTP 500")] }),
      "the only seed failed: https://a.example/: HTTP 500",
    ],
    [
      "when more pages are empty than not",
      judged({ pagesBefore: 0, outcomes: { indexed: 4, "skipped:empty": 60 } }),
      "60 addresses, more than the pages read, ended as skipped: empty (no main content found)",
    ],
    [
      "when more links are dead than lead to pages",
      judged({
        outcomes: { indexed: 9, "failed:http-status": 40 },
        missing: 40,
        deadLinks: 40,
        pagesBefore: 0,
      }),
      "40 of 49 links are broken (404 or 410)",
    ],
    [
      "when a host was given up",
      judged({ givenUp: [{ host: "b.example", left: 1, why: "it refused ten times" }] }),
      "b.example was given up with 1 address left: it refused ten times",
    ],
  ])("%s", (_, found, reason) => {
    expect(found).toEqual({ result: "finished-with-problems", reason })
  })

  test("and shows three of them in one line, the most serious first", () => {
    const { reason } = judged({
      outcomes: { unchanged: 3, "failed:http-status": 28, "failed:timeout": 20, "skipped:empty": 9 },
      notFound: 28,
      missing: 28,
      held: 28,
    })
    expect(reason).toBe(
      "28% of its pages have gone since the last run: 28 of 100 answered 404 or 410; 28 pages seem to be gone and are waiting for your " +
        "decision: run fossick removals; 20 of 23 pages could not be read: failed: timeout (no answer in time); and 1 more",
    )
  })
})

describe("a run is fine", () => {
  test.each([
    ["as it mostly is", {}],
    ["that had nothing to visit", { visits: "due", outcomes: {}, seeds: [] }],
    [
      "over what is due that met two dead pages and nothing else",
      {
        visits: "due",
        outcomes: { "failed:http-status": 2 },
        seeds: [],
        notFound: 2,
        missing: 2,
      },
    ],
    [
      "with fewer failures than are worth a look",
      { outcomes: { indexed: 4, "failed:timeout": FEW - 1 }, pagesBefore: 0 },
    ],
    ["with failures that are few among many", { outcomes: { unchanged: 1000, "failed:timeout": 99 } }],
    [
      "with the dead links of every site",
      {
        outcomes: { unchanged: 100, "failed:http-status": 90 },
        missing: 90,
        deadLinks: 90,
      },
    ],
    [
      "with more dead links than pages where both are few",
      {
        outcomes: { indexed: 1, "failed:http-status": DEAD_LINKS - 1 },
        missing: DEAD_LINKS - 1,
        deadLinks: DEAD_LINKS - 1,
        pagesBefore: 0,
      },
    ],
    [
      "on a wiki whose robots.txt disallows more than it has pages",
      { outcomes: { unchanged: 100, "skipped:robots": 900 } },
    ],
    ["whose seed asks not to be indexed and leads to pages", { seeds: [seed("skipped:noindex")] }],
    ["that was cut short and goes on", { outcomes: { unchanged: 10, "failed:cancelled": 8 } }],
  ] satisfies [string, Partial<RunFacts>][])("%s", (_, facts) => {
    expect(judged(facts)).toEqual({ result: "finished", reason: null })
  })
})

test("a reason is one line that fits a table, whatever a server says", () => {
  const { reason } = firstRun("failed:refused", `over\n\nand ${"over ".repeat(500)}`)
  expect(reason).not.toContain("\n")
  expect(reason!.length).toBeLessThanOrEqual(400)
})
