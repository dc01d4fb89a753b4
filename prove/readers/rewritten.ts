import { type Chance, chance } from "#base/testing/chance.ts"
import type { Page } from "#engine"
import type { Tools } from "../key-reach/asking.ts"
import { someCall } from "./calls.ts"
import type { Judge, Situation } from "./judge.ts"
import type { World } from "./world.ts"

/** Pages that are written in one go. */
const BATCH = 20

/**
 * Asks while every page is written anew, and while readers change. As long as no readers change, the oracle holds to the letter; while
 * they do, an answer may go by the old ones or by the new ones. Afterwards only the new ones count.
 * @param seed the same is asked each time
 * @param calls made at least each time
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
  const during = async (situation: Situation, change: () => Promise<void>) => {
    const random = chance(seed)
    const over = new AbortController()
    const changing = change().finally(() => over.abort())
    // oxlint-disable-next-line no-await-in-loop -- the change goes on meanwhile
    for (let at = 0; at < calls || !over.signal.aborted; at++) await ask(random, situation)
    await changing
  }
  await during({ of: "while pages are rewritten" }, async () => {
    for (let times = 0; times < 2; times++) {
      // oxlint-disable-next-line no-await-in-loop -- one index takes one writer
      await world.changeAll({ readers: false })
      // oxlint-disable-next-line no-await-in-loop
      await indexAgain(world)
    }
  })
  const before = new Map(world.pages.map((page) => [page, page.own]))
  await during(
    {
      of: "while readers change",
      mayRead: (person, page) =>
        world.mayRead(person, page) || world.mayRead(person, { ...page, own: before.get(page)! }),
    },
    () => world.changeAll({ readers: true }),
  )
  await world.known()
  await during({ of: "after readers have changed" }, async () => {})
}

/** Writes all pages as they are, as an index that is built again is filled. */
async function indexAgain({ engine }: World): Promise<void> {
  const all: Page[] = []
  for await (const { page } of engine.allPages()) all.push(page)
  // oxlint-disable-next-line no-await-in-loop
  for (let at = 0; at < all.length; at += BATCH) await engine.index(all.slice(at, at + BATCH))
  await engine.settled()
}
