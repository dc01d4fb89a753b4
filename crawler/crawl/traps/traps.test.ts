import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patternsOf } from "./address-pattern.ts"
import { describeTrap, type Trap, Traps, type Yield } from "./traps.ts"

const NOW = Date.UTC(2026, 10, 21)
const MENU = ["Home", "All about our products and services", "Imprint and privacy of this site"]

/** Visits addresses one after the other, like a crawl that acts on the reported traps. */
function crawl(
  addresses: Iterable<string>,
  answer: (url: string) => Partial<Yield>,
  traps = new Traps(() => NOW),
): { visits: number; traps: Trap[] } {
  const found: Trap[] = []
  let visits = 0
  for (const url of addresses) {
    if (traps.holding(url)) continue
    visits += 1
    const trap = traps.visited(url, { lines: MENU, isPage: true, leads: 0, ...answer(url) })
    if (trap) found.push(trap)
  }
  return { visits, traps: found }
}

const count = (n: number, address: (at: number) => string) =>
  Array.from({ length: n }, (_, at) => address(at))

const month = (at: number) => `${2026 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]

/** Words that are unique to each number. */
const words = (seed: number, n: number) =>
  Array.from({ length: n }, (_, at) =>
    ((seed + 1) * 7919 + at * 104_729)
      .toString(26)
      .replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? ""),
  ).join(" ")

describe("traps", () => {
  test("an endless calendar is stopped and named", () => {
    const { visits, traps } = crawl(
      count(5000, (at) => `https://example.org/cal?month=${month(at)}`),
      (url) => ({
        lines: [
          ...MENU,
          `${MONTHS[Number(url.slice(-2)) % 9]} ${url.slice(-7, -3)}`,
          "Mo Tu We Th Fr",
          "1 2 3 4 5",
        ],
      }),
    )
    expect(visits).toBeLessThan(150)
    expect(traps.map(describeTrap)).toEqual([
      "endless calendar at /cal?month=… (dates to come): the last 100 addresses gave 1 new page",
    ])
  })

  test("a calendar of days in the path is stopped", () => {
    const { visits } = crawl(
      count(5000, (at) => `https://example.org/events/${month(at).replace("-", "/")}/${(at % 28) + 1}/`),
      () => ({ lines: [...MENU, "No events on this day"] }),
    )
    expect(visits).toBeLessThan(150)
  })

  test("endless filter combinations are stopped", () => {
    const colours = ["red", "blue", "green", "black", "white"]
    const combinations = function* () {
      for (let at = 1; at < 4000; at++) {
        const chosen = count(12, (bit) => `f${bit}=${colours[at % 5]}`).filter((_, bit) => (at >> bit) & 1)
        if (chosen.length > 1) yield `https://example.org/shop?${chosen.join("&")}`
      }
    }
    const { visits, traps } = crawl(combinations(), (url) => ({
      lines: [...MENU, `${url.length} results`, "Red shoes of leather", "Blue shoes of cloth"],
    }))
    expect(visits).toBeLessThan(300)
    expect(traps.map(describeTrap)).toEqual([
      "parameter combinations at /shop?…: the last 150 addresses gave 1 new page",
    ])
  })

  test("paths that repeat themselves are stopped at once", () => {
    const { visits, traps } = crawl(
      count(60, (at) => `https://example.org/${"a/b/".repeat(at + 1)}`),
      () => ({ isPage: false }),
    )
    expect(visits).toBeLessThan(20)
    expect(traps[0]?.kind).toBe("loop")
  })

  test("session ids in paths are stopped", () => {
    const { visits, traps } = crawl(
      count(
        3000,
        (at) => `https://example.org/s/${at}${"a8f3c2d1e0b49765".slice(0, 14)}x${at}/page${at % 30}`,
      ),
      (url) => ({ lines: [...MENU, `Page about ${words(Number(/page(\d+)$/.exec(url)?.[1]), 30)}`] }),
    )
    expect(visits).toBeLessThan(200)
    expect(traps.some(({ shown }) => shown === "all of /s/…/")).toBe(true)
  })

  test("a long series of duplicate pages is stopped", () => {
    const { visits, traps } = crawl(
      count(5000, (at) => `https://example.org/print/${at}`),
      () => ({ isPage: false }),
    )
    expect(visits).toBe(300)
    expect(traps.map(describeTrap)).toEqual([
      "series of addresses at /print/#: the last 300 addresses gave nothing new",
    ])
  })

  test("a trap found in an earlier run is stopped sooner", () => {
    const addresses = count(500, (at) => `https://example.org/cal?month=${month(at)}`)
    const first = crawl(addresses, () => ({}))
    const again = crawl(
      addresses,
      () => ({}),
      new Traps(
        () => NOW,
        first.traps.map(({ key }) => key),
      ),
    )
    expect(again.visits).toBeLessThan(first.visits / 3)
    expect(again.traps).toHaveLength(1)
  })
})

describe("honest sites", () => {
  test("with 100,000 numbered products are read to the end, though each page says little new", () => {
    const { visits, traps } = crawl(
      count(100_000, (at) => `https://example.org/product/${at}`),
      (url) => ({
        lines: [...MENU, `Bolt number ${url.slice(-5)}, of steel`, `Price: ${url.length} francs`],
      }),
    )
    expect(visits).toBe(100_000)
    expect(traps).toEqual([])
  })

  test.each([
    ["parameters", (at: number) => `https://example.org/item?id=${at}&category=${at % 50}`],
    ["paths", (at: number) => `https://example.org/c/${at % 50}/i/${at}?ref=list`],
    ["random keys", (at: number) => `https://example.org/doc/${at}f3a9c8d7e6b5a4f3/${at}`],
  ])("with products by %s are read to the end", (_, address) => {
    const { visits } = crawl(count(5000, address), (url) => ({
      lines: [...MENU, `About ${words(url.length + Number(/\d+/.exec(url)?.[0]), 20)}`],
    }))
    expect(visits).toBe(5000)
  })

  test("with real content in an archive by date are read to the end", () => {
    const { visits } = crawl(
      count(
        3000,
        (at) =>
          `https://example.org/archive/${2000 + Math.floor(at / 336)}/${(Math.floor(at / 28) % 12) + 1}/${(at % 28) + 1}`,
      ),
      (url) => ({ lines: [...MENU, words(Number(url.replace(/\D/g, "")), 12)] }),
    )
    expect(visits).toBe(3000)
  })

  test("with a calendar of few events are read back to its past, though the future is empty", () => {
    const past = count(
      200,
      (at) =>
        `https://example.org/cal?month=${2008 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
    )
    const future = count(
      500,
      (at) =>
        `https://example.org/cal?month=${2030 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
    )
    const traps = new Traps(() => NOW)
    crawl(future, () => ({ lines: MENU }), traps)
    const { visits } = crawl(
      past,
      (url) => ({ lines: [...MENU, words(Number(url.replace(/\D/g, "")), 12)] }),
      traps,
    )
    expect(visits).toBe(200)
  })

  test("with empty lists that lead to pages are read to the end", () => {
    const { visits } = crawl(
      count(1000, (at) => `https://example.org/blog/page/${at}`),
      () => ({ lines: [], isPage: false, leads: 10 }),
    )
    expect(visits).toBe(1000)
  })

  test("with verses, dates and versions in their paths are not taken for loops", () => {
    for (const path of [
      "/psalms/1/1/1",
      "/2024/01/01/01/",
      "/v1/1/1",
      "/a/b/a/b",
      "/docs/docs/x",
      "/en/en-gb/english",
    ]) {
      expect(patternsOf(`https://example.org${path}`, NOW).map(({ kind }) => kind)).not.toContain("loop")
    }
  })

  test("with articles below dates are not taken for calendars", () => {
    for (const path of [
      "/2024/05/13/new-release",
      "/2024/05/report.html",
      "/news?id=20240513",
      "/blog/2024",
    ]) {
      expect(patternsOf(`https://example.org${path}`, NOW).map(({ kind }) => kind)).not.toContain("calendar")
    }
  })
})

test("the patterns of an address can always be computed, and stay the same", () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (text) => {
      const { href } = new URL(text)
      expect(patternsOf(href, NOW)).toEqual(patternsOf(href, NOW))
    }),
  )
})

test("the memory for patterns is bounded", () => {
  const traps = new Traps(() => NOW)
  for (let at = 0; at < 20_000; at++) {
    traps.visited(`https://example.org/p${words(at, 1)}?date=2031-04`, {
      lines: [words(at, 9)],
      isPage: true,
      leads: 0,
    })
  }
  expect(traps.holding("https://example.org/a?date=2031-04")).toBeNull()
})
