import { expect, onTestFinished, test } from "vitest"

import { fossickVersion } from "#base/fossick-version.ts"
import { talkedTo } from "#base/outbound/testing/talked-to.ts"
import { readSettings } from "#base/settings.ts"

import { startReceiver } from "./testing/receiver.ts"
import { traceSettings } from "./trace-settings.ts"
import type { Span, TraceConfig } from "./tracer.ts"
import { isTracing, mayShowText, startTracing, traced, traceparent } from "./tracing.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const CALLER = "b7ad6b7169203331"
const DEFAULTS: TraceConfig = readSettings(traceSettings, {})
const nothing = () => Promise.resolve()

/** Starts a receiver and a process that records these steps and ends; returns the receiver with everything that it got. */
async function told(steps: () => Promise<unknown>, config: Partial<TraceConfig> = {}) {
  const receiver = await startReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  {
    await using _ = await startTracing("fossick-test", {
      ...DEFAULTS,
      tracesUrl: receiver.url,
      ...config,
    })
    await steps()
  }
  return receiver
}

/** Whether the receiver learns that the parent step belongs to another process. */
const isBelowAnother = ({ flags }: { readonly flags: number }) => (flags & 0x2_00) !== 0

/** A step that returns the trace context that would be sent to one of the operator's servers. */
const sentOn = (parent?: string) => traced("step", { parent }, () => Promise.resolve(traceparent()))

test("nothing is traced unless the settings name a receiver, and the work is done anyway", async () => {
  await using _ = await startTracing("fossick-test", DEFAULTS)
  expect([isTracing(), mayShowText(), traceparent()]).toEqual([false, false, undefined])
  const result = await traced("step", { kind: "server" }, (span) => {
    span.set({ a: 1 })
    span.rename("other")
    span.fail()
    return Promise.resolve(traceparent() ?? "done")
  })
  expect(result).toBe("done")
  await expect(traced("step", {}, () => Promise.reject(new Error("its own")))).rejects.toThrow("its own")
})

test("steps arrive with their service, kind, name and attributes, nested, when the process ends", async () => {
  const { got, keys, paths } = await told(async () => {
    expect([isTracing(), mayShowText()]).toEqual([true, false])
    const result = await traced(
      "POST",
      { kind: "server", attributes: { first: "a", count: 2 } },
      async (span) => {
        span.set({ second: true })
        span.rename("POST /search")
        await traced("ask chat", { kind: "client" }, nothing)
        await traced("search the index", {}, nothing)
        return 7
      },
    )
    expect(result).toBe(7)
    await traced("another", {}, nothing)
    // Between steps there is no trace context.
    expect(traceparent()).toBeUndefined()
  })
  expect([isTracing(), traceparent()]).toEqual([false, undefined])
  const [chat, index, call, another] = got
  expect(got.map(({ name, kind }) => [name, kind])).toEqual([
    ["ask chat", 3],
    ["search the index", 1],
    ["POST /search", 2],
    ["another", 1],
  ])
  expect(call!.attributes).toEqual({ first: "a", count: 2, second: true })
  expect(another!.attributes).toEqual({})
  expect([chat!.parentSpanId, index!.parentSpanId]).toEqual([call!.spanId, call!.spanId])
  expect(call!.parentSpanId ?? "").toBe("")
  expect(new Set([chat, index, call].map((one) => one!.traceId)).size).toBe(1)
  expect(another!.traceId).not.toBe(call!.traceId)
  expect(got.map(({ service, version, scope }) => [service, version, scope])).toEqual(
    got.map(() => ["fossick-test", fossickVersion(), "fossick"]),
  )
  expect(got.map(({ status }) => status.code)).toEqual([0, 0, 0, 0])
  expect([[...paths], [...keys]]).toEqual([["/v1/traces"], [undefined]])
})

test("a caller's trace continues here, and on to the servers that are called", async () => {
  let on: string | undefined
  const { got } = await told(async () => {
    on = await sentOn(`00-${TRACE}-${CALLER}-01`)
    // The parent is the call that requested the run, not the step that happens to be running here.
    await traced("outer", {}, () => traced("inner", { parent: `00-${TRACE}-${CALLER}-03` }, nothing))
  })
  const [step, inner, outer] = got
  expect([step!.traceId, step!.parentSpanId]).toEqual([TRACE, CALLER])
  expect(on).toBe(`00-${TRACE}-${step!.spanId}-01`)
  expect([inner!.name, inner!.traceId, inner!.parentSpanId]).toEqual(["inner", TRACE, CALLER])
  expect(outer!.traceId).not.toBe(TRACE)
  expect([step, inner, outer].map((one) => isBelowAnother(one!))).toEqual([true, true, false])
})

const NO_PARENTS = [
  ["nothing", ""],
  ["another version", `01-${TRACE}-${CALLER}-01`],
  ["something before it", `x00-${TRACE}-${CALLER}-01`],
  ["something behind it", `00-${TRACE}-${CALLER}-01-x`],
  ["capitals", `00-${TRACE.toUpperCase()}-${CALLER}-01`],
  ["a short id", `00-${TRACE.slice(1)}-${CALLER}-01`],
  ["a trace of zeros", `00-${"0".repeat(32)}-${CALLER}-01`],
  ["a step of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
] as const

test.each(NO_PARENTS)("an invalid parent starts a new trace: %s", async (_what, parent) => {
  const { got } = await told(() => traced("step", { parent }, nothing))
  expect(got).toHaveLength(1)
  expect(got[0]!.traceId).not.toBe(TRACE)
  expect(got[0]!.parentSpanId ?? "").toBe("")
})

test.each(NO_PARENTS)(
  "an invalid parent does not take a step out of its surrounding one: %s",
  async (_what, parent) => {
    const { got } = await told(() => traced("outer", {}, () => traced("inner", { parent }, nothing)))
    const [inner, outer] = got
    expect([inner!.traceId, inner!.parentSpanId]).toEqual([outer!.traceId, outer!.spanId])
  },
)

test.each([
  ["0".repeat(31) + "1", "0".repeat(15) + "1"],
  ["1" + "0".repeat(31), "1" + "0".repeat(15)],
])("ids may begin and end with zeros: %s %s", async (trace, step) => {
  const { got } = await told(() => traced("step", { parent: `00-${trace}-${step}-01` }, nothing))
  expect(got).toMatchObject([{ traceId: trace, parentSpanId: step }])
})

test("the caller's decision to record takes precedence over the share", async () => {
  const off: (string | undefined)[] = []
  const all = await told(async () => {
    for (const flags of ["00", "02", "f0"]) off.push(await sentOn(`00-${TRACE}-${CALLER}-${flags}`))
  })
  expect(all.got).toEqual([])
  expect(off.map((one) => one?.replace(/-[0-9a-f]{16}-/, "-step-"))).toEqual(
    off.map(() => `00-${TRACE}-step-00`),
  )
  const none = await told(
    async () => {
      expect(await sentOn()).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
      expect(await sentOn(`00-${TRACE}-${CALLER}-01`)).toMatch(/-01$/)
    },
    { tracesShare: 0 },
  )
  expect(none.got.map(({ traceId }) => traceId)).toEqual([TRACE])
})

test("the share applies to calls whose callers do not decide", async () => {
  const { got } = await told(
    async () => {
      for (let at = 0; at < 200; at++) await traced("step", {}, nothing)
    },
    { tracesShare: 50 },
  )
  expect(got.length).toBeGreaterThan(0)
  expect(got.length).toBeLessThan(200)
})

test("a failed step reports the kind of its error, without its message or any secret", async () => {
  const { got, raw, keys } = await told(
    async () => {
      const secret = new TypeError("the key sk-secret was refused")
      await expect(traced("rejects", {}, () => Promise.reject(secret))).rejects.toBe(secret)
      const throws = (): Promise<void> => {
        throw secret
      }
      await expect(traced("throws", {}, throws)).rejects.toBe(secret)
      await traced("fails", {}, (span) => {
        span.fail()
        return Promise.resolve()
      })
    },
    { tracesKey: "sk-of-the-receiver" },
  )
  expect(got.map(({ name, status, attributes }) => [name, status, attributes])).toEqual([
    ["rejects", { code: 2 }, { "error.type": "TypeError" }],
    ["throws", { code: 2 }, { "error.type": "TypeError" }],
    ["fails", { code: 2 }, {}],
  ])
  expect(got.flatMap(({ events }) => events)).toEqual([])
  expect(raw()).not.toMatch(/secret|sk-/)
  expect([...keys]).toEqual(["Bearer sk-of-the-receiver"])
})

test("the outer step continues after a failed one", async () => {
  const { got } = await told(() =>
    traced("outer", {}, async () => {
      await traced("inner", {}, () => Promise.reject(new Error("no"))).catch(() => {})
      await traced("next", {}, nothing)
    }),
  )
  const [inner, next, outer] = got
  expect([inner!.parentSpanId, next!.parentSpanId]).toEqual([outer!.spanId, outer!.spanId])
  expect(outer!.status.code).toBe(0)
})

test("addresses can appear in traces if the settings allow them", async () => {
  let may = false
  await told(
    () => {
      may = mayShowText()
      return Promise.resolve()
    },
    { tracesText: true },
  )
  expect(may).toBe(true)
  expect(mayShowText()).toBe(false)
})

test("thousands of steps wait for the receiver, and an ended span can no longer change", async () => {
  let kept: Span | undefined
  const { got } = await told(async () => {
    await Promise.all(Array.from({ length: 3000 }, () => traced("step", {}, nothing)))
    await traced("last", {}, (span) => {
      kept = span
      return Promise.resolve()
    })
  })
  kept!.rename("too late")
  expect(got).toHaveLength(3001)
  expect(got.at(-1)!.name).toBe("last")
})

test("ending waits for the response to what was sent before", async () => {
  const { promise: answerAfter, resolve: answer } = Promise.withResolvers<void>()
  await using slow = await startReceiver({ answerAfter })
  const tracing = await startTracing("fossick-test", { ...DEFAULTS, tracesUrl: slow.url })
  await traced("step", {}, nothing)
  await expect.poll(() => slow.got).toHaveLength(1)
  let isAnswered = false
  setTimeout(() => {
    isAnswered = true
    answer()
  }, 50)
  await tracing[Symbol.asyncDispose]()
  expect(isAnswered).toBe(true)
})

test("the host ledger records a receiver that accepted steps, not one that refused, and ending fails for neither", async () => {
  const { host } = await told(() => traced("step", {}, nothing))
  await using refusing = await startReceiver({ status: 400 })
  {
    await using _ = await startTracing("fossick-test", { ...DEFAULTS, tracesUrl: refusing.url })
    await traced("step", {}, nothing)
  }
  expect(refusing.got).toHaveLength(1)
  const traces = await talkedTo()
  expect(traces).toContain(`traces ${host}`)
  expect(traces).not.toContain(`traces ${refusing.host}`)
})
