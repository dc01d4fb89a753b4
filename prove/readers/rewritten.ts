import { type Chance, chance } from "#base/testing/chance.ts"
import type { Page } from "#engine"
import type { Tools } from "../key-reach/asking.ts"
import { someCall } from "./calls.ts"
import type { Judge, Situation } from "./judge.ts"
import type { World } from "./world.ts"

/** Number of pages written in one call. */
const BATCH = 20

/**
 * Makes calls while every page is being rewritten, and while readers are changing. While no readers are changing, the
 * oracle applies strictly; while they are, an answer may be right for either the old readers or the new ones.
 * Afterwards only the new readers count.
 * @param seed seed for the questions, so that the same ones are asked each time
 * @param calls minimum number of calls each time
 */
export async function askWhileRewritten(
  world: World,
  seed: number,
  judge: Judge,
  tools: Tools,
  calls: number,
): Promise<void> {
  const ask = async (random: Chance, situation: Situation) => {
    const [person, page] = [random.one(world.people), random.one(world.pages)]
    await judge.one(someCall(page, world.pages, random, world.site.origin), person, page, tools, situation)
  }
  /** Makes the change over and over, until enough calls have been made. */
  const during = async (change: () => Promise<void>, situationNow: () => Situation) => {
    const random = chance(seed)
    for (let asked = 0; asked < calls;) {
      const situation = situationNow()
      const over = new AbortController()
      const changing = change().finally(() => over.abort())
      // oxlint-disable-next-line no-await-in-loop -- the change goes on meanwhile
      for (let at = 0; at === 0 || !over.signal.aborted; at++, asked++) await ask(random, situation)
      // oxlint-disable-next-line no-await-in-loop
      await changing
    }
  }
  const rewrite = async () => {
    await world.changeAll({ readers: false })
    await indexAgain(world)
  }
  await during(rewrite, () => ({ of: "while pages are rewritten" }))
  const change = () => world.changeAll({ readers: true })
  await during(change, () => {
    const before = new Map(world.pages.map((page) => [page, page.own]))
    const mayRead: World["mayRead"] = (person, page) =>
      world.mayRead(person, page) || world.mayRead(person, { ...page, own: before.get(page)! })
    return { of: "while readers change", mayRead }
  })
  await world.known()
  const nothing = async () => {}
  await during(nothing, () => ({ of: "after readers have changed" }))
}

/** Rewrites all pages unchanged, as when an index is rebuilt. */
async function indexAgain({ engine }: World): Promise<void> {
  const all: Page[] = []
  for await (const { page } of engine.allPages()) all.push(page)
  // oxlint-disable-next-line no-await-in-loop
  for (let at = 0; at < all.length; at += BATCH) await engine.index(all.slice(at, at + BATCH))
  await engine.settled()
}
