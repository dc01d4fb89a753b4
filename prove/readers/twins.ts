import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Chance } from "#base/testing/chance.ts"
import { openStateStore } from "#base/store/state-store.ts"
import type { Page } from "#engine"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { ask } from "../key-reach/asking.ts"
import { openApp } from "../key-reach/world.ts"
import type { Judge } from "./judge.ts"
import { openIndex } from "./open-index.ts"
import type { Person, World } from "./world.ts"

const FACETS = ["source", "domain", "path", "version", "language", "type"]

/**
 * Compares the appliance with a second one that has only ever contained the pages that one person may read. Facets,
 * suggestions and the pages found must be the same. Misspelt words are not compared: the words here are so alike that a
 * search may run out of rounds before it has excluded every closer hidden word, and if two words are equally close, it
 * shows the one that occurs on more pages overall.
 */
export async function compareWithTwins(
  world: World,
  random: Chance,
  judge: Judge,
  { people, questions }: { readonly people: number; readonly questions: number },
): Promise<void> {
  const unlimited = world.people
    .slice(1)
    .filter(({ scope }) => Object.values(scope).every((limit) => limit === null))
  for (const person of random.some(unlimited, people)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await compare(world, person, random, judge, questions)
  }
}

async function compare(
  world: World,
  person: Person,
  random: Chance,
  judge: Judge,
  questions: number,
): Promise<void> {
  const { pages, app, engine, site } = world
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), "fossick-twin-"))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const db = await openStateStore(dir)
  opened.defer(() => db.close())
  const embedder = new HashingEmbedder()
  const twin = await openIndex(opened, dir, embedder)
  const seen: Page[] = []
  for await (const { page } of engine.allPages()) {
    const known = pages.find(({ url }) => url === page.url)
    const { readers: _readers, ...open } = page
    // Pages that list other pages aren't in the oracle: they have the readers of their source.
    if (known ? world.mayRead(person, known) : world.mayKnow(person, page.source)) seen.push(open)
  }
  await twin.index(seen)
  await twin.settled()
  const other = await openApp(opened, { dir, db, embedder, engine: twin }, site)
  const key = await other.key()
  const readable = pages.filter((page) => world.mayRead(person, page))
  for (let at = 0; at < questions; at++) {
    const { asked } = random.one(readable)
    const query = random.one([asked, asked, "pump seals", "pumps by version"])
    const search = { query, max_results: 20, include_facets: FACETS, search_depth: "basic" }
    const suggest = `/suggest?q=${random.one(["Pump", "zprf", "Seals of", asked.slice(0, 6)])}&limit=20`
    // oxlint-disable-next-line no-await-in-loop
    const [one, two] = [
      await ask(`${app.url}/search`, person.key, search),
      await ask(`${other.url}/search`, key, search),
    ]
    // oxlint-disable-next-line no-await-in-loop
    const [mine, theirs] = [await ask(app.url + suggest, person.key), await ask(other.url + suggest, key)]
    const of = "an index without the hidden pages"
    judge.compared(
      of,
      0,
      differenceOf(partsOf(one.text), partsOf(two.text), `${query} by ${JSON.stringify(person.principals)}`),
    )
    const suggested = ({ text }: { readonly text: string }) => {
      const found = (
        JSON.parse(text) as {
          readonly suggestions: readonly { readonly url: string; readonly text: string }[]
        }
      ).suggestions
      return found.map(({ url, text: title }) => `${url} ${title}`).toSorted()
    }
    // If there are more suggestions than fit, the order in which pages arrived determines which are shown.
    const isWhole = suggested(mine).length < 20
    judge.compared(
      of,
      0,
      isWhole
        ? differenceOf(
            suggested(mine),
            suggested(theirs),
            `${suggest} by ${JSON.stringify(person.principals)}`,
          )
        : null,
    )
  }
}

interface Answer {
  readonly results: readonly { readonly url: string }[]
  readonly facets?: unknown
  readonly corrected_query?: unknown
  readonly warnings?: unknown
}

/** The part of an answer that must be the same; scores may differ, since they weight words by all pages. */
function partsOf(text: string) {
  const { results, facets, ...rest } = JSON.parse(text) as Answer
  return {
    facets,
    corrected: rest.corrected_query ?? null,
    ...(results.length < 20 && { urls: results.map(({ url }) => url).toSorted() }),
  }
}

const differenceOf = (one: unknown, two: unknown, about: string): string | null =>
  isDeepStrictEqual(one, two)
    ? null
    : `${about}: ${JSON.stringify(one).slice(0, 1500)} instead of ${JSON.stringify(two).slice(0, 1500)}`
