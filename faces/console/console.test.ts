import { describe, expect, test } from "vitest"

import { hrefOf, type Place, placeOf } from "./place.ts"
import { Meter } from "./run/meter.ts"
import { byCount, isMeant } from "./run/outcomes.ts"
import { countdown, lasting, share, size, until } from "./words.ts"

describe("the console's address", () => {
  test.each<Place>([
    { view: "overview" },
    { view: "sources" },
    { view: "runs", source: null },
    { view: "runs", source: "docs & more?" },
    { view: "run", job: 12, outcome: null },
    { view: "run", job: 12, outcome: "failed:http-status" },
    { view: "removals", shown: "struck", source: "docs" },
    { view: "add-source", url: null },
    { view: "add-source", url: "https://docs.example.com/?a=b&c" },
    { view: "source", source: "docs" },
    { view: "page", url: "https://docs.example.com/#/setup", query: "how?" },
    { view: "page", url: null, query: null },
    { view: "first-run", source: "docs" },
    { view: "quality", shown: "queries", report: "slow" },
    { view: "question", question: "how & why?" },
    { view: "judged-run", run: 3, against: null },
    { view: "judged-run", run: 3, against: 1 },
    { view: "rule", id: null, kind: "pin", question: "a b", url: "https://example.com/?a=b&c" },
    { view: "rules" },
    { view: "keys", key: null },
    { view: "people", shown: "groups", group: "hr & law" },
    { view: "person", person: "person-0123456789ab", as: null },
    { view: "person", person: null, as: "group:hr,signed-in" },
    { view: "readers", url: "https://wiki.example.com/?a=b&c", who: "anna@example.com" },
  ])("encodes the place: %o", (place) => {
    expect(placeOf(new URL(hrefOf(place), "http://localhost/").search)).toEqual(place)
  })

  test("leads to a valid place, whatever it contains", () => {
    expect(placeOf("?view=nowhere")).toEqual({ view: "overview" })
    expect(placeOf("?view=source")).toEqual({ view: "sources" })
    expect(placeOf("?view=run&job=1e9999")).toEqual({ view: "runs", source: null })
    expect(placeOf("?view=question&question=+")).toMatchObject({ view: "quality", shown: "queries" })
    expect(placeOf("?view=judged-run&run=x")).toMatchObject({ view: "quality", shown: "runs" })
    expect(placeOf("?view=rule&kind=magic")).toMatchObject({ view: "rule", id: null, kind: "synonym" })
    expect(placeOf("?view=removals&shown=everything")).toMatchObject({ shown: "held" })
  })
})

test("a run's rate covers its last seconds", () => {
  const meter = new Meter()
  expect(meter.measure(0, 0)).toEqual({ perSecond: null, before: [] })
  expect(meter.measure(20, 2000).perSecond).toBe(10)
  for (let at = 4000; at <= 20_000; at += 2000) meter.measure(20, at)
  // Nothing has changed for longer than the period shown.
  expect(meter.measure(20, 22_000)).toEqual({ perSecond: 0, before: expect.arrayContaining([10, 0]) })
})

test("outcomes are sorted by count, and matched by kind", () => {
  expect(byCount({ indexed: 2, "failed:dns": 7 })).toEqual([
    ["failed:dns", 7],
    ["indexed", 2],
  ])
  expect(["failed:dns", "failed:tls", "indexed"].filter((one) => isMeant(one, "failed"))).toEqual([
    "failed:dns",
    "failed:tls",
  ])
  expect(isMeant("failed:dns-more", "failed:dns")).toBe(false)
})

test("numbers are formatted for people", () => {
  expect([share(0, 0), share(999, 1000), share(1, 100_000), share(1, 2)]).toEqual([
    "100%",
    "99%",
    "1%",
    "50%",
  ])
  expect([8, 192, 7500, 3600, 300_000].map(lasting)).toEqual([
    "8 s",
    "3 min 12 s",
    "2 h 5 min",
    "1 h",
    "3 days",
  ])
  expect([292, 3.2, -5, 3700].map(countdown)).toEqual(["04:52", "00:04", "00:00", "1:01:40"])
  expect([0, 999, 42_200_000_000].map(size)).toEqual(["0 B", "999 B", "42.2 GB"])
  const now = Date.parse("2026-01-01T00:00:00Z")
  expect(until("2026-01-01T05:00:00Z", now)).toBe("in 5 hours")
  expect(until("2025-12-31T23:00:00Z", now)).toBe("now")
})
