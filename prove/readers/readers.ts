import { until } from "#base/testing/until.ts"
import { type Chance, chance } from "#base/testing/chance.ts"
import { engineForSale } from "../../api/doors/x402/for-sale.ts"
import { ask, type Said, said, Tools } from "../key-reach/asking.ts"
import type { Try } from "../key-reach/calls.ts"
import { wordsIn } from "../key-reach/world.ts"
import { type Effort, type Outcome, type Proof, tries } from "../proof.ts"
import { someCall } from "./calls.ts"
import { type GuardedPage, openWorld, type Person, type World } from "./world.ts"

const TRIALS = 10_000
const PEOPLE = 120
const WATCHES = 200
/** Of each source of the site. */
const LIVE_PAGES = 8

export const proof: Proof = {
  title: "Who may read a page",
  promise:
    "Nobody is shown a page that its readers keep them from, whatever they ask. Sources, folders and pages have readers by chance, people have up to fifty groups, and " +
    "each ask every call that shows pages for one that was drawn by chance. A page holds a word of its own in its title, text, facts and images, and one in its address; both may stand in an " +
    "answer only where an oracle of two lines lets this person read the page. Where it does, the page must be there.",
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
  await using world = await openWorld(random, tries(effort, LIVE_PAGES, 2), tries(effort, PEOPLE, 12))
  await using tools = new Tools(world.app.url)
  const judge = new Judge(world)
  const all = tries(effort, TRIALS, 200)
  const watches = tries(effort, WATCHES, 12)
  for (let at = 0; at < all - 3 * watches; at++) {
    const [person, page] = [random.one(world.people), random.one(world.pages)]
    // oxlint-disable-next-line no-await-in-loop -- a fault is to be told by the call that shows it
    await judge.one(someCall(page, world.pages, random, world.site.origin), person, page, tools)
    if (at % 1000 === 999) effort.tell(`${at + 1} of ${all}`)
  }
  await askAsPayer(world, random, judge, watches)
  await watched(world, random, judge, watches)
  return judge.outcome()
}

/** Holds every answer against the oracle. */
export class Judge {
  readonly faults: string[] = []
  readonly #world: World
  readonly #counts = new Map<string, Count>()

  constructor(world: World) {
    this.#world = world
  }

  async one(call: Try, person: Person, page: GuardedPage, tools: Tools): Promise<void> {
    const answer = await said(call, person.key, this.#world.app.url, tools)
    const seen = this.judge(call, person, answer)
    const { finds, of } = call
    if (!finds || answer.status !== 200 || !this.#world.mayRead(person, page) || seen.includes(page)) return
    this.faults.push(`${of} ${aboutOf(call, person)}: does not find ${page.url}, which they may read`)
  }

  /** @returns the pages that the answer shows */
  judge(call: Try, person: Person, { status, text }: Said): readonly GuardedPage[] {
    const { pages } = this.#world
    const count = this.#counts.get(call.of) ?? { calls: 0, shown: 0, refused: 0, leaks: 0 }
    this.#counts.set(call.of, count)
    count.calls += 1
    if (status >= 400) count.refused += 1
    const tell = (fault: string) => {
      count.leaks += 1
      this.faults.push(`${call.of} ${aboutOf(call, person)}: ${fault}`)
    }
    if (status >= 500) tell(`${status} ${text.slice(0, 300)}`)
    const seen = seenIn(text, call, pages)
    count.shown += seen.length
    const mayRead = (page: GuardedPage) => this.#world.mayRead(person, page)
    for (const page of seen) {
      if (!mayRead(page))
        tell(`shows ${page.url} of ${page.sources.join(", ")}, for ${JSON.stringify(page.own)}`)
    }
    const given = askedOf(call)
    for (const folder of new Set(text.match(/zfld[b-m]{4}q/g) ?? [])) {
      const held = pages.filter((page) => page.folder === folder)
      if (!given.includes(folder) && !held.some(mayRead)) tell(`names the folder ${folder}`)
    }
    for (const [, name] of text.replaceAll("\\", "").matchAll(/"(s[0-5])"/g)) {
      const isNamed = given.includes(`"${name}"`) || given.includes(`=${name}`)
      if (!isNamed && !this.#world.mayKnow(person, name!)) tell(`names the source ${name}`)
    }
    if (call.of === "images" && status === 200) {
      const page = pages.find((one) => given.includes(encodeURIComponent(one.url)))!
      if (!mayRead(page)) tell("shows an image")
    }
    return seen
  }

  outcome(): Outcome {
    const rows = [...this.#counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([of, { calls, shown, refused, leaks }]) => [of, calls, shown, refused, leaks])
    const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
    rows.push(["together", sum(1), sum(2), sum(3), sum(4)])
    return { columns: ["asked", "calls", "pages shown", "refused", "leaks"], rows, faults: this.faults }
  }
}

const askedOf = ({ path, body }: Try): string => `${path} ${JSON.stringify(body ?? {})}`

const aboutOf = (call: Try, { principals, scope }: Person): string =>
  `${call.tool ?? ""} ${askedOf(call)} by ${JSON.stringify(principals)} with the scope ${JSON.stringify(scope)}`

/** Pages that an answer shows. What was asked is repeated in many, and shows nothing. */
function seenIn(text: string, call: Try, pages: readonly GuardedPage[]): GuardedPage[] {
  const given = askedOf(call)
  const proofs = new Set(wordsIn(text, "prf").filter((one) => !given.includes(one)))
  const addresses = new Set(call.showsLinks ? [] : wordsIn(text, "adr"))
  return pages.filter(({ proof: word, inAddress }) => {
    if (proofs.has(word)) return true
    const address = inAddress.split("/").at(-1)!
    return addresses.has(address) && text.includes(inAddress) && !given.includes(address)
  })
}

/** What is sold is for everybody who pays: nobody whom readers name. */
async function askAsPayer(
  { app, engine, pages }: World,
  random: Chance,
  judge: Judge,
  count: number,
): Promise<void> {
  const nobody: Person = { key: "", scope: NO_LIMITS, principals: [] }
  const sold = engineForSale(engine, null, {
    collections: app.accounts.collections,
    readers: app.accounts.readers,
  })
  for (let at = 0; at < count; at++) {
    const { asked } = random.one(pages)
    // oxlint-disable-next-line no-await-in-loop
    const found = await sold.search({ text: random.one([asked, `pump seals ${asked}`]), limit: 20 })
    judge.judge({ of: "searches that are sold", path: asked }, nobody, {
      status: 200,
      text: JSON.stringify(found.hits),
    })
  }
}

const NO_LIMITS: Person["scope"] = { endpoints: null, sources: null, collections: null, domains: null }

interface Made {
  readonly call: Try
  readonly person: Person
  readonly id: string
  readonly feed: string
}

/** Watches of all kinds: what each is told of when every page has changed, and when the readers of pages and sources have. */
async function watched(world: World, random: Chance, judge: Judge, count: number): Promise<void> {
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
  for (const [name, written] of [...ofSources]) {
    const denied = [...(written.deny ?? []), ...(random.one(people).principals ?? [])]
    // oxlint-disable-next-line no-await-in-loop
    await world.declare(name, { ...written, deny: denied })
  }
  await world.known()
  await judgeAll()
}
