import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import { describe, expect, test, vi } from "vitest"
import { breather } from "./breather.ts"
import { FairQueue } from "./fair-queue.ts"
import { Lru } from "./memory/lru.ts"
import { pause } from "./pause.ts"
import { QueuedBudget } from "./memory/queued-budget.ts"
import { repeat } from "./repeat.ts"
import { Serial } from "./serial.ts"
import { sharing } from "./sharing.ts"
import { unlessAborted } from "./unless-aborted.ts"

/** Keeps this thread busy. */
function hold(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** Whether other code gets a turn while the work is awaited. */
async function letsOthersIn(work: () => Promise<void>): Promise<boolean> {
  let isIn = false
  const others = setImmediate().then(() => (isIn = true))
  await work()
  const wasIn = isIn
  await others
  return wasIn
}

/** Like {@link letsOthersIn}, but only for a quick step: a step that was itself delayed, on a busy machine, proves nothing. */
async function letsOthersInWhenQuick(work: () => Promise<() => Promise<void>>): Promise<boolean> {
  for (;;) {
    const step = await work()
    const began = performance.now()
    const isIn = await letsOthersIn(step)
    if (performance.now() - began < 5) return isIn
  }
}

describe("a breather", () => {
  test("lets others run once the event loop was blocked, and not before", async () => {
    expect(await letsOthersInWhenQuick(async () => breather())).toBe(false)
    const breathe = breather()
    hold(20)
    expect(await letsOthersIn(breathe)).toBe(true)
  })

  test("restarts its count after each pause", async () => {
    const justBreathed = async () => {
      const breathe = breather()
      hold(20)
      await breathe()
      return breathe
    }
    expect(await letsOthersInWhenQuick(justBreathed)).toBe(false)
  })
})

describe("a pause", () => {
  test("ends after its time, and immediately without an error when it is aborted", async () => {
    await pause(1)
    await pause(1, new AbortController().signal)
    await pause(3_600_000, AbortSignal.abort())
    const leaving = new AbortController()
    const waiting = pause(3_600_000, leaving.signal)
    leaving.abort()
    expect(await waiting).toBeUndefined()
  })

  test("never ends early", async () => {
    const began = performance.now()
    await pause(30)
    expect(performance.now() - began).toBeGreaterThan(25)
  })
})

describe("a fair queue", () => {
  test("returns the same as a simple implementation", () => {
    const parties = [{}, {}, {}]
    const step = fc.oneof(
      fc.record({ do: fc.constant("push" as const), party: fc.nat(2), item: fc.nat(2) }),
      fc.record({ do: fc.constant("delete" as const), party: fc.nat(2), item: fc.nat(2) }),
      fc.record({ do: fc.constant("shift" as const) }),
      fc.record({ do: fc.constant("clear" as const) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new FairQueue<number>()
        const [told, expected]: [unknown[], unknown[]] = [[], []]
        /** Parties in the order of their turns, each with its waiting items. */
        let turns: { party: number; items: number[] }[] = []
        for (const one of steps) {
          if (one.do === "push") {
            queue.push(parties[one.party]!, one.item)
            const mine = turns.find(({ party }) => party === one.party)
            if (mine) mine.items.push(one.item)
            else turns.push({ party: one.party, items: [one.item] })
          } else if (one.do === "delete") {
            const mine = turns.find(({ party }) => party === one.party)
            const at = mine?.items.indexOf(one.item) ?? -1
            if (at >= 0) mine!.items.splice(at, 1)
            told.push(queue.delete(parties[one.party]!, one.item))
            expected.push(at >= 0)
          } else if (one.do === "shift") {
            const next = turns.shift()
            told.push(queue.shift())
            expected.push(next?.items.shift())
            if (next) turns.push(next)
          } else {
            told.push(queue.clear())
            expected.push(turns.flatMap(({ items }) => items))
            turns = []
          }
          turns = turns.filter(({ items }) => items.length > 0)
          told.push(queue.length)
          expected.push(turns.reduce((sum, { items }) => sum + items.length, 0))
        }
        expect(told).toEqual(expected)
      }),
    )
  })
})

describe("an LRU", () => {
  test("keeps the same entries as a simple implementation", () => {
    const step = fc.record({ key: fc.nat(5), value: fc.option(fc.nat(9)) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
        const lru = new Lru<number, number>(capacity)
        /** The most recently used entry comes last. */
        let kept: [number, number][] = []
        const [told, expected]: [unknown[], unknown[]] = [[], []]
        for (const { key, value } of steps) {
          const old = kept.find(([one]) => one === key)
          const rest = kept.filter(([one]) => one !== key)
          if (value === null) {
            told.push(lru.get(key))
            expected.push(old?.[1])
            if (old) kept = [...rest, old]
          } else {
            lru.set(key, value)
            kept = [...rest, [key, value] as [number, number]].slice(-capacity)
          }
        }
        expect(told).toEqual(expected)
        for (const key of [0, 1, 2, 3, 4, 5])
          expect(lru.get(key)).toBe(kept.find(([one]) => one === key)?.[1])
      }),
    )
  })
})

describe("a queued budget", () => {
  test("never releases more than was reserved, and releases nothing twice after closing", () => {
    const budget = new QueuedBudget(10)
    const [first, second] = [budget.open(), budget.open()]
    expect([first.reserve(4), second.reserve(4)]).toEqual([null, null])
    expect([first.held, second.held]).toEqual([4, 4])
    first.release(100)
    expect([first.held, budget.held]).toEqual([0, 4])
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect(budget.held).toBe(4)
    second[Symbol.dispose]()
    expect(budget.held).toBe(0)
  })

  test("makes a waiting account that wants more wait for all of it", async () => {
    const budget = new QueuedBudget(10)
    const [first, second] = [budget.open(), budget.open()]
    expect(first.reserve(8)).toBeNull()
    const waiting = second.reserve(3)
    expect(waiting).not.toBeNull()
    expect(second.reserve(4)).toBe(waiting)
    let hasBegun = false
    void waiting!.then(() => (hasBegun = true))
    // This frees enough for the account's first request, but not for both.
    first.release(4)
    await setImmediate()
    expect([hasBegun, second.held]).toEqual([false, 0])
    first.release(1)
    await setImmediate()
    expect([hasBegun, second.held, budget.held]).toEqual([true, 7, 10])
  })
})

describe("sequential tasks", () => {
  test("run one after another, whatever their outcome", async () => {
    const serial = new Serial()
    const told: string[] = []
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const first = serial.run(async () => {
      await gate
      told.push("first")
      return 1
    })
    const second = serial.run(async () => {
      told.push("second")
      throw new Error("no")
    })
    const third = serial.run(async () => void told.push("third"))
    const refused = second.catch((error: Error) => error.message)
    let isIdle = false
    const idle = serial.idle().then(() => (isIdle = true))
    await setImmediate()
    expect([told, isIdle]).toEqual([[], false])
    open()
    expect(await first).toBe(1)
    expect(await refused).toBe("no")
    await Promise.all([third, idle])
    expect(told).toEqual(["first", "second", "third"])
  })
})

describe("abortable work", () => {
  test("resolves or rejects if nothing is aborted", async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7)
    await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no")
  })

  test("is null at once when aborted, whatever its later result", async () => {
    const { promise: never } = Promise.withResolvers<number>()
    expect(await unlessAborted(never, AbortSignal.abort())).toBeNull()
    const leaving = new AbortController()
    const { promise: late, reject } = Promise.withResolvers<number>()
    const waiting = unlessAborted(late, leaving.signal)
    leaving.abort()
    expect(await waiting).toBeNull()
    reject(new Error("too late"))
    await setImmediate()
  })

  test("leaves no listener on a signal that outlives it", async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, "addEventListener")
    const removed = vi.spyOn(signal, "removeEventListener")
    await unlessAborted(Promise.resolve(1), signal)
    await setImmediate()
    expect(added.mock.calls).toEqual([["abort", expect.any(Function), { once: true }]])
    expect(removed.mock.calls).toEqual([["abort", added.mock.calls[0]![1]]])
  })
})

describe("a shared call", () => {
  test("runs once for everyone who asks while it is running, and again later, even after a failure", async () => {
    let calls = 0
    const asked = Promise.withResolvers<void>()
    const call = sharing(async () => {
      calls++
      await asked.promise
      if (calls === 1) throw new Error("no answer")
      return calls
    })
    const both = [call(), call()]
    asked.resolve()
    for (const one of both) await expect(one).rejects.toThrow("no answer")
    expect(await call()).toBe(2)
  })
})

describe("repeated work", () => {
  test("runs one round at a time, and its end waits for that round", async () => {
    vi.useFakeTimers()
    try {
      const rounds: PromiseWithResolvers<void>[] = []
      const work = repeat(() => {
        rounds.push(Promise.withResolvers<void>())
        return rounds.at(-1)!.promise
      }, 100)
      await vi.advanceTimersByTimeAsync(350)
      expect(rounds).toHaveLength(1)
      rounds[0]!.resolve()
      await vi.advanceTimersByTimeAsync(100)
      expect(rounds).toHaveLength(2)
      let isOver = false
      const end = Promise.resolve(work[Symbol.asyncDispose]()).then(() => (isOver = true))
      await vi.advanceTimersByTimeAsync(500)
      expect([rounds.length, isOver]).toEqual([2, false])
      rounds[1]!.resolve()
      await end
    } finally {
      vi.useRealTimers()
    }
  })
})
