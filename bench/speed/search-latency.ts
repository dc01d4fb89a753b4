import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { Pool } from "undici"
import { type Engine, openEngine, type Page, type Query, type SearchDepth, toPageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { readSettings } from "#base/settings.ts"
import { wordsOf } from "#engine/text/query-text.ts"
import { documentationPages } from "../corpora/documentation-pages.ts"
import { BENCH_DIR } from "../corpora/documentation-site.ts"
import {
  answerTo,
  machine,
  MB,
  memoryOf,
  nextMessage,
  percentile,
  short,
  stopProcess,
  table,
} from "../measure.ts"
import type { LoopDelay } from "../peers/loop-delay.ts"
import { type BuiltIndex, ensureIndex } from "../corpora/search-index.ts"
import { ASK_HEADERS, askable } from "../questions/ask-api.ts"
import { searchQuestions } from "../questions/search-questions.ts"

const API = join(import.meta.dirname, "../../api/main.ts")
const LOOP_DELAY = join(import.meta.dirname, "../peers/loop-delay.ts")
const CLIENTS = [1, 8, 32]
const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const
const WARM_UP = 20
const LIMIT = 5
const WRITTEN_PAGES = 200
/** The engine options of a /search that does not request whole pages. */
const AS_THE_API = { limit: LIMIT, passagesPerPage: 3, withMarkdown: false }

/** Milliseconds for each answer, and in total. */
interface Timing {
  readonly each: number[]
  readonly ms: number
}

/** The size of one index, and the medians that show its growth: milliseconds by question. */
interface Measured {
  readonly built: BuiltIndex
  readonly dataDir: string
  readonly medians: Map<string, number>
}

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    passages: { type: "string", default: "10000,100000" },
    real: { type: "string", default: "3000" },
    queries: { type: "string", default: "200" },
  },
})
const perRun = Number(values.queries)

/** Questions at `advanced` take half a second each, so fewer of them are enough. */
const countOf = (depth: SearchDepth | undefined) => (depth === "advanced" ? Math.ceil(perRun / 4) : perRun)

/** There is one model for the whole process: a second one would load the native runtime again, which the runtime does not support. */
await using embedder = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
const rows: Array<Array<string | number>> = []
const sizes: Measured[] = []
process.stdout.write(`${machine()}\n`)
for (const passages of values.passages.split(",").map(Number)) sizes.push(await measure(passages))
process.stdout.write(growth(sizes))

async function measure(passages: number): Promise<Measured> {
  const dataDir = join(values.dir ?? BENCH_DIR, `search-${passages}`)
  const built = await ensureIndex(dataDir, embedder, passages, Number(values.real))
  /** Every query is asked only once: an engine may keep the vectors of queries it has seen. */
  const texts = await searchQuestions((DEPTHS.length * (CLIENTS.length + 1) + 8) * (perRun + WARM_UP))
  const take = (count: number) => texts.splice(0, count)
  const medians = new Map<string, number>()
  const run = { built, dataDir, medians, take }
  rows.length = 0
  await inProcess(run)
  const apiMemory = await overHttp(run)
  process.stdout.write(
    `\n${built.pages} pages, ${built.passages} passages (vectors of ${built.embedded} real, the others copies of them with noise); ` +
      `text ${short(built.textSeconds)} s, vectors ${short(built.vectorSeconds)} s, disk ${short(built.bytesOnDisk / MB)} MB\n\n`,
  )
  process.stdout.write(
    table([["", "p50 ms", "p99 ms", "queries/s", "longest event loop delay, ms"], ...rows]),
  )
  process.stdout.write(`\nAPI process after these queries: ${short(apiMemory / MB)} MB resident\n`)
  return run
}

interface Run extends Measured {
  /** Returns questions that have not been asked before. */
  readonly take: (count: number) => string[]
}

/** How the medians grow from the smallest index to the largest, as an exponent: milliseconds ~ passages to that power. */
function growth(sizes: readonly Measured[]): string {
  const [small, large] = [sizes[0], sizes.at(-1)]
  if (!small || !large || small === large) return ""
  const times = Math.log(large.built.passages / small.built.passages)
  const lines = [...large.medians].map(([name, ms]) => {
    const before = small.medians.get(name) ?? Number.NaN
    return [name, short(before), short(ms), short(Math.log(ms / before) / times)]
  })
  const head = ["p50 ms", `${small.built.passages} passages`, `${large.built.passages} passages`, "exponent"]
  return `\n${table([head, ...lines])}`
}

async function inProcess({ dataDir, take, medians }: Run): Promise<void> {
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  await using engine = await openEngine(settings, { mode: "read", embedder })
  const kinds: Array<[string, Partial<Query>]> = [
    ...DEPTHS.map((depth): [string, Partial<Query>] => [depth, { depth }]),
    ["words alone", { arms: "lexical" }],
    ["vectors alone", { arms: "vector" }],
  ]
  for (const [name, query] of kinds) {
    await timed(take(WARM_UP), 1, (text) => ask(engine, { ...AS_THE_API, text, ...query }))
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const timing = await timed(take(countOf(query.depth)), 1, (text) =>
      ask(engine, { ...AS_THE_API, text, ...query }),
    )
    delay.disable()
    report(`in process, ${name}, one at a time`, timing, delay.max / 1e6)
    medians.set(`${name}, in process`, percentile(timing.each, 0.5))
  }
}

async function ask(engine: Engine, query: Query): Promise<void> {
  const { hits } = await engine.search(query)
  const wordsAlone = query.arms === "lexical" || query.depth === "ultra-fast" || query.depth === "fast"
  if (hits.length === 0 && !wordsAlone) throw new Error(`nothing found for ${wordsOf(query.text)}`)
}

/** Asks the appliance's own API process, running on the index, over a socket. @returns its resident bytes after the queries. */
async function overHttp(run: Run): Promise<number> {
  const { dataDir, take, medians } = run
  const api = fork(API, {
    execArgv: ["--import", LOOP_DELAY],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...askable(dataDir, 0), FOSSICK_HANDBOOK: "off" },
  })
  try {
    const { localUrl } = await nextMessage<{ localUrl: string }>(api, "ready")
    const server = new Pool(localUrl.replace("localhost", "127.0.0.1"), {
      connections: Math.max(...CLIENTS),
    })
    for (const depth of DEPTHS) {
      const search = (text: string) => post(server, text, depth)
      await timed(take(WARM_UP), 4, search)
      for (const clients of CLIENTS) {
        await loopDelay(api)
        const timing = await timed(take(countOf(depth)), clients, search)
        report(`over HTTP, ${depth}, ${clientsText(clients)}`, timing, await loopDelay(api))
        if (clients === 1) medians.set(`${depth}, over HTTP`, percentile(timing.each, 0.5))
      }
    }
    const resident = memoryOf(api.pid ?? 0).rss
    await whileWriting(api, run, (text) => post(server, text, "basic"))
    await server.close()
    return resident
  } finally {
    await stopProcess(api)
  }
}

function clientsText(clients: number): string {
  return `${clients} client${clients === 1 ? "" : "s"}`
}

/** This process writes pages while the API, another process, answers one client. */
async function whileWriting(
  api: ChildProcess,
  { dataDir, take }: Run,
  search: (text: string) => Promise<void>,
): Promise<void> {
  const pages: Page[] = []
  for await (const page of documentationPages(13)) {
    if (pages.length === WRITTEN_PAGES) break
    const url = toPageUrl(page.url.replace("manuals.example", "written.example"))
    if (url) pages.push({ ...page, url })
  }
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  await using engine = await openEngine(settings, { mode: "write", embedder, embedding: "off" })
  await loopDelay(api)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const writing = new AbortController()
  const began = performance.now()
  const written = engine.index(pages).finally(() => writing.abort())
  const each: number[] = []
  while (!writing.signal.aborted || each.length < 10) {
    const [text] = take(1)
    if (text === undefined) break
    each.push(...(await timed([text], 1, search)).each)
  }
  await written
  delay.disable()
  const timing = { each, ms: performance.now() - began }
  report(`over HTTP, basic, 1 client, while ${pages.length} pages are written`, timing, await loopDelay(api))
  rows.push(["the writing process meanwhile", "", "", "", short(delay.max / 1e6)])
  await engine.remove(pages.map(({ url }) => url))
}

async function post(server: Pool, query: string, depth: SearchDepth): Promise<void> {
  const { statusCode, body } = await server.request({
    path: "/search",
    method: "POST",
    headers: ASK_HEADERS,
    body: JSON.stringify({ query, max_results: LIMIT, search_depth: depth }),
  })
  const answer = (await body.json()) as { results?: unknown[] }
  // A question whose words are in no page finds pages only by its meaning.
  const mayBeEmpty = depth === "ultra-fast" || depth === "fast"
  if (statusCode !== 200 || (!mayBeEmpty && !answer.results?.length)) {
    throw new Error(`/search answered ${statusCode} to ${query}: ${JSON.stringify(answer)}`)
  }
}

/** Asks all queries, `clients` at a time. */
async function timed(
  queries: readonly string[],
  clients: number,
  ask: (text: string) => Promise<void>,
): Promise<Timing> {
  const waiting = [...queries]
  const each: number[] = []
  const began = performance.now()
  const client = async () => {
    for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
      const asked = performance.now()
      await ask(text)
      each.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { each, ms: performance.now() - began }
}

function report(name: string, { each, ms }: Timing, delayMs?: number): void {
  rows.push([
    name,
    short(percentile(each, 0.5)),
    short(percentile(each, 0.99)),
    short(each.length / (ms / 1000)),
    delayMs === undefined ? "" : short(delayMs),
  ])
  process.stderr.write(`${rows.at(-1)?.join("  ")}\n`)
}

async function loopDelay(child: ChildProcess): Promise<number> {
  return (await answerTo<LoopDelay>(child, "loop-delay", "loop-delay")).maxMs
}
