import { describe, expect, test } from "vitest"
import { chance } from "#base/testing/chance.ts"
import { fullestShard, recoverySeconds } from "./shards.ts"

const limits = { mbPerSecond: 10, atATime: 2, waitSeconds: 60 }

describe("the copies of a dead node", () => {
  test("come from the one that is left to the one that has none", () => {
    // With three shards in two copies on three nodes, each node has two copies; when one dies, the other two nodes send
    // one and receive one each.
    const cluster = { nodes: 3, shards: 3, replicas: 1, shardMb: 100 }
    expect(recoverySeconds(cluster, limits)).toBeCloseTo(60 + 10)
  })

  test("are there sooner the more nodes send and take", () => {
    const lost = (nodes: number) => recoverySeconds({ nodes, shards: 60, replicas: 1, shardMb: 100 }, limits)
    expect(lost(12)).toBeLessThan(lost(6))
    expect(lost(6)).toBeLessThan(lost(3))
    // No node receives more than its limit: if one of three nodes dies, each of the others gets half of its data.
    expect(lost(3)).toBeGreaterThanOrEqual(60 + (40 * 100) / 2 / 10)
  })

  test("cannot come where no node is left for them", () => {
    expect(() => recoverySeconds({ nodes: 2, shards: 1, replicas: 1, shardMb: 1 }, limits)).toThrow(
      RangeError,
    )
    expect(() => recoverySeconds({ nodes: 3, shards: 1, replicas: 0, shardMb: 1 }, limits)).toThrow(
      RangeError,
    )
  })
})

describe("the fullest shard", () => {
  test("is as full as all when there is one", () => {
    expect(fullestShard(1000, 1, chance(1))).toBe(1)
  })

  test("differs from the mean by little where documents are many", () => {
    const [few, many] = [fullestShard(10_000, 30, chance(1)), fullestShard(10_000_000, 30, chance(1))]
    expect(many).toBeGreaterThan(1)
    expect(many).toBeLessThan(1.01)
    expect(few).toBeGreaterThan(many)
  })

  test("is what dealing out one by one gives", () => {
    const random = chance(5)
    const counts = Array.from({ length: 10 }, () => 0)
    for (let i = 0; i < 100_000; i++) counts[Math.floor(random.next() * 10)]! += 1
    expect(fullestShard(100_000, 10, chance(5))).toBeCloseTo(Math.max(...counts) / 10_000, 1)
  })
})
