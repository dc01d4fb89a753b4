import { expect, test } from "vitest"
import { RetryPolicy } from "./retry-policy.ts"

const config = { retryDelayMs: 100, maxWaitMs: 1000, maxTries: 3 }
const entry = (tries: number) => ({ host: "docs.example", tries })
const failed = (because: "dns" | "http-status", transient = true) =>
  ({ kind: "failed", because, detail: "", transient }) as const

test("an address is tried again after longer and longer pauses, until its tries are over", () => {
  const policy = new RetryPolicy(config)
  const visit = failed("http-status")
  expect(policy.after(entry(0), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: 110 })
  expect(policy.after(entry(1), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: 210 })
  expect(policy.after(entry(2), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: null })
  expect(policy.after(entry(0), failed("http-status", false), 0, 10)).toMatchObject({ again: null })
})

test("a host that asks for a rest has it, unless it asks for too long", () => {
  const until = (time: number) => ({ kind: "postponed", until: new Date(time) }) as const
  expect(new RetryPolicy(config).after(entry(0), until(500), 0, 10)).toMatchObject({
    hostRestsUntil: 500,
    again: 500,
  })
  expect(new RetryPolicy(config).after(entry(0), until(5000), 0, 10)).toMatchObject({
    hostRestsUntil: null,
    again: null,
  })
})

test("a host that does not answer rests longer and longer, and is given up; one answer restores all patience", () => {
  const policy = new RetryPolicy(config)
  const rests = (rounds: number) =>
    Array.from({ length: rounds }, (_, round) => {
      const next = policy.after(entry(0), failed("dns"), round, round)
      return next.kind === "give-up-host" ? next.kind : next.hostRestsUntil && next.hostRestsUntil - round
    })
  expect(rests(9)).toEqual([null, 100, 200, 400, 800, 1000, 1000, 1000, 1000])
  policy.note("docs.example", failed("dns"))
  expect(policy.after(entry(0), failed("dns"), 20, 20)).toEqual({ kind: "give-up-host" })
  policy.note("docs.example", failed("http-status"))
  expect(policy.after(entry(0), failed("dns"), 30, 30)).toMatchObject({ hostRestsUntil: null })
})
