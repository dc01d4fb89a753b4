import { until } from "#base/testing/until.ts"
import { chance } from "#base/testing/chance.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { ask, type Said, said, Tools } from "./asking.ts"
import { someTry, type Try } from "./calls.ts"
import { openWorld, type SecretPage, type SomeKey, wordsIn, type World } from "./world.ts"

const TRIPLES = 10_000
const KEYS = 150
const WATCHES = 300
/** Number of live pages in each of six sources. */
const LIVE_PAGES = 12

export const proof: Proof = {
  title: "What a key may see",
  promise:
    "No API key sees a page outside its scope, whatever it calls. Keys with random scopes (sources, collections, domains, ports, endpoints) make " +
    "every call that shows pages, each about a random page. Each page has a unique word in its title, text, facts and images that no question " +
    "contains. A response may contain that word only if an independent check of a dozen lines, written from the handbook alone, lets the key see " +
    "the page. If it does and the call asks for the page by name, the page must be there.",
  run,
}

interface Count {
  calls: number
  shown: number
  refused: number
  leaks: number
}

async function run(effort: Effort): Promise<Outcome> {
  const random = chance(effort.seed)
  await using world = await openWorld(random, tries(effort, LIVE_PAGES, 3), tries(effort, KEYS, 12))
  await using tools = new Tools(world.app.url)
  const counts = new Map<string, Count>()
  const faults: string[] = []
  const countOf = (of: string): Count => {
    const count = counts.get(of) ?? { calls: 0, shown: 0, refused: 0, leaks: 0 }
    counts.set(of, count)
    return count
  }
  const note = (one: Try, someone: SomeKey, wanted: SecretPage | null, { status, text }: Said) => {
    const count = countOf(one.of)
    count.calls += 1
    if (status >= 400) count.refused += 1
    const about = `${one.of} ${one.tool ?? one.path} ${JSON.stringify(one.body ?? {})} with the scope ${JSON.stringify(someone.scope)}`
    if (status >= 500) faults.push(`${about}: ${status} ${text.slice(0, 300)}`)
    const seen = seenIn(text, one, world.pages)
    count.shown += seen.length
    for (const page of seen.filter(({ number }) => !someone.sees.has(number))) {
      count.leaks += 1
      faults.push(`${about}: shows ${page.url} of ${page.sources.join(", ")}`)
    }
    if (
      one.finds &&
      wanted !== null &&
      status === 200 &&
      someone.sees.has(wanted.number) &&
      !seen.includes(wanted)
    )
      faults.push(`${about}: does not find ${wanted.url}, which it may see`)
  }
  const all = tries(effort, TRIPLES, 100)
  const watches = tries(effort, WATCHES, 6)
  for (let at = 0; at < all - watches; at++) {
    const [someone, page] = [random.one(world.keys), random.one(world.pages)]
    const one = someTry(page, random, world.site.origin)
    // oxlint-disable-next-line no-await-in-loop -- a fault is to be told by the call that shows it
    note(one, someone, page, await said(one, someone.key, world.app.url, tools))
    if (at % 1000 === 999) effort.tell(`${at + 1} of ${all}`)
  }
  for (const { one, someone, answer } of await watched(world, random, watches))
    note(one, someone, null, answer)
  const rows = [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([of, { calls, shown, refused, leaks }]) => [of, calls, shown, refused, leaks])
  const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
  rows.push(["total", sum(1), sum(2), sum(3), sum(4)])
  return {
    columns: ["type of call", "calls", "pages shown", "refused", "pages shown outside the scope"],
    rows,
    faults,
  }
}

/** Watches of all kinds, and their messages when every page has changed. */
async function watched(world: World, random: ReturnType<typeof chance>, count: number) {
  const { app, keys, pages } = world
  const live = pages.filter(({ isLive }) => isLive)
  const made: { one: Try; someone: SomeKey; id: string; feed: string }[] = []
  const results: { one: Try; someone: SomeKey; answer: Said }[] = []
  const watch = async (someone: SomeKey, body: Readonly<Record<string, unknown>>) => {
    const one = { of: "watches", path: "/watches", body, showsLinks: true } as const
    const answer = await ask(`${app.url}/watches`, someone.key, body)
    results.push({ one, someone, answer })
    if (answer.status >= 300) return
    const { id, feed_url: feed } = JSON.parse(answer.text) as { id: string; feed_url: string }
    made.push({ one, someone, id, feed })
  }
  // Each call waits for the one before: the first key sees everything, so its watch of a source is the last to report.
  for (let at = 0; at < count; at++) {
    const page = random.one(live)
    // oxlint-disable-next-line no-await-in-loop
    await watch(
      random.one(keys),
      random.one([
        { source: page.sources[0] },
        { url: page.url },
        { question: `pump seals ${page.asked}` },
        { question: "pump seals in stock" },
      ]),
    )
  }
  const last = { source: live.at(-1)!.sources[0] }
  await watch(keys[0]!, last)
  await world.changeAll()
  const control = made.at(-1)!
  const entriesOf = ({ id }: { id: string }, { key }: SomeKey) =>
    ask(`${app.url}/watches/${id}/entries?after=0`, key)
  const expected = live.filter(({ sources }) => sources[0] === last.source)
  await until(async () => {
    const told = new Set(wordsIn((await entriesOf(control, keys[0]!)).text, "adr"))
    return expected.every(({ inAddress }) => told.has(inAddress))
  }, 50)
  for (const { one, someone, id, feed } of made) {
    // oxlint-disable-next-line no-await-in-loop
    results.push({ one, someone, answer: await entriesOf({ id }, someone) })
    // oxlint-disable-next-line no-await-in-loop
    results.push({
      one: { ...one, path: "the feed of a watch" },
      someone,
      answer: await ask(feed, someone.key),
    })
  }
  return results
}

/** Pages that an answer shows. Many answers repeat the question, which doesn't count. */
function seenIn(text: string, { path, body, showsLinks }: Try, pages: readonly SecretPage[]): SecretPage[] {
  const given = `${path} ${JSON.stringify(body ?? {})}`
  const proofs = new Set(wordsIn(text, "prf"))
  const addresses = new Set(showsLinks ? [] : wordsIn(text, "adr").filter((one) => !given.includes(one)))
  return pages.filter(({ proof: word, inAddress }) => proofs.has(word) || addresses.has(inAddress))
}
