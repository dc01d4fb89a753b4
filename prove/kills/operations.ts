import { pause } from "#base/flow/pause.ts"
import { ask, sign } from "../../api/doors/x402/testing/payments.ts"
import { payer } from "../../api/doors/x402/testing/wallets.ts"
import type { Victim } from "./appliance.ts"
import { type Books } from "./books.ts"
import { MODELS, SOURCE, type World } from "./world.ts"
import { type Chance } from "#base/testing/chance.ts"

const CLIENTS = 8
/** Number of pages that change before a crawl, in addition to one added and one removed. */
const CHANGED = 4

/** The parts that a round works with. */
export interface Stage {
  readonly world: World
  readonly books: Books
  readonly random: Chance
  /** Resolves at the kill; anything in progress may then fail. */
  readonly killed: Promise<unknown>
  readonly isKilled: () => boolean
}

/** An operation of an appliance during which it can be killed. */
export interface Operation {
  readonly name: string
  /** The processes that can be killed during the operation. */
  readonly victims: readonly Victim[]
  /** Maximum milliseconds from the start of the operation to the kill. */
  readonly withinMs: number
  /**
   * Begins the operation, and resolves once it is under way, so that the kill can come. `done` resolves when it has
   * finished or the appliance was killed, and never rejects.
   */
  begin(stage: Stage): Promise<{ readonly done: Promise<unknown> }>
  /** Returns violations of conditions that must hold once the appliance is ready again, in addition to those that must always hold. */
  check(stage: Stage): Promise<string[]>
}

const run = async ({ world }: Stage): Promise<void> => {
  await world.appliance.ask(`/admin/sources/${SOURCE}/run`, {})
}

function change({ world, books, random }: Stage): void {
  const { site, leastPages } = world
  const changed = new Set(Array.from({ length: CHANGED }, () => site.change(random)))
  // A page that changed twice is read once, and a page that ends up removed isn't read.
  const added = site.add()
  if (site.urls.length > leastPages) changed.delete(site.remove(random))
  for (const url of changed) books.expect("changed", url)
  if (site.isThere(added)) books.expect("new", added)
}

/** Runs the source until its page number `at` is requested. */
async function crawlTo(stage: Stage, at: number): Promise<{ done: Promise<unknown> }> {
  const { world } = stage
  change(stage)
  let asked = 0
  const reached = Promise.withResolvers<void>()
  world.site.onRequest = () => {
    asked += 1
    if (asked > at) reached.resolve()
  }
  await run(stage)
  await reached.promise
  return { done: Promise.resolve() }
}

/** After a crawl: it has ended, the index contains the site's pages, and the watch has reported them. */
async function crawled({ world, books }: Stage): Promise<string[]> {
  // A kill may have come before the run was acknowledged.
  const stuck = await books.rest()
  world.site.onRequest = () => {}
  return [...stuck, ...(await books.current()), ...(await books.watches())]
}

/** Makes calls over many connections until the kill; `call` returns whether it was answered. */
const many = (stage: Stage, call: () => Promise<boolean>): Promise<unknown> =>
  Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (!stage.isKilled() && (await call()));
    }),
  )

export const OPERATIONS: readonly Operation[] = [
  {
    name: "index write",
    victims: ["job", "all", "crawler", "supervisor", "api"],
    withinMs: 400,
    begin: (stage) => crawlTo(stage, 2 + stage.random.below(stage.world.leastPages)),
    check: crawled,
  },
  {
    name: "crawl queue write",
    victims: ["job", "all", "crawler"],
    withinMs: 60,
    // The first page links to all others.
    begin: (stage) => crawlTo(stage, 1),
    check: crawled,
  },
  {
    name: "key creation",
    victims: ["api", "all", "supervisor"],
    withinMs: 150,
    async begin(stage) {
      const { appliance } = stage.world
      const call = async () => {
        const { status, text } = await appliance.call("/admin/keys", { role: "search" })
        if (status === 201) stage.books.keys.push((JSON.parse(text) as { key: string }).key)
        await pause(5)
        return status === 201
      }
      return { done: many(stage, call) }
    },
    check: ({ books }) => books.keysWork(),
  },
  {
    name: "usage count",
    victims: ["api", "all", "supervisor"],
    withinMs: 400,
    async begin(stage) {
      const { appliance, site } = stage.world
      const { calls } = stage.books
      const call = async () => {
        calls.sent += 1
        const query = site.wordOf(stage.random.one(site.urls))
        const { status } = await appliance.call("/search", { query }, { key: calls.key })
        if (status === 200) calls.answered += 1
        return status === 200
      }
      return { done: many(stage, call) }
    },
    check: ({ books }) => books.usage(),
  },
  {
    name: "backup",
    victims: ["backup", "all", "crawler"],
    withinMs: 1500,
    async begin({ world }) {
      await world.appliance.ask("/admin/backups/run", {})
      return { done: Promise.resolve() }
    },
    check: async ({ books }) => [...(await books.rest()), ...(await books.backups())],
  },
  {
    name: "re-embed",
    victims: ["job", "all", "api", "crawler"],
    withinMs: 2500,
    async begin({ world }) {
      await world.appliance.kill("all")
      world.model = MODELS.find((name) => name !== world.model)!
      await world.appliance.ready(world.startedWith)
      return { done: Promise.resolve() }
    },
    check: ({ books }) => books.vectors(),
  },
  {
    name: "payment settlement",
    victims: ["api", "all"],
    withinMs: 250,
    async begin(stage) {
      const { paid } = stage.world
      const { headers } = await sign(paid!.url, payer)
      stage.books.payments += 1
      const question = { query: "harbours" }
      const first = ask(paid!.url, question, headers).then(
        ({ status }) => status,
        () => 0,
      )
      stage.books.owed = { question, headers, first }
      return { done: first }
    },
    check: async ({ books }) => [...(await books.owedAnswer()), ...(await books.charged())],
  },
  {
    name: "watch",
    victims: ["api", "all", "supervisor"],
    withinMs: 2500,
    // The crawl has ended, and its changes are being reported.
    async begin(stage) {
      change(stage)
      await run(stage)
      await stage.books.rest()
      return { done: Promise.resolve() }
    },
    check: crawled,
  },
]
