import { expect, test } from "vitest"
import { retryAfterMs } from "../../fetch/retry-after.ts"
import { RetryPolicy } from "./retry-policy.ts"

const config = { retryDelayMs: 100, maxWaitMs: 1000, maxTries: 3 }
const entry = (tries: number) => ({ host: "docs.example", tries })
const failed = (
  because: "dns" | "tls" | "refused" | "timeout" | "http-status",
  transient = true,
  status?: number,
) =>
  ({ kind: "failed", because, detail: "", transient, ...(status === undefined ? {} : { status }) }) as const
const gone = failed("http-status", false, 404)

/** A policy for a host that has answered in this run, unless it is new. */
function policyFor(host: "new" | "known"): RetryPolicy {
  const policy = new RetryPolicy(config)
  if (host === "known") policy.note("docs.example", gone)
  return policy
}

test("an address is retried after growing pauses, until its tries are used up", () => {
  const policy = policyFor("known")
  const visit = failed("http-status", true, 500)
  expect(policy.after(entry(0), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: 110, tries: 1 })
  expect(policy.after(entry(1), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: 210, tries: 2 })
  expect(policy.after(entry(2), visit, 0, 10)).toMatchObject({ hostRestsUntil: null, again: null })
  expect(policy.after(entry(0), gone, 0, 10)).toMatchObject({ again: null })
})

test("a host that asks for a pause gets it, and a new one that asks for too long is given up", () => {
  const until = (time: number) => ({ kind: "postponed", until: new Date(time) }) as const
  expect(policyFor("known").after(entry(0), until(500), 0, 10)).toMatchObject({
    hostRestsUntil: 500,
    again: 500,
  })
  expect(policyFor("known").after(entry(0), until(5000), 0, 10)).toMatchObject({ again: null })
  expect(policyFor("new").after(entry(0), until(5000), 0, 10)).toEqual({ kind: "give-up-host" })
})

test("a host that asks to wait without a time pauses like one that does not respond: briefly at first, then longer", () => {
  const pausesOf = (asked: number) => {
    const policy = new RetryPolicy({ retryDelayMs: 5000, maxWaitMs: 300_000, maxTries: 3 })
    const all: unknown[] = []
    for (let now = 0; all.length < 9;) {
      const busy = { kind: "postponed", until: new Date(now + asked), status: 503 } as const
      const next = policy.after(entry(0), busy, now, now)
      if (next.kind === "give-up-host") break
      all.push(next.hostRestsUntil! - now)
      now = next.hostRestsUntil!
    }
    return all
  }
  expect(pausesOf(retryAfterMs(undefined, 0))).toEqual([5000, 10_000, 20_000, 40_000, 80_000])
  expect(pausesOf(retryAfterMs("30", 0))).toEqual([30_000, 30_000, 30_000, 40_000, 80_000])
})

/** The pauses for a host that fails again and again, until it is abandoned. */
function pauses(policy: RetryPolicy, visit: ReturnType<typeof failed>): unknown[] {
  const all: unknown[] = []
  for (let round = 0; round < 20; round += 1) {
    const next = policy.after(entry(0), visit, round, round)
    if (next.kind === "give-up-host") return [...all, next.kind]
    all.push(next.hostRestsUntil === null ? null : next.hostRestsUntil - round)
  }
  return all
}

test("a host that does not respond pauses longer and longer and is given up, and one response restores all patience", () => {
  const policy = policyFor("known")
  expect(pauses(policy, failed("refused"))).toEqual([100, 200, 400, 800, 1000, "give-up-host"])
  policy.note("docs.example", failed("refused"))
  expect(policy.after(entry(0), failed("refused"), 20, 20)).toEqual({ kind: "give-up-host" })
  expect(policy.note("docs.example", gone)).toBe(true)
  expect(policy.after(entry(0), failed("refused"), 30, 30)).toMatchObject({ hostRestsUntil: 130, tries: 0 })
  // A visit that timed out has already used up patience.
  expect(pauses(policyFor("new"), failed("timeout"))).toEqual([200, 800, "give-up-host"])
  expect(pauses(policyFor("new"), failed("http-status", true, 500)).at(-1)).toBe("give-up-host")
})

test("a host that refuses its first connections is given up after a second try, and has all patience once pages were read", () => {
  const mistyped = [100, "give-up-host"]
  expect(pauses(policyFor("new"), failed("refused"))).toEqual(mistyped)
  // A page on another host says nothing about this one.
  const beside = new RetryPolicy(config)
  beside.note("other.example", gone)
  expect(pauses(beside, failed("refused"))).toEqual(mistyped)
  // The second try comes soon, whatever the settings are.
  const slow = new RetryPolicy({ retryDelayMs: 60_000, maxWaitMs: 300_000, maxTries: 20 })
  expect(pauses(slow, failed("refused"))).toEqual([2000, "give-up-host"])
  const patient = [100, 200, 400, 800, 1000, "give-up-host"]
  expect(pauses(policyFor("known"), failed("refused"))).toEqual(patient)
  expect(pauses(new RetryPolicy(config, { hasRead: true }), failed("refused"))).toEqual(patient)
})

test("an unknown name treated as a temporary failure is tried once more if the run has reached no host", () => {
  const patient = [100, 200, 400, 800, 1000, "give-up-host"]
  expect(pauses(new RetryPolicy(config, { concealsNames: true }), failed("dns"))).toEqual([
    100,
    "give-up-host",
  ])
  const beside = new RetryPolicy(config, { concealsNames: true })
  beside.note("other.example", gone)
  expect(pauses(beside, failed("dns"))).toEqual(patient)
  // A name server that fails during the operator's own crawl does not mean a mistyped address.
  expect(pauses(new RetryPolicy(config), failed("dns"))).toEqual(patient)
})

test("an invalid certificate and a missing name are not retried", () => {
  for (const because of ["tls", "dns"] as const) {
    expect(policyFor("new").after(entry(0), failed(because, false), 0, 0)).toEqual({ kind: "give-up-host" })
    expect(policyFor("known").after(entry(0), failed(because, false), 0, 0)).toMatchObject({ again: null })
  }
})
