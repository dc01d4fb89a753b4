import { afterEach, expect, test, vi } from "vitest"
import {
  concealedAs,
  concealedCounts,
  concealedEnd,
  concealedMessage,
  concealedVisit,
  isRefusedOrUnknown,
  UNREACHABLE_HOST,
  untilTold,
} from "./concealed.ts"
import { BlockedAddressError } from "./guard/blocked-address.ts"
import { codeOf } from "./network-error.ts"

const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND db.corp"), { code: "ENOTFOUND" })
const refused = new BlockedAddressError("db.corp has no public address (10.0.0.7)")

afterEach(() => {
  vi.useRealTimers()
})

// With two messages, an API caller could probe for the names in this network one by one.

test("API callers see one message for hosts that are unknown and hosts that are off limits", () => {
  expect(UNREACHABLE_HOST).toBe("the host was not found, or is in a network that may not be read")
})

test("an unknown name and a private one look the same as the end of a visit", () => {
  const ends = (["failed:dns", "failed:blocked-address"] as const).map((outcome) =>
    concealedEnd({ outcome, detail: `db.corp: ${outcome}`, url: "http://db.corp/" }),
  )
  const told = { outcome: "failed:dns", detail: UNREACHABLE_HOST, url: "http://db.corp/" }
  expect(ends).toEqual([told, told])
  const other = { outcome: "failed:timeout" as const, detail: "no answer" }
  expect(concealedEnd(other)).toBe(other)
})

test("an unknown name and a private one look the same as a failed visit, which is transient", () => {
  const visits = ["dns", "blocked-address"].map((because) =>
    concealedVisit({ kind: "failed", because, detail: "10.0.0.7", transient: because === "dns" }),
  )
  const told = { kind: "failed", because: "dns", detail: UNREACHABLE_HOST, transient: true }
  expect(visits).toEqual([told, told])
  for (const plain of [
    { kind: "failed", because: "timeout", detail: "slow", transient: true },
    { kind: "skipped", because: "dns" },
    { kind: "read" },
  ]) {
    expect(isRefusedOrUnknown(plain)).toBe(false)
    expect(concealedVisit(plain)).toBe(plain)
  }
})

test("an unknown name and a private one look the same in counts and filters", () => {
  expect(concealedCounts({ indexed: 3, "failed:dns": 1, "failed:blocked-address": 2 })).toEqual({
    indexed: 3,
    "failed:dns": 3,
  })
  expect(concealedCounts({ "failed:blocked-address": 2 })).toEqual({ "failed:dns": 2 })
  const plain = { indexed: 1, "failed:dns": 1 }
  expect(concealedCounts(plain)).toBe(plain)
  expect(concealedAs("failed:dns")).toEqual(["failed:dns", "failed:blocked-address"])
  expect(concealedAs("failed:timeout")).toEqual(["failed:timeout"])
})

test("an unknown name and a private one look the same as the cause of a failed run", () => {
  const because = (cause: unknown) => concealedMessage(new Error("the seed db.corp failed", { cause }))
  expect([unknown, refused].map(because)).toEqual([UNREACHABLE_HOST, UNREACHABLE_HOST])
  for (const cause of [undefined, "text", new Error("other")])
    expect(because(cause)).toBe("the seed db.corp failed")
})

test("the code of an aggregate error is the code of its first error, as for a host with two addresses", () => {
  const both = new AggregateError([Object.assign(new Error("a"), { code: "ECONNREFUSED" }), new Error("b")])
  expect([both, unknown, new Error("none"), new AggregateError(["text"])].map(codeOf)).toEqual([
    "ECONNREFUSED",
    "ENOTFOUND",
    "",
    "",
  ])
})

test("neither is reported before a remote name server would have answered, unless the caller has left", async () => {
  vi.useFakeTimers({ toFake: ["performance"] })
  vi.advanceTimersByTime(10_000)
  const turn = () =>
    new Promise<string>((done) => {
      setImmediate(() => done("waits"))
    })
  for (const ago of [500, 501, 3_600_000]) {
    const told = untilTold(performance.now() - ago).then(() => "told")
    expect([ago, await Promise.race([told, turn()])]).toEqual([ago, "told"])
  }
  const left = new AbortController()
  const told: string[] = []
  const waiting = untilTold(performance.now(), left.signal).then(() => told.push("told"))
  await turn()
  expect(told).toEqual([])
  left.abort()
  await waiting
  expect(told).toEqual(["told"])
})
