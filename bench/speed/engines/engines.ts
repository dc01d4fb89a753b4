// Compares all engines on the same pages and vectors: npm run bench -- engines [--meilisearch <program>] [--opensearch
// 3] [--passages 10000,100000] [--only OpenSearch] [--write]
//
// The pages and vectors come from the index that search-latency.ts builds, so nothing is embedded again. Each
// Meilisearch is a separate server: one is behind the engine's adapter, the other ranks with its own hybrid search.
// `--opensearch` starts a cluster of that many nodes, on which both have an index, so that compiled JVM code benefits
// both equally. Engines are loaded and queried one after the other, and only one engine's servers are running at a
// time. `--only` leaves out all columns but one.
import { fork } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Embedder, openEngine, type PageWithVectors } from "#engine"
import { Server as MeilisearchServer } from "#engine/adapters/meilisearch/server/server.ts"
import { startCluster, type TestCluster } from "#engine/testing/opensearch/cluster/start-cluster.ts"
import { engineSettings } from "#engine/settings.ts"
import { shippedModel, TransformersEmbedder } from "#engine/models/embedders/transformers-embedder.ts"
import { readSettings } from "#base/settings.ts"
import { MEASURED, type Measured, readMeasured } from "../../capacity/needs.ts"
import type { Questions } from "./answering-process.ts"
import { BENCH_DIR } from "../../corpora/documentation-site.ts"
import {
  answerTo,
  cpuSecondsOf,
  machine,
  MB,
  type Memory,
  memoryOf,
  percentile,
  short,
  table,
} from "../../measure.ts"
import { OwnHybrid, startMeilisearch } from "../../corpora/meilisearch.ts"
import { OpenSearchHybrid } from "./opensearch-hybrid.ts"
import { ensureIndex, folderBytes } from "../../corpora/search-index.ts"
import { searchQuestions } from "../../questions/search-questions.ts"

/** More than any engine writes in one batch. */
const PAGES_PER_CALL = 3000
const DEPTHS = ["ultra-fast", "fast", "basic", "advanced"] as const
/** The depth with which a server's own hybrid search is compared: both combine words and vectors. */
const OWN_HYBRID_BESIDE = "basic"
const OWN_HYBRID = { limit: 5, semanticRatio: 0.6 }
/** The engine options of a /search that does not request whole pages. */
const AS_THE_API = { limit: 5, passagesPerPage: 3, withMarkdown: false }
const WARM_UP = 10
/** Number of warm-up questions before any that are measured: a JVM compiles code after it has run a few hundred times. */
const BEFORE_JAVA_IS_QUICK = 400
/** Number of questions that a process has answered when its memory is measured. */
const BEFORE_MEMORY = 50
const COLUMNS = [
  "embedded",
  "Meilisearch",
  "Meilisearch's own hybrid",
  "OpenSearch",
  "OpenSearch's own hybrid",
] as const

type Column = (typeof COLUMNS)[number]

const { values } = parseArgs({
  options: {
    meilisearch: { type: "string", default: process.env["MEILI_PROGRAM"] ?? "" },
    opensearch: { type: "string", default: "0" },
    dir: { type: "string", default: BENCH_DIR },
    passages: { type: "string", default: "10000,100000" },
    real: { type: "string", default: "3000" },
    questions: { type: "string", default: "150" },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
})
if (values.only !== undefined && !(COLUMNS as readonly string[]).includes(values.only))
  throw new Error(`--only is one of ${COLUMNS.join(", ")}`)
const count = Number(values.questions)
const nodes = Number(values.opensearch)
/** There is one model for the whole process: a second one would load the native runtime again, which the runtime does not support. */
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

  get(what: string, column: Column): number | undefined {
    return this.#rows.get(what)?.get(column)
  }

  toString(): string {
    const asked = COLUMNS.filter((column) => [...this.#rows.values()].some((row) => row.has(column)))
    const rows = [...this.#rows].map(([what, row]) => [
      what,
      ...asked.map((column) => {
        const value = row.get(column)
        return value === undefined ? "" : short(value)
      }),
    ])
    return table([["", ...asked], ...rows])
  }
}

/** One engine under test, open while it is measured. */
interface Contender extends AsyncDisposable {
  readonly name: Column
  /** Processes of the engine's servers. */
  readonly pids: readonly number[]
  /** The folder with the engine's files. */
  readonly files: string
  /** Whether its files and processes already contain another engine's pages. */
  readonly isBesides?: boolean
  load(pages: AsyncIterable<PageWithVectors[]>, clock: LoadClock): Promise<void>
  /** Opens the engine for questions. */
  asker(): Promise<{ ask(question: Question): Promise<void> } & AsyncDisposable>
  /** Settings for a process that answers; left out if the engine is not ours. */
  readonly settings?: Questions["settings"]
}

interface Question {
  readonly text: string
  readonly vector: readonly number[]
  readonly depth: (typeof DEPTHS)[number]
}

const embedder = new (class ReadyVectors implements Embedder {
  readonly id = model.id
  readonly dimensions = model.dimensions
  readonly #known = new Map<string, Float32Array>()

  /** Embeds a question in advance, so that no engine's time includes the model's. Passages are read by the model itself. */
  async ready(text: string): Promise<number[]> {
    const [vector] = await model.embed([text], { priority: "query" })
    this.#known.set(text, vector!)
    return [...vector!]
  }

  async embed(...[texts, options]: Parameters<Embedder["embed"]>): Promise<Float32Array[]> {
    const known = texts.map((text) => this.#known.get(text)?.slice())
    return known.every((vector) => vector !== undefined) ? known : model.embed(texts, options)
  }

  tokenVectors(...args: Parameters<Embedder["tokenVectors"]>): ReturnType<Embedder["tokenVectors"]> {
    return model.tokenVectors(...args)
  }

  /** The model is owned by the benchmark, so it stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#known.clear()
  }
})()

type Server = Pick<Contender, "name" | "pids" | "files" | "isBesides"> & AsyncDisposable

/** One of our engines. */
function ours(server: Server, settings: Questions["settings"]): Contender {
  return {
    ...server,
    settings,
    async load(pages, clock) {
      const engine = await clock.time(() =>
        openEngine(settings, { mode: "write", embedder: model, embedding: "off" }),
      )
      for await (const some of pages) await clock.time(() => engine.load(some))
      // Closing the index completes the work that keeps it fast.
      await clock.time(async () => engine[Symbol.asyncDispose]())
    },
    async asker() {
      const engine = await openEngine(settings, { mode: "read", embedder })
      return {
        ask: async ({ text, depth }) => void (await engine.search({ ...AS_THE_API, text, depth })),
        [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Hybrid {
  load(pages: readonly PageWithVectors[]): Promise<void>
  search(question: Question): Promise<unknown>
  close(): Promise<void>
}

/** A server's own ranking of the same data. */
function itsOwn(server: Server, hybrid: Hybrid): Contender {
  return {
    ...server,
    async load(pages, clock) {
      for await (const some of pages) await clock.time(() => hybrid.load(some))
    },
    asker: async () => ({
      ask: async (question) => void (await hybrid.search(question)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
    async [Symbol.asyncDispose]() {
      await hybrid.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Opens each requested engine; only one runs at a time. */
function* contenders(dir: string, shared: AsyncDisposableStack): Generator<() => Promise<Contender>> {
  const settings = readSettings(engineSettings, {})
  const wants = (column: Column) => values.only === undefined || values.only === column
  if (wants("embedded"))
    yield async () => {
      const dataDir = join(dir, "embedded")
      const server = { name: "embedded" as const, pids: [], files: dataDir, [Symbol.asyncDispose]: nothing }
      return ours(server, { ...settings, dataDir })
    }
  if (values.meilisearch !== "" && wants("Meilisearch"))
    yield async () => {
      const server = await startMeilisearch(values.meilisearch)
      const dataDir = join(dir, "meilisearch")
      const engine = "meilisearch"
      return ours(serverOf("Meilisearch", server), { ...settings, dataDir, engine, meiliUrl: server.url })
    }
  if (values.meilisearch !== "" && wants("Meilisearch's own hybrid"))
    yield async () => {
      const server = await startMeilisearch(values.meilisearch)
      // Uses the adapter's own client, so that both are queried in the same way.
      const { client } = new MeilisearchServer({ url: server.url, key: "", patienceMs: 2000 })
      const own = await OwnHybrid.create(client, "pages", model.dimensions)
      return itsOwn(serverOf("Meilisearch's own hybrid", server), {
        load: (pages) => own.load(pages),
        search: (question) => own.search(question, OWN_HYBRID),
        close: nothing,
      })
    }
  const spread = { shards: Math.min(nodes, 3), replicas: nodes > 1 ? 1 : 0 }
  let cluster: TestCluster | undefined
  if (nodes > 0 && wants("OpenSearch"))
    yield async () => {
      cluster ??= shared.use(await startCluster({ nodes }))
      return ours(clusterOf("OpenSearch", cluster), {
        ...settings,
        dataDir: join(dir, "opensearch"),
        engine: "opensearch",
        opensearchUrls: cluster.urls,
        opensearchShards: spread.shards,
        opensearchReplicas: spread.replicas,
      })
    }
  if (nodes > 0 && wants("OpenSearch's own hybrid"))
    yield async () => {
      cluster ??= shared.use(await startCluster({ nodes }))
      const own = await OpenSearchHybrid.create(cluster.urls, "pages", model.dimensions, spread)
      return itsOwn(
        { ...clusterOf("OpenSearch's own hybrid", cluster), isBesides: true },
        {
          load: (pages) => own.load(pages),
          search: (question) => own.search(question, OWN_HYBRID.limit),
          close: () => own.close(),
        },
      )
    }
}

const nothing = () => Promise.resolve()

const serverOf = (name: Column, server: Awaited<ReturnType<typeof startMeilisearch>>): Server => ({
  name,
  pids: [server.pid],
  files: server.dir,
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
})

const clusterOf = (name: Column, cluster: TestCluster): Server => ({
  name,
  pids: cluster.urls.map((_, node) => cluster.pid(node)),
  files: cluster.dir,
  [Symbol.asyncDispose]: nothing,
})

async function measure(passages: number): Promise<void> {
  const sourceDir = join(values.dir, `search-${passages}`)
  const built = await ensureIndex(sourceDir, model, passages, Number(values.real))
  const dir = await mkdtemp(join(tmpdir(), "fossick-bench-engines-"))
  const asked = DEPTHS.length * (count + WARM_UP)
  const all = await searchQuestions(asked + BEFORE_JAVA_IS_QUICK)
  const [texts, before] = [all.slice(0, asked), all.slice(asked)]
  const figures = new Figures()
  await using shared = new AsyncDisposableStack()
  try {
    for (const open of contenders(dir, shared)) {
      await using contender = await open()
      const { name, pids, files, isBesides = false } = contender
      const bytes = isBesides ? await folderBytes(files) : 0
      const clock = new LoadClock(pids)
      await contender.load(pagesOf(sourceDir), clock)
      clock.tell(figures, name, built.pages)
      if (name.startsWith("OpenSearch")) await warmUp(contender, before)
      await ask(contender, texts, figures)
      if (contender.settings) {
        const { pss } = await memoryAnswering({
          settings: contender.settings,
          texts: texts.slice(0, BEFORE_MEMORY),
        })
        figures.set("answering process, PSS, MB", name, pss / MB)
      }
      if (pids.length > 0 && !isBesides) {
        const memories = pids.map(memoryOf)
        const sum = (of: (memory: Memory) => number) => memories.reduce((total, one) => total + of(one), 0)
        figures.set("servers, PSS, MB", name, sum(({ pss }) => pss) / MB)
        figures.set("servers, not from files, MB", name, sum(({ anonymous }) => anonymous) / MB)
      }
      figures.set("disk, MB", name, ((await folderBytes(files)) - bytes) / MB)
    }
    process.stdout.write(
      `\n${built.pages} pages, ${built.passages} passages; ${count} questions at each depth ` +
        `(a quarter of them at advanced), their vectors ready-made; OpenSearch nodes: ${nodes}\n\n${figures.toString()}`,
    )
    if (values.write) await keep(figures, built)
    for (const server of ["Meilisearch", "OpenSearch"] as const) {
      const of = (column: Column) => figures.get(`${OWN_HYBRID_BESIDE}, CPU ms of all processes`, column)
      const [adapter, own] = [of(server), of(`${server}'s own hybrid`)]
      if (adapter && own) {
        process.stdout.write(
          `${server}: a question costs ${short(adapter / own)} of what its own hybrid does\n`,
        )
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Saves the measurements of our engines where the capacity tables read them. */
async function keep(
  figures: Figures,
  { pages, passages }: { readonly pages: number; readonly passages: number },
): Promise<void> {
  const now = (["embedded", "Meilisearch", "OpenSearch"] as const).flatMap((engine): Measured[] => {
    const of = (what: string) => figures.get(what, engine)
    const diskMb = of("disk, MB")
    if (diskMb === undefined) return []
    return [
      {
        engine,
        passages,
        pages,
        loadCpuSeconds: of("load, CPU s of all processes")!,
        questionCpuMs: of(`${OWN_HYBRID_BESIDE}, CPU ms of all processes`)!,
        memoryMb: of("answering process, PSS, MB")! + (of("servers, PSS, MB") ?? 0),
        diskMb,
      },
    ]
  })
  const kept = readMeasured().filter(
    (old) => !now.some(({ engine }) => engine === old.engine && old.passages === passages),
  )
  const engines = [...kept, ...now].toSorted(
    (a, b) => a.engine.localeCompare(b.engine) || a.passages - b.passages,
  )
  await writeFile(MEASURED, `${JSON.stringify({ engines }, null, 2)}\n`)
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

/** Wall-clock seconds, and CPU seconds of this process and of a server. */
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

async function warmUp(contender: Contender, texts: readonly string[]): Promise<void> {
  await using asker = await contender.asker()
  for (const text of texts) {
    await asker.ask({ text, vector: await embedder.ready(text), depth: OWN_HYBRID_BESIDE })
  }
}

async function ask(contender: Contender, all: readonly string[], figures: Figures): Promise<void> {
  await using asker = await contender.asker()
  const { name, pids, settings } = contender
  const texts = [...all]
  for (const depth of DEPTHS) {
    const some = texts.splice(0, WARM_UP + (depth === "advanced" ? Math.ceil(count / 4) : count))
    if (!settings && depth !== OWN_HYBRID_BESIDE) continue
    const questions: Question[] = []
    for (const text of some) questions.push({ text, vector: await embedder.ready(text), depth })
    const spent = () => [process.pid, ...pids].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
    for (const question of questions.slice(0, WARM_UP)) await asker.ask(question)
    const before = spent()
    const ms: number[] = []
    for (const question of questions.slice(WARM_UP)) {
      const began = performance.now()
      await asker.ask(question)
      ms.push(performance.now() - began)
    }
    figures.set(`${depth}, p50 ms`, name, percentile(ms, 0.5))
    figures.set(`${depth}, p99 ms`, name, percentile(ms, 0.99))
    figures.set(`${depth}, CPU ms of all processes`, name, ((spent() - before) / ms.length) * 1000)
  }
}

function memoryAnswering(questions: Questions): Promise<Memory> {
  return answerTo<Memory>(fork(join(import.meta.dirname, "answering-process.ts")), questions)
}

for (const passages of values.passages.split(",").map(Number)) await measure(passages)
