import type { Chance } from "#base/testing/chance.ts"
import { until } from "#base/testing/until.ts"
import { ask } from "../key-reach/asking.ts"
import type { Try } from "../key-reach/calls.ts"
import type { Judge } from "./judge.ts"
import type { Person, World } from "./world.ts"

interface Made {
  readonly call: Try
  readonly person: Person
  readonly id: string
  readonly feed: string
}

/** Creates watches of all kinds, and judges their entries after every page has changed, and again after the readers of pages and sources have changed. */
export async function watched(world: World, random: Chance, judge: Judge, count: number): Promise<void> {
  const { app, people, pages, ofSources } = world
  const live = pages.filter(({ isLive }) => isLive)
  const made: Made[] = []
  const watch = async (person: Person, body: Readonly<Record<string, unknown>>) => {
    const call = { of: "watches", path: "/watches", body, showsLinks: true } as const
    const answer = await ask(`${app.url}/watches`, person.key, body)
    judge.judge(call, person, answer)
    if (answer.status >= 300) return
    const { id, feed_url: feed } = JSON.parse(answer.text) as { id: string; feed_url: string }
    made.push({ call, person, id, feed })
  }
  for (let at = 0; at < count; at++) {
    const page = random.one(live)
    const subjects = [
      { source: page.sources[0] },
      { url: page.url },
      { question: `pump seals ${page.asked}` },
    ]
    // oxlint-disable-next-line no-await-in-loop -- each waits for the one before: that of the admin is the last to be told
    await watch(random.one(people), random.one(subjects))
  }
  const last = live.at(-1)!
  await watch(people[0]!, { source: last.sources[0] })
  const control = made.at(-1)!
  // Pages that exist when the watch first looks are not reported as new.
  const isReady = async () =>
    (
      JSON.parse((await ask(`${app.url}/watches/${control.id}`, control.person.key)).text) as {
        ready_at: unknown
      }
    ).ready_at !== null
  await until(isReady, 50)
  const entriesOf = ({ id, person }: Made) =>
    ask(`${app.url}/watches/${id}/entries?after=0&limit=500`, person.key)
  const entriesOfControl = async () =>
    JSON.parse((await entriesOf(control)).text) as { readonly entries: readonly object[] }
  const judgeAll = async () => {
    for (const one of made) {
      const call = { ...one.call, showsLinks: false, path: `the entries of ${one.call.path}` } as const
      // oxlint-disable-next-line no-await-in-loop
      judge.judge({ of: "watches", path: call.path, body: one.call.body! }, one.person, await entriesOf(one))
      // oxlint-disable-next-line no-await-in-loop
      judge.judge(
        { of: "feeds", path: "a feed", body: one.call.body! },
        one.person,
        await ask(one.feed, one.person.key),
      )
    }
  }
  for (const readers of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop
    const before = (await entriesOfControl()).entries.length
    // oxlint-disable-next-line no-await-in-loop
    await world.changeAll({ readers })
    const expected = live.filter(({ sources }) => sources[0] === last.sources[0]).length
    // oxlint-disable-next-line no-await-in-loop
    await until(async () => (await entriesOfControl()).entries.length >= before + expected, 50)
    // oxlint-disable-next-line no-await-in-loop
    await judgeAll()
  }
  for (const [name, written] of ofSources) {
    const denied = [...(written.deny ?? []), ...(random.one(people).principals ?? [])]
    // oxlint-disable-next-line no-await-in-loop
    await world.declare(name, { ...written, deny: denied })
  }
  await world.known()
  await judgeAll()
}
