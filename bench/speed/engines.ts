// The same pages and vectors on every engine: npm run bench:engines -- --meilisearch <program> [--passages 10000,100000]
//
// They come out of the index that search-latency.ts builds, so nothing is embedded again. Each Meilisearch is a server
// of its own: one behind the engine's adapter, one that ranks by its own hybrid.
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Embedder, type Engine, openEngine, type PageWithVectors } from "#engine"
import { Server } from "#engine/adapters/meilisearch/server/server.ts"
import { engineSettings } from "#engine/settings.ts"
import { shippedModel, TransformersEmbedder } from "#engine/embedders/transformers-embedder.ts"
import { readSettings } from "#base/settings.ts"
import type { Questions } from "./answering-process.ts"
import { BENCH_DIR } from "../corpora/documentation-site.ts"
import { cpuSecondsOf, machine, MB, type Memory, memoryOf, percentile, short, table } from "../measure.ts"
import { OwnHybrid, startMeilisearch } from "../corpora/meilisearch.ts"
import { ensureIndex, folderBytes } from "../corpora/search-index.ts"
import { searchQuestions } from "../questions/search-questions.ts"

const PAGES_PER_CALL = 500
const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const
/** What its own hybrid stands beside: both mix words and vectors. */
const OWN_HYBRID_BESIDE = "basic"
const OWN_HYBRID = { limit: 5, semanticRatio: 0.6 }
/** What /search asks of the engine when whole pages are not wanted. */
const AS_THE_API = { limit: 5, passagesPerPage: 3, withMarkdown: false }
const WARM_UP = 10
/** Questions that a process has answered when its memory is read. */
const BEFORE_MEMORY = 50
const COLUMNS = ["embedded", "Meilisearch", "Meilisearch's own hybrid"] as const

type Column = (typeof COLUMNS)[number]

const { values } = parseArgs({
  options: {
    meilisearch: { type: "string", default: process.env["MEILI_PROGRAM"] ?? "" },
    dir: { type: "string", default: BENCH_DIR },
    passages: { type: "string", default: "10000,100000" },
    real: { type: "string", default: "3000" },
    questions: { type: "string", default: "150" },
  },
})
if (values.meilisearch === "") {
  console.error("Usage: npm run bench:engines -- --meilisearch <path of Meilisearch's executable>")
  process.exit(2)
}
const count = Number(values.questions)
/** One for all of this process: a second one would load the native runtime anew, which it does not bear. */
await using model = await TransformersEmbedder.open({ model: shippedModel, threads: 1 })
process.stdout.write(`${machine()}\n`)

/** Figures of all engines, line by line. */
class Figures {
  readonly #rows = new Map<string, Map<Column, number>>()

  set(what: string, column: Column, value: number): void {
    const row = this.#rows.get(what) ?? new Map<Column, number>()
    this.#rows.set(what, row.set(column, value))
    process.stderr.write(`${what}, ${column}: ${short(value)}\n`)
  }

  /** Each figure with its ratio to the embedded engine's. */
  toString(): string {
    const rows = [...this.#rows].map(([what, row]) => {
      const base = row.get("embedded")
      const cells = COLUMNS.flatMap((column) => {
        const value = row.get(column)
        const figure = value === undefined ? "" : short(value)
        if (column === "embedded") return [figure]
        return [figure, value === undefined || base === undefined ? "" : short(value / base)]
      })
      return [what, ...cells]
    })
    return table([["", "embedded", "Meilisearch", "ratio", "its own hybrid", "ratio"], ...rows])
  }
}

async function measure(passages: number): Promise<void> {
  const sourceDir = join(values.dir, `search-${passages}`)
  const built = await ensureIndex(sourceDir, model, passages, Number(values.real))
  const dir = await mkdtemp(join(tmpdir(), "fossick-bench-engines-"))
  try {
    await using server = await startMeilisearch(values.meilisearch)
    await using ownServer = await startMeilisearch(values.meilisearch)
    const settings = readSettings(engineSettings, {})
    // Asked over the adapter's own connection, so that both have the same.
    const { client } = new Server({ url: ownServer.url, key: "", patienceMs: 2000 })
    const version = (await client.getVersion()).pkgVersion
    const own = await OwnHybrid.create(client, "pages", model.dimensions)
    const figures = new Figures()
    const ours = {
      embedded: { ...settings, dataDir: join(dir, "embedded") },
      Meilisearch: {
        ...settings,
        dataDir: join(dir, "meilisearch"),
        engine: "meilisearch" as const,
        meiliUrl: server.url,
      },
    }
    const pids: Record<Column, readonly number[]> = {
      embedded: [],
      Meilisearch: [server.pid],
      "Meilisearch's own hybrid": [ownServer.pid],
    }
    for (const name of ["embedded", "Meilisearch"] as const) {
      const clock = new LoadClock(pids[name])
      const engine = await clock.time(() =>
        openEngine(ours[name], { mode: "write", embedder: model, embedding: "off" }),
      )
      for await (const pages of pagesOf(sourceDir)) await clock.time(() => engine.load(pages))
      // What keeps an index quick runs to its end when it is closed.
      await clock.time(async () => engine[Symbol.asyncDispose]())
      clock.tell(figures, name, built.pages)
    }
    const clock = new LoadClock(pids["Meilisearch's own hybrid"])
    for await (const pages of pagesOf(sourceDir)) await clock.time(() => own.load(pages))
    clock.tell(figures, "Meilisearch's own hybrid", built.pages)

    await ask(ours, own, pids, figures)

    const texts = (await searchQuestions(BEFORE_MEMORY)).slice(0, BEFORE_MEMORY)
    for (const name of ["embedded", "Meilisearch"] as const) {
      const { pss } = await memoryAnswering({ settings: ours[name], texts })
      figures.set("answering process, PSS, MB", name, pss / MB)
    }
    for (const name of ["Meilisearch", "Meilisearch's own hybrid"] as const) {
      const { pss, anonymous } = memoryOf(pids[name][0]!)
      figures.set("server, PSS, MB", name, pss / MB)
      figures.set("server, not from files, MB", name, anonymous / MB)
    }
    const files = {
      embedded: ours.embedded.dataDir,
      Meilisearch: server.dir,
      "Meilisearch's own hybrid": ownServer.dir,
    }
    for (const name of COLUMNS) figures.set("disk, MB", name, (await folderBytes(files[name])) / MB)
    process.stdout.write(
      `\n${built.pages} pages, ${built.passages} passages; Meilisearch ${version}; ${count} questions at each depth ` +
        `(a quarter of them at advanced), in turn, their vectors ready-made\n\n${figures.toString()}`,
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function* pagesOf(dataDir: string): AsyncGenerator<PageWithVectors[]> {
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  await using source = await openEngine(settings, { mode: "read", embedder: model })
  let pages: PageWithVectors[] = []
  for await (const page of source.allPages()) {
    pages.push(page)
    if (pages.length < PAGES_PER_CALL) continue
    yield pages
    pages = []
  }
  if (pages.length > 0) yield pages
}

/** Seconds on the clock, and of processors in this process and in a server. */
class LoadClock {
  readonly #pids: readonly number[]
  #seconds = 0
  #cpuSeconds = 0

  constructor(pids: readonly number[]) {
    this.#pids = pids
  }

  async time<T>(work: () => Promise<T>): Promise<T> {
    const cpu = this.#cpu()
    const began = performance.now()
    const result = await work()
    this.#seconds += (performance.now() - began) / 1000
    this.#cpuSeconds += this.#cpu() - cpu
    return result
  }

  tell(figures: Figures, name: Column, pages: number): void {
    figures.set("load, pages/s", name, pages / this.#seconds)
    figures.set("load, CPU s of all processes", name, this.#cpuSeconds)
  }

  #cpu(): number {
    return [process.pid, ...this.#pids].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
  }
}

type Ours = Readonly<Record<"embedded" | "Meilisearch", Questions["settings"]>>

/** Every question is asked of all in turn, each time another one first. */
async function ask(
  ours: Ours,
  own: OwnHybrid,
  pids: Readonly<Record<Column, readonly number[]>>,
  figures: Figures,
): Promise<void> {
  const embedder = new ReadyVectors(model)
  await using embedded = await openEngine(ours.embedded, { mode: "read", embedder })
  await using onServer = await openEngine(ours.Meilisearch, { mode: "read", embedder })
  const engines = new Map<Column, Engine>([
    ["embedded", embedded],
    ["Meilisearch", onServer],
  ])
  const texts = await searchQuestions(DEPTHS.length * (count + WARM_UP))
  for (const depth of DEPTHS) {
    const asked = WARM_UP + (depth === "advanced" ? Math.ceil(count / 4) : count)
    const ms = new Map<Column, number[]>(COLUMNS.map((name) => [name, []]))
    const cpu = new Map<Column, number>(COLUMNS.map((name) => [name, 0]))
    for (const [i, text] of texts.splice(0, asked).entries()) {
      const vector = await embedder.ready(text)
      const contenders = [...engines.keys()]
      const all: Column[] =
        depth === OWN_HYBRID_BESIDE ? [...contenders, "Meilisearch's own hybrid"] : contenders
      for (let turn = 0; turn < all.length; turn++) {
        const name = all[(turn + i) % all.length]!
        const engine = engines.get(name)
        const spent = () => [process.pid, ...pids[name]].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
        const before = spent()
        const began = performance.now()
        if (engine) await engine.search({ ...AS_THE_API, text, depth })
        else await own.search({ text, vector }, OWN_HYBRID)
        if (i < WARM_UP) continue
        ms.get(name)!.push(performance.now() - began)
        cpu.set(name, cpu.get(name)! + spent() - before)
      }
    }
    for (const [name, all] of ms) {
      if (all.length === 0) continue
      figures.set(`${depth}, p50 ms`, name, percentile(all, 0.5))
      figures.set(`${depth}, p99 ms`, name, percentile(all, 0.99))
      figures.set(`${depth}, CPU ms of all processes`, name, (cpu.get(name)! / all.length) * 1000)
    }
  }
}

/** Embeds questions ahead, so that no engine's time holds the model's. Passages are read by the model itself. */
class ReadyVectors implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly #embedder: Embedder
  readonly #known = new Map<string, Float32Array>()

  constructor(embedder: Embedder) {
    this.id = embedder.id
    this.dimensions = embedder.dimensions
    this.#embedder = embedder
  }

  async ready(text: string): Promise<number[]> {
    const [vector] = await this.#embedder.embed([text], { priority: "query" })
    this.#known.set(text, vector!)
    return [...vector!]
  }

  async embed(...[texts, options]: Parameters<Embedder["embed"]>): Promise<Float32Array[]> {
    const known = texts.map((text) => this.#known.get(text)?.slice())
    return known.every((vector) => vector !== undefined) ? known : this.#embedder.embed(texts, options)
  }

  tokenVectors(...args: Parameters<Embedder["tokenVectors"]>): ReturnType<Embedder["tokenVectors"]> {
    return this.#embedder.tokenVectors(...args)
  }

  /** The embedder itself belongs to the caller. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#known.clear()
  }
}

async function memoryAnswering(questions: Questions): Promise<Memory> {
  const child = fork(join(import.meta.dirname, "answering-process.ts"))
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the answering process ended with ${String(code)}`)
  })
  ended.catch(() => undefined)
  child.send(questions)
  const [memory] = (await Promise.race([once(child, "message"), ended])) as [Memory]
  return memory
}

for (const passages of values.passages.split(",").map(Number)) await measure(passages)
