import type { Chance } from "#base/testing/chance.ts"

/** Number of documents in the fullest shard, not just the mean, if a hash of its address decides which shard each document goes to. */
export function fullestShard(documents: number, shards: number, random: Chance): number {
  const mean = documents / shards
  // With this many shards, a normal distribution is accurate to the last digit shown.
  const deviation = Math.sqrt(mean * (1 - 1 / shards))
  let most = 0
  for (let shard = 0; shard < shards; shard++) most = Math.max(most, mean + deviation * normal(random))
  return most / mean
}

/** Box–Muller transform (1958). */
const normal = (random: Chance): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

export interface Cluster {
  readonly nodes: number
  readonly shards: number
  /** Number of additional copies of each shard. */
  readonly replicas: number
  readonly shardMb: number
}

export interface RecoveryLimits {
  /** How much a node can send, and how much it can receive. OpenSearch: `indices.recovery.max_bytes_per_sec`, 40 MB. */
  readonly mbPerSecond: number
  /** Number of copies that a node sends, and receives, at a time. OpenSearch: `node_concurrent_recoveries`, 2. */
  readonly atATime: number
  /** Delay until a missing node counts as gone. OpenSearch: `index.unassigned.node_left.delayed_timeout`, one minute. */
  readonly waitSeconds: number
}

export const OPENSEARCH_RECOVERY: RecoveryLimits = { mbPerSecond: 40, atATime: 2, waitSeconds: 60 }

interface Copy {
  readonly from: number
  readonly to: number
  leftMb: number
}

/**
 * Seconds from the death of a node until every shard has all of its copies again. Copies are distributed evenly; each
 * lost one is sent by a node that has another copy, to the node with the fewest copies that has none of this shard.
 *
 * @throws RangeError if too few nodes are left for the copies
 */
export function recoverySeconds(
  { nodes, shards, replicas, shardMb }: Cluster,
  { mbPerSecond, atATime, waitSeconds }: RecoveryLimits,
): number {
  const copies = replicas + 1
  if (replicas === 0 || nodes - 1 < copies) throw new RangeError("a lost copy has nowhere to come from")
  const holders = Array.from({ length: shards }, (_, shard) =>
    Array.from({ length: copies }, (_, copy) => (shard + copy) % nodes),
  )
  const dead = 0
  const held = Array.from(
    { length: nodes },
    (_, node) => holders.filter((those) => those.includes(node)).length,
  )
  const sends = Array.from({ length: nodes }, () => 0)
  const waiting: Copy[] = []
  for (const those of holders) {
    if (!those.includes(dead)) continue
    const living = those.filter((node) => node !== dead)
    const from = least(living, sends)
    const free = Array.from({ length: nodes }, (_, node) => node).filter(
      (node) => node !== dead && !living.includes(node),
    )
    const to = least(free, held)
    held[to]! += 1
    sends[from]! += 1
    waiting.push({ from, to, leftMb: shardMb })
  }
  return waitSeconds + copyAll(waiting, nodes, { mbPerSecond, atATime })
}

const least = (nodes: readonly number[], of: readonly number[]): number =>
  nodes.reduce((best, node) => (of[node]! < of[best]! ? node : best))

/** Seconds until everything is copied: each node shares its sending and receiving limits among its copies. */
function copyAll(
  waiting: Copy[],
  nodes: number,
  { mbPerSecond, atATime }: Pick<RecoveryLimits, "mbPerSecond" | "atATime">,
): number {
  let seconds = 0
  const running: Copy[] = []
  while (waiting.length + running.length > 0) {
    const [sending, taking] = [Array.from({ length: nodes }, () => 0), Array.from({ length: nodes }, () => 0)]
    const count = ({ from, to }: Copy) => {
      sending[from]! += 1
      taking[to]! += 1
    }
    running.forEach(count)
    for (let at = 0; at < waiting.length;) {
      const copy = waiting[at]!
      if (sending[copy.from]! >= atATime || taking[copy.to]! >= atATime) at += 1
      else {
        waiting.splice(at, 1)
        running.push(copy)
        count(copy)
      }
    }
    const rateOf = ({ from, to }: Copy) => mbPerSecond / Math.max(sending[from]!, taking[to]!)
    const step = Math.min(...running.map((copy) => copy.leftMb / rateOf(copy)))
    seconds += step
    for (const copy of running) copy.leftMb -= step * rateOf(copy)
    for (let i = running.length - 1; i >= 0; i--) if (running[i]!.leftMb < 1e-9) running.splice(i, 1)
  }
  return seconds
}
