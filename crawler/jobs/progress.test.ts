import { expect, test } from "vitest"
import type { HostWait } from "../fetch/hosts/host-waits.ts"
import type { Job } from "../job.ts"
import { addressesText, progressLine, summaryLines } from "./progress.ts"

const progress = { done: 4, pages: 3, failed: 1, queued: 1, pagesPerSecond: 0.5, secondsLeft: 2 }
const wait = (host: string, at: string, why: string): HostWait => ({
  host,
  until: new Date(at),
  outcome: "failed:refused",
  why,
})

test("a waiting run shows its host, the reason and the time", () => {
  expect(progressLine({ ...progress, waits: [] })).toBe("4 done, 1 queued, 1 failed, 0.5 pages/s, 2 s left")
  const late = wait("late.example", "2026-11-21T04:54:00.000Z", "no answer within 10000 ms")
  const soon = wait("soon.example:81", "2026-11-21T04:52:07.300Z", "the connection was refused")
  expect(progressLine({ ...progress, secondsLeft: null, waits: [soon] })).toBe(
    "4 done, 1 queued, 1 failed, 0.5 pages/s; waiting for host soon.example:81: the connection was refused, next try 04:52:07",
  )
  expect(progressLine({ ...progress, waits: [late, soon] })).toMatch(/ next try 04:52:07 and 1 more$/)
})

test("one address is not written as a plural", () => {
  expect([0, 1, 2].map(addressesText)).toEqual(["0 addresses", "1 address", "2 addresses"])
})

test("a summary says how many pages were checked by markdown copies, if any were", () => {
  const job = { outcomes: { unchanged: 12 }, checkedByCopy: { pages: 0, sparedBytes: 0 } } as unknown as Job
  expect(summaryLines(job)).toHaveLength(1)
  expect(summaryLines({ ...job, checkedByCopy: { pages: 9, sparedBytes: 1_234_000 } })).toEqual([
    "  12  unchanged                  the same as in the index",
    "  9 pages checked by their markdown copies, which saved 1.2 MB",
  ])
})
