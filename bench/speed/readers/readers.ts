import { existsSync } from "node:fs"
import { cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chance } from "#base/testing/chance.ts"
import { readSettings } from "#base/settings.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { ReaderRules } from "#crawler/sources/readers/reader-rules.ts"
import { forgetReadersNow, readersNow } from "#crawler/sources/readers/readers-now.ts"
import { keepSourceReaders } from "#crawler/sources/readers/source-readers.ts"
import { type Engine, openEngine, type Page, type PageFilter, type SearchDepth } from "#engine"
import type { PageReaders, Principal } from "#engine/index/page/readers.ts"
import { aPage } from "#engine/testing/pages.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { engineSettings } from "#engine/settings.ts"
import { UNLIMITED } from "../../../api/identity/accounts/keys/key-scope.ts"
import { readableBy } from "../../../api/identity/accounts/reach/readable.ts"
import { narrowed, pageLimits } from "../../../api/identity/accounts/reach/scoped-pages.ts"
import { BENCH_DIR } from "../../corpora/documentation-site.ts"
import { ensureIndex } from "../../corpora/search-index.ts"
import { machine, median, percentile, short, table } from "../../measure.ts"
import { searchQuestions } from "../../questions/search-questions.ts"

const GROUPS = 200
const OF_A_PERSON = 50
const REAL_VECTORS = 3000
const PAGES_PER_CALL = 256
const PEOPLE = 20
/** The engine options of a /search that does not request whole pages. */
const AS_THE_API = { limit: 5, passagesPerPage: 3, withMarkdown: false }
const DEPTHS: readonly SearchDepth[] = ["ultra-fast", "fast", "basic", "advanced"]

const { values } = parseArgs({
  options: {
    passages: { type: "string", default: "100000" },
    /** Number of distinct sets of readers. */
    sets: { type: "string", default: "5000" },
    rounds: { type: "string", default: "12" },
    /** Number of questions per round and depth. */
    questions: { type: "string", default: "20" },
    dir: { type: "string", default: BENCH_DIR },
  },
})

const random = chance(48)
const groupsOf = (count: number): Principal[] =>
  random.some(
    Array.from({ length: GROUPS }, (_, at) => `group:g${at}`),
    count,
  )
const sets = Array.from({ length: Number(values.sets) }, (): readonly PageReaders[] => [
  { source: "manuals", allow: [groupsOf(1 + random.below(5))], deny: random.happens(0.2) ? groupsOf(1) : [] },
])
await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
process.stdout.write(`${machine()}\n`)
const dataDir = await guardedIndex()
const db = await openStateStore(dataDir)
await new ReaderRules(db).register(sets.map((readers, at) => aPage(`/${at}`, { readers })))
const settings = { ...readSettings(engineSettings, {}), dataDir }
{
  await using engine = await openEngine(settings, { mode: "read", embedder })
  process.stdout.write(
    table([["", "p50 ms, all pages", "p50 ms, one person's", "ratio"], ...(await compared(engine))]),
  )
}
process.stdout.write(`\n${table([["", "ms"], ...(await untilKnown(db))])}`)
db.close()

/** A copy of the index of the search bench, in which nine of ten pages have readers. */
async function guardedIndex(): Promise<string> {
  const open = join(values.dir, `search-${values.passages}`)
  const dir = join(values.dir, `readers-${values.passages}-${values.sets}`)
  const done = join(dir, "readers-bench.json")
  if (existsSync(done)) return dir
  await ensureIndex(open, embedder, Number(values.passages), REAL_VECTORS)
  await cp(open, dir, { recursive: true, force: true })
  await using engine = await openEngine(
    { ...readSettings(engineSettings, {}), dataDir: dir },
    { mode: "write", embedder, embedding: "off" },
  )
  const began = performance.now()
  let batch: Page[] = []
  for await (const { page } of engine.allPages()) {
    batch.push(random.happens(0.1) ? page : { ...page, readers: random.one(sets) })
    if (batch.length < PAGES_PER_CALL) continue
    await engine.index(batch)
    batch = []
  }
  await engine.index(batch)
  await engine.settled()
  process.stderr.write(`readers written in ${short((performance.now() - began) / 1000)} s\n`)
  await writeFile(done, "{}")
  return dir
}

/** Asks each question with and without one person's filter. */
async function compared(engine: Engine): Promise<(string | number)[][]> {
  const limits = Array.from({ length: PEOPLE }, () => {
    const principals = [...groupsOf(OF_A_PERSON), "signed-in", "user:anna@example.com"]
    const parts = { collections: { sourcesOf: async () => [] }, readers: () => readersNow(db) }
    return () => pageLimits({ scope: UNLIMITED, principals }, parts)
  })
  const counts = (await Promise.all(limits.map((of) => of()))).map((one) => one!.readable!.labels.length)
  process.stdout.write(`${sets.length} sets of readers, of which a person may read ${median(counts)}\n\n`)
  const rounds = Number(values.rounds)
  const inRound = Number(values.questions)
  const kinds: readonly (readonly [string, (text: string, filter: PageFilter) => Promise<unknown>])[] = [
    ...DEPTHS.map(
      (depth) =>
        [
          `search, ${depth}`,
          (text: string, filter: PageFilter) => engine.search({ ...AS_THE_API, text, depth, filter }),
        ] as const,
    ),
    ["facets", (text, filter) => engine.facets({ text, fields: ["source", "type"], filter })],
    ["suggestions", (text, filter) => engine.suggest({ text: text.slice(0, 6), limit: 8, filter })],
  ]
  const questions = await searchQuestions(kinds.length * (rounds + 1) * inRound)
  const took = new Map<string, { readonly all: number[]; readonly person: number[] }>()
  for (let round = 0; round <= rounds; round++) {
    for (const [name, ask] of kinds) {
      const those = took.get(name) ?? { all: [], person: [] }
      took.set(name, those)
      for (const text of questions.splice(0, name.endsWith("advanced") ? Math.ceil(inRound / 4) : inRound)) {
        const asAll = async () => timed(() => ask(text, {}))
        const of = random.one(limits)
        const asPerson = async () => timed(async () => ask(text, narrowed({}, (await of())!)!))
        // The second search finds more data cached in memory.
        const isFirst = random.happens(0.5)
        const first = isFirst ? await asAll() : await asPerson()
        const second = isFirst ? await asPerson() : await asAll()
        // The first round is a warm-up.
        if (round === 0) continue
        those.all.push(isFirst ? first : second)
        those.person.push(isFirst ? second : first)
      }
    }
  }
  return [...took].map(([name, { all, person }]) => {
    const [before, now] = [percentile(all, 0.5), percentile(person, 0.5)]
    return [name, short(before), short(now), short(now / before)]
  })
}

/** The time it takes to read a change: each search waits for this at most once. */
async function untilKnown(db: StateStore): Promise<(string | number)[][]> {
  const rules = new ReaderRules(db)
  const all: number[] = []
  const one: number[] = []
  const person: number[] = []
  const source: number[] = []
  const principals = groupsOf(OF_A_PERSON)
  for (let at = 0; at < 20; at++) {
    await rules.register([
      aPage(`/new${at}`, { readers: [{ source: `s${at}`, allow: [[`group:new${at}`]], deny: [] }] }),
    ])
    forgetReadersNow(db)
    one.push(await timed(() => readersNow(db)))
    const now = await readersNow(db)
    person.push(await timed(async () => readableBy(principals, now)))
    source.push(
      await timed(async () => {
        await keepSourceReaders(db, "manuals", { allow: [[`group:g${at}`]], deny: [] })
        await readersNow(db)
      }),
    )
    const other = await openStateStore(dataDir)
    all.push(await timed(() => readersNow(other)))
    other.close()
  }
  await keepSourceReaders(db, "manuals", null)
  return [
    ["all sets read, at the start", short(median(all))],
    ["one more set read", short(median(one))],
    ["which of the sets let a person in", short(median(person))],
    ["readers of a source changed, and known", short(median(source))],
  ]
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
