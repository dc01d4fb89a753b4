import { pause } from "#base/flow/pause.ts"

import { type Chance, chance } from "#base/testing/chance.ts"
import { isRefusal, type LiveAppliance, type Reply } from "../running/live-appliance.ts"
import type { MadeUpSite } from "../running/made-up-site.ts"
import { reportOf } from "../running/report.ts"

/** One sort of call. */
interface Kind {
  readonly name: string
  /** The kind's share of all calls. */
  readonly weight: number
  readonly ask: (appliance: LiveAppliance, site: MadeUpSite, from: Chance) => Promise<Reply>
  /** Whether this is the right answer, unless it was refused. */
  readonly isRight: (reply: Reply) => boolean
  /** The later result of the answer, awaited while other calls are running and counted under this name; omitted if there is none. */
  readonly outcome?: {
    readonly name: string
    /** @returns what is wrong with the result, in words; null if nothing is */
    readonly of: (appliance: LiveAppliance, reply: Reply) => Promise<string | null>
  }
}

const has = (field: string) => (reply: Reply) => reply.status === 200 && reply.text.includes(`"${field}"`)
const refusedAs = (status: number) => (reply: Reply) =>
  reply.status === status && reply.text.startsWith('{"detail":{"error":')

export const KINDS: readonly Kind[] = [
  {
    name: "search basic",
    weight: 50,
    ask: (appliance, site) => appliance.call("/search", { query: site.question() }),
    isRight: has("results"),
  },
  {
    name: "search advanced",
    weight: 10,
    ask: (appliance, site) =>
      appliance.call("/search", { query: site.question(), search_depth: "advanced", include_answer: true }),
    isRight: has("results"),
  },
  {
    name: "search with whole pages",
    weight: 5,
    ask: (appliance, site) =>
      appliance.call("/search", { query: site.question(), include_raw_content: true, max_results: 20 }),
    isRight: has("raw_content"),
  },
  {
    name: "stored page",
    weight: 15,
    ask: (appliance, site, from) => appliance.call(`/pages?url=${encodeURIComponent(from.one(site.urls))}`),
    isRight: has("content"),
  },
  {
    name: "suggest",
    weight: 12,
    ask: (appliance, site) => appliance.call(`/suggest?q=${encodeURIComponent(site.typed())}`),
    isRight: (reply) => reply.status === 200,
  },
  {
    name: "research",
    weight: 1,
    ask: (appliance, site) =>
      appliance.call("/research", { input: `What is ${site.question()}?`, model: "mini" }),
    isRight: (reply) => reply.status < 300 && reply.text.includes("request_id"),
    outcome: { name: "research report", of: reportOf },
  },
  {
    name: "invalid request",
    weight: 5,
    ask: (appliance, _, from) => appliance.call("/search", from.one(["{", "[]", '{"query":7}', "{}"])),
    isRight: (reply) => [400, 422].includes(reply.status),
  },
  {
    name: "wrong key",
    weight: 2,
    ask: (appliance) => appliance.call("/search", { query: "x" }, { key: "none" }),
    isRight: refusedAs(401),
  },
]

const WEIGHTS = KINDS.reduce((sum, { weight }) => sum + weight, 0)
/** The longest a client waits after a refusal, whatever Retry-After says: otherwise all clients might sleep at once. */
const MOST_WAIT_MS = 500

/** The results of the calls of one kind. */
export interface Tally {
  readonly ms: number[]
  readonly refusedMs: number[]
  /** Answers that were wrong, in words. */
  readonly wrong: string[]
}

export type Tallies = ReadonlyMap<string, Tally>

/** Runs this many clients, each making one call after the other over keep-alive, until `signal` aborts; then waits for their last calls. */
export async function askAll(
  appliance: LiveAppliance,
  site: MadeUpSite,
  {
    clients,
    seed,
    signal,
    kinds = KINDS,
  }: { clients: number; seed: number; signal: AbortSignal; kinds?: readonly Kind[] },
): Promise<Tallies> {
  const tallies = new Map<string, Tally>(
    kinds
      .flatMap(({ name, outcome }) => (outcome ? [name, outcome.name] : [name]))
      .map((name) => [name, { ms: [], refusedMs: [], wrong: [] }]),
  )
  const outcomes: Promise<void>[] = []
  const follow = async ({ name, of }: NonNullable<Kind["outcome"]>, reply: Reply, asked: number) => {
    const problem = await of(appliance, reply)
    const tally = tallies.get(name)!
    if (problem === null) tally.ms.push(performance.now() - asked)
    else tally.wrong.push(problem)
  }
  const client = async (number: number) => {
    const from = chance(seed * 1000 + number)
    while (!signal.aborted) {
      const kind = kinds.length === 1 ? kinds[0]! : kindOf(from)
      const asked = performance.now()
      const reply = await kind.ask(appliance, site, from)
      const tally = tallies.get(kind.name)!
      if (isRefusal(reply)) {
        tally.refusedMs.push(reply.ms)
        await pause(Math.min(MOST_WAIT_MS, Number(reply.retryAfter) * 1000), signal)
      } else if (kind.isRight(reply)) {
        tally.ms.push(reply.ms)
        if (kind.outcome) outcomes.push(follow(kind.outcome, reply, asked))
      } else
        tally.wrong.push(
          `${kind.name} got ${reply.status} after ${Math.round(reply.ms)} ms: ${reply.text.slice(0, 200)}`,
        )
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  await Promise.all(outcomes)
  return tallies
}

function kindOf(from: Chance): Kind {
  let left = from.below(WEIGHTS)
  for (const kind of KINDS) {
    if (left < kind.weight) return kind
    left -= kind.weight
  }
  return KINDS[0]!
}
