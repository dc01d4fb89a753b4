import { pino } from "pino"
import { expect, test } from "vitest"

import { told } from "#base/telemetry/log/told.ts"
import type { Job } from "../job.ts"
import { defineSource } from "../source.ts"
import { crawlEnded, crawlStarted } from "./crawl-news.ts"

const started = new Date("2026-11-22T12:00:00Z")
const job: Job = {
  id: 7,
  source: defineSource({ name: "postgres", seeds: ["https://docs.example/"] }),
  trigger: "schedule",
  author: "operator",
  visits: "all",
  state: "finished",
  result: "finished",
  reason: null,
  createdAt: started,
  startedAt: started,
  endedAt: new Date("2026-11-22T12:00:41Z"),
  error: null,
  note: null,
  queued: 0,
  outcomes: { indexed: 1169 },
} as Job

/** Level and text of the line that `tell` logs. */
function lineOf(tell: (log: pino.Logger) => void): unknown[] {
  const lines: string[] = []
  tell(pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }))
  const { level, msg, ...fields } = JSON.parse(lines.join("")) as Record<string, unknown>
  return [level, told(String(msg), fields).text]
}

test("the start and end of a crawl take one line each, with the result", () => {
  expect(lineOf((log) => crawlStarted(log, job))).toEqual([30, "crawl postgres started"])
  expect(lineOf((log) => crawlEnded(log, job))).toEqual([
    30,
    "crawl postgres finished: 1,169 new, 0 failed, 41 s",
  ])
})

test("a crawl with problems names them, and a failed one stands out more", () => {
  const outcomes = {
    indexed: 2,
    unchanged: 30,
    "skipped:robots": 1,
    "skipped:empty": 4,
    "failed:dns": 2,
    "failed:tls": 1,
  }
  const result = "finished-with-problems"
  expect(lineOf((log) => crawlEnded(log, { ...job, outcomes, result, reason: "3 of 40 failed" }))).toEqual([
    40,
    "crawl postgres finished with problems: 2 new, 30 unchanged, 5 skipped, 3 failed, 41 s: 3 of 40 failed",
  ])
  const failed = { ...job, state: "failed", result: "failed", reason: "the only seed failed" } as const
  expect(lineOf((log) => crawlEnded(log, failed))).toEqual([
    50,
    "crawl postgres failed: 1,169 new, 0 failed, 41 s: the only seed failed",
  ])
})

test("a crawl that will continue is not reported as ended", () => {
  const stopped = { ...job, state: "queued", result: null, endedAt: null } as const
  expect(lineOf((log) => crawlEnded(log, stopped))[1]).toMatch(/^crawl postgres interrupted: 1,169 new/)
  const cancelled = { ...job, state: "cancelled", result: null } as const
  expect(lineOf((log) => crawlEnded(log, cancelled))[1]).toMatch(/^crawl postgres cancelled: /)
})
