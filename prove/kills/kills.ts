import { pause } from "#base/flow/pause.ts"
import { percentile } from "../../bench/measure.ts"
import { type Effort, type Outcome, type Proof, settingsOf, tries } from "../proof.ts"
import { Books } from "./books.ts"
import { migrationRound } from "./migration.ts"
import { OPERATIONS, type Operation, type Stage } from "./operations.ts"
import { SOURCE, World } from "./world.ts"
import { chance } from "#base/testing/chance.ts"

const ROUNDS = 200
/** Number of pages on the site; each is searched for several times per round. */
const PAGES = 40
const LEAST_PAGES = 6
/** Maximum time for a start after a kill, on an otherwise idle machine. */
const READY_MS = 5000
/**
 * Maximum number of repetitions: if the victim of a round had already ended, the round is repeated, each time with half
 * the time before the kill.
 */
const MOST_AGAIN = 8
const MIGRATION = "migration"

/** The results of one operation. */
interface Tried {
  rounds: number
  readonly faults: string[]
  readonly victims: Map<string, number>
  readonly readyMs: number[]
}

export interface Kills {
  readonly tried: ReadonlyMap<string, Tried>
}

/** Kills an appliance again and again, and checks after each start that it keeps the promises made before the kill. */
export async function killRounds({ scale, seed, tell }: Effort): Promise<Kills> {
  const rounds = tries({ scale, seed, tell }, ROUNDS)
  await using world = await World.begin(
    tries({ scale, seed, tell }, PAGES, LEAST_PAGES),
    settingsOf({ scale }),
  )
  const books = new Books(world)
  await settleIn(world, books)
  const all = [
    ...OPERATIONS.filter(({ name }) => name !== "payment settlement" || world.paid !== null),
    MIGRATION,
  ] as const
  const tried = new Map<string, Tried>()
  for (let round = 0; round < rounds; round++) {
    // Operations take turns in random order: a short run tries as many of them as a long one does.
    const operation = turn(all, round, seed)
    const name = operation === MIGRATION ? MIGRATION : operation.name
    const record: Tried = tried.get(name) ?? { rounds: 0, faults: [], victims: new Map(), readyMs: [] }
    tried.set(name, record)
    record.rounds += 1
    for (let again = 0; ; again++) {
      // Each round has its own random source, because the number of draws in a round depends on its processes. A
      // repeated round has the same victim.
      const random = chance(seed * 1_000_003 + round)
      const share = 0.5 ** again
      // Rounds run one after the other, because there is only one appliance.
      const { victim, isKilled, afterMs, readyMs, faults } =
        operation === MIGRATION
          ? // oxlint-disable-next-line no-await-in-loop
            await migrationRound(random, share)
          : // oxlint-disable-next-line no-await-in-loop
            await killedAt(operation, { world, books, random }, share)
      record.readyMs.push(...readyMs)
      const what = isKilled
        ? `${victim} killed after ${afterMs} ms`
        : `${victim} finished before ${afterMs} ms`
      const where = `round ${round + 1}, ${name}, ${what}`
      const wrong = isKilled || again < MOST_AGAIN ? faults : [...faults, "nothing could be killed"]
      record.faults.push(...wrong.map((fault) => `${where}: ${fault}`))
      tell(
        `${where}: ready in ${readyMs.map(Math.round).join(", ")} ms${wrong.length === 0 ? "" : `; NOT KEPT: ${wrong.join("; ")}`}`,
      )
      if (isKilled) record.victims.set(victim, (record.victims.get(victim) ?? 0) + 1)
      if (isKilled || again === MOST_AGAIN) break
    }
  }
  return { tried }
}

/** The element for the `round`-th turn, in a random order in which each comes once before any is repeated. */
function turn<T>(all: readonly T[], round: number, seed: number): T {
  const random = chance(seed + Math.floor(round / all.length))
  const order = all.map((one) => ({ one, at: random.next() })).toSorted((a, b) => a.at - b.at)
  return order[round % all.length]!.one
}

/** Runs the first crawl, and creates a key whose calls are counted, and a watch. */
async function settleIn(world: World, books: Books): Promise<void> {
  const { appliance, receiver } = world
  await appliance.ready(world.startedWith)
  await appliance.ask(`/admin/sources/${SOURCE}/run`, {})
  const problems = [...(await books.rest()), ...(await books.current()), ...(await books.vectors())]
  if (problems.length > 0)
    throw new Error(`the first crawl failed: ${problems.join("; ")}\n${appliance.output}`)
  books.calls.key = (await appliance.ask<{ key: string }>("/admin/keys", { role: "search" })).key
  const watch = await appliance.ask<{ id: string; webhook_secret: string }>("/watches", {
    source: SOURCE,
    webhook: receiver.url,
  })
  books.watch.id = watch.id
  world.watchSecret = watch.webhook_secret
  const shown = () => appliance.ask<{ ready_at: string | null }>(`/watches/${watch.id}`)
  while ((await shown()).ready_at === null) await pause(50)
  if (world.paid !== null) books.receivedBefore = await world.paid.received()
}

interface Round {
  readonly victim: string
  /** False if the process had already ended. */
  readonly isKilled: boolean
  readonly afterMs: number
  readonly readyMs: readonly number[]
  readonly faults: readonly string[]
}

async function killedAt(
  operation: Operation,
  { world, books, random }: Pick<Stage, "world" | "books" | "random">,
  share: number,
): Promise<Round> {
  const { appliance } = world
  let isKilled = false
  const kill = Promise.withResolvers<void>()
  const stage: Stage = { world, books, random, killed: kill.promise, isKilled: () => isKilled }
  const victim = random.one(operation.victims)
  const readyMs = world.isWorn ? [await restart(world)] : []
  const afterMs = Math.round(random.next() * operation.withinMs * share)
  const { done } = await operation.begin(stage)
  const wasThere = await appliance.killAfter(victim, afterMs)
  isKilled = true
  kill.resolve()
  readyMs.push(await appliance.ready(world.startedWith))
  await done
  const faults = [
    ...(await books.pages()),
    ...(await operation.check(stage)),
    ...(await books.keysWork()),
    ...(await books.usage()),
  ]
  world.isWorn = victim !== "all" && victim !== "supervisor"
  return { victim, isKilled: wasThere, afterMs, readyMs, faults }
}

/** Kills all processes of an idle appliance, so that a round begins with a supervisor that hasn't seen a process die. */
async function restart(world: World): Promise<number> {
  world.isWorn = false
  await world.appliance.kill("all")
  return await world.appliance.ready(world.startedWith)
}

export const proof: Proof = {
  title: "Crash recovery",
  promise:
    "The appliance keeps everything it has acknowledged, even if its processes are killed at any moment. It crawls a site whose pages appear, " +
    "change and disappear, answers searches, creates keys, backs up, changes its model, sells searches and runs watches. At a random moment, `kill " +
    "-9` ends one or all of its processes, and they are started again. After each start, every page that a crawl had reported is found with its " +
    "whole text, every key that was issued works, every response that arrived is counted exactly once, no run is stuck, each backup is complete or " +
    "absent, each change is reported once, each payment is charged once and answered, and the appliance is ready within five seconds.",
  async run(effort: Effort): Promise<Outcome> {
    const { tried } = await killRounds(effort)
    const rows = [...tried].map(([name, { rounds, faults, victims, readyMs }]) => [
      name,
      rounds,
      [...victims].map(([victim, times]) => `${victim} ${times}`).join(", "),
      faults.length,
      Math.round(percentile(readyMs, 0.5)),
      Math.round(Math.max(...readyMs)),
    ])
    const late = [...tried].flatMap(([name, { readyMs }]) =>
      readyMs.filter((ms) => ms > READY_MS).map((ms) => `${name}: ready only after ${Math.round(ms)} ms`),
    )
    return {
      columns: [
        "killed during",
        "rounds",
        "processes killed",
        "faults",
        "ready after, median ms",
        "ready after, slowest ms",
      ],
      rows,
      faults: [...[...tried.values()].flatMap(({ faults }) => faults), ...late],
    }
  },
}
