import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"

import { IdleCollection } from "./idle-collection.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

/** A process that is busy for a given share of each second. */
function madeUpProcess() {
  let [active, all] = [0, 0]
  const utilizationOf = (done: number, of: number) => ({
    active: done,
    idle: of - done,
    utilization: of === 0 ? 0 : done / of,
  })
  return {
    utilization: (since?: { readonly active: number; readonly idle: number }) =>
      utilizationOf(active - (since?.active ?? 0), all - (since ? since.active + since.idle : 0)),
    live: (seconds: number, share: number) => {
      for (let second = 0; second < seconds; second++) {
        active += 1000 * share
        all += 1000
        vi.advanceTimersByTime(1000)
      }
    },
  }
}

describe("garbage from a busy time", () => {
  /** A simulated process, and the number of times its garbage was collected. */
  function begin() {
    const life = madeUpProcess()
    const collect = vi.fn<() => Promise<void>>()
    const collection = new IdleCollection({ utilization: life.utilization, collect })
    return { live: life.live, times: () => collect.mock.calls.length, collection }
  }

  test("is collected once, 20 seconds later", () => {
    const { live, times, collection } = begin()
    live(60, 0.9)
    live(15, 0.01)
    expect(times()).toBe(0)
    live(5, 0.01)
    expect(times()).toBe(1)
    live(600, 0.01)
    expect(times()).toBe(1)
    live(15, 0.9)
    live(20, 0)
    expect(times()).toBe(2)
    live(15, 0.9)
    collection[Symbol.dispose]()
    live(60, 0)
    expect(times()).toBe(2)
  })

  test("is left alone while there is work, and in a process that has hardly done any", () => {
    const { live, times, collection } = begin()
    live(1000, 0.06)
    expect(times()).toBe(0)
    collection[Symbol.dispose]()
    const lazy = begin()
    lazy.live(5, 0.9)
    lazy.live(60, 0.01)
    expect(lazy.times()).toBe(0)
    // The work gradually adds up.
    lazy.live(600, 0.01)
    expect(lazy.times()).toBe(1)
    lazy.collection[Symbol.dispose]()
  })
})

test("the memory of collected garbage is returned", async () => {
  const life = madeUpProcess()
  using _ = new IdleCollection({ utilization: life.utilization })
  const garbage = { of: Array.from({ length: 1_000_000 }, (_, at) => ({ at, text: `${at}` })) }
  const full = process.memoryUsage().heapTotal
  expect(full).toBeGreaterThan(60_000_000)
  garbage.of = []
  life.live(20, 0.9)
  life.live(25, 0)
  await expect.poll(() => process.memoryUsage().heapTotal).toBeLessThan(full - 50_000_000)
})
