import { expect, test } from "vitest"
import { fullCrawl, type HostPace, measuredMs } from "./crawl-time.ts"
import { defineSource, type SourceLimits } from "../source.ts"

const of = (
  limits: Partial<SourceLimits>,
  hosts: readonly Partial<HostPace>[],
  fetches = 32,
  ownMs?: number,
) => {
  const source = defineSource({ seeds: ["https://a.example/"], limits })
  const paced = hosts.map((one) => ({ host: "a", pages: null, delayMs: 1000, concurrency: 1, ...one }))
  return fullCrawl(source, paced, fetches, ownMs)
}

test("a known site takes one pause per page", () => {
  expect(of({}, [{ pages: 2000 }])).toEqual({ pages: 2000, areKnown: true, seconds: 2000, delayMs: 1000 })
})

test("a new one takes at most what its limits allow", () => {
  expect(of({}, [{}])).toEqual({ pages: 10_000, areKnown: false, seconds: 10_000, delayMs: 1000 })
  expect(of({ pages: 500 }, [{ delayMs: 100, concurrency: 4 }])).toMatchObject({ pages: 500, seconds: 50 })
  expect(of({ minutes: 5 }, [{}]).seconds).toBe(300)
})

test("hosts are visited in parallel: the slowest one determines the time", () => {
  const hosts = [{ pages: 900 }, { pages: 100, delayMs: 20_000 }]
  expect(of({}, hosts)).toMatchObject({ pages: 1000, seconds: 2000, delayMs: 20_000 })
  // Only as many of the known pages as the limit allows are read.
  expect(of({ pages: 500 }, hosts)).toMatchObject({ pages: 500, seconds: 1000 })
})

test("without pauses, the pages' own time and this machine's speed still count", () => {
  const quick = [{ pages: 400, delayMs: 0, concurrency: 100 }]
  expect(of({}, [{ pages: 400, delayMs: 0, concurrency: 10 }], 32, 1).seconds).toBe(10)
  expect(of({}, quick, 10, 1).seconds).toBe(10)
  expect(of({}, quick, 100, 150).seconds).toBe(60)
})

test("the fastest recent run shows what this machine can do", () => {
  const run = (indexed: number, seconds: number) => ({
    startedAt: new Date(0),
    endedAt: new Date(seconds * 1000),
    outcomes: { indexed },
  })
  // A polite run waits for its site; a run of a few pages is mostly start-up, and a run over unchanged pages reads
  // none.
  expect(measuredMs([run(300, 300), run(240, 36), run(4, 5), run(0, 9)])).toBe(150)
  expect(measuredMs([run(4, 1), { ...run(100, 1), endedAt: null }])).toBeNull()
})
