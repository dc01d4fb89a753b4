import { describe, expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { fullestShard, recoverySeconds } from "./shards.ts"

const limits = { mbPerSecond: 10, atATime: 2, waitSeconds: 60 }

describe("the copies of a dead node", () => {
  test("come from the remaining node, to the one without a copy", () => {
    // With three shards in two copies on three nodes, each node has two copies; when one dies, the other two nodes send
    // one and receive one each.
    const cluster = { nodes: 3, shards: 3, replicas: 1, shardMb: 100 }
    expect(recoverySeconds(cluster, limits)).toBeCloseTo(60 + 10)
  })

  test("arrive sooner if more nodes send and receive", () => {
    const lost = (nodes: number) => recoverySeconds({ nodes, shards: 60, replicas: 1, shardMb: 100 }, limits)
    expect(lost(12)).toBeLessThan(lost(6))
    expect(lost(6)).toBeLessThan(lost(3))
    // No node receives more than its limit: if one of three nodes dies, each of the others gets half of its data.
    expect(lost(3)).toBeGreaterThanOrEqual(60 + (40 * 100) / 2 / 10)
  })

  test("cannot be restored if no node is left for them", () => {
    expect(() => recoverySeconds({ nodes: 2, shards: 1, replicas: 1, shardMb: 1 }, limits)).toThrow(
      RangeError,
    )
    expect(() => recoverySeconds({ nodes: 3, shards: 1, replicas: 0, shardMb: 1 }, limits)).toThrow(
      RangeError,
    )
  })
})

describe("the fullest shard", () => {
  test("holds everything if it is the only one", () => {
    expect(fullestShard(1000, 1, chance(1))).toBe(1)
  })

  test("differs little from the mean if there are many documents", () => {
    const [few, many] = [fullestShard(10_000, 30, chance(1)), fullestShard(10_000_000, 30, chance(1))]
    expect(many).toBeGreaterThan(1)
    expect(many).toBeLessThan(1.01)
    expect(few).toBeGreaterThan(many)
  })

  test("matches a simulation that assigns documents one by one", () => {
    const random = chance(5)
    const counts = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 100_000; i++) counts[Math.floor(random.next() * 10)]! += 1
    expect(fullestShard(100_000, 10, chance(5))).toBeCloseTo(Math.max(...counts) / 10_000, 1)
  })
})
