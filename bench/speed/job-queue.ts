import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { AmongCrawlers } from "#crawler/crawl/together/among-crawlers.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"
import { openJobQueue } from "#crawler/jobs/queue/open-job-queue.ts"
import { TableQueue } from "#crawler/jobs/queue/table-queue.ts"
import { defineSource } from "#crawler/source.ts"
import { pause } from "#base/flow/pause.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { machine, median, percentile, short, table } from "../measure.ts"

// Jobs handed out by pg-boss beside the same by the table alone, on one PostgreSQL server: how many a second to several processes that do
// nothing with them, how long one waits for its next, and how soon a job is begun again whose process was killed. Both in turn, several rounds.

/** As the job process looks, whenever it has nothing. */
const POLL_MS = 250

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "500" },
    workers: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    /** What a worker is started with. */
    worker: { type: "string" },
    kind: { type: "string", default: "" },
  },
})

/** What a worker says, each in a line. */
type Said =
  | { readonly ready: true }
  | { readonly begun: number }
  | { readonly all: true; readonly waits: readonly number[] }

/** A process that works on jobs. */
class Worker {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #said: Said[] = []
  readonly #listeners = new Set<() => void>()

  constructor(dataDir: string, kind: string) {
    const args = [fileURLToPath(import.meta.url), "--worker", dataDir, "--kind", kind]
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
    this.#ended = once(this.#child, "exit")
    createInterface(this.#child.stdout!).on("line", (line) => {
      this.#said.push(JSON.parse(line) as Said)
      for (const listener of this.#listeners) listener()
    })
  }

  say(word: string): void {
    this.#child.stdin!.write(`${word}\n`)
  }

  async hear<T extends Said = Said>(isIt: (said: Said) => boolean): Promise<T> {
    for (;;) {
      const found = this.#said.find(isIt)
      if (found !== undefined) return found as T
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener)
          resolve()
        }
        this.#listeners.add(listener)
      })
    }
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended
  }
}

if (values.worker === undefined) await measure()
else await work(values.worker, values.kind)

async function measure(): Promise<void> {
  const [jobs, workers, rounds] = [values.jobs, values.workers, values.rounds].map(Number) as [
    number,
    number,
    number,
  ]
  await using server = await PostgresServer.start()
  const kinds = ["table", "pg-boss"]
  const found = new Map(
    kinds.map((kind) => [kind, { rates: [] as number[], waits: [] as number[], recoveries: [] as number[] }]),
  )
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      process.stderr.write(`round ${round + 1}: ${kind}\n`)
      const { rates, waits, recoveries } = found.get(kind)!
      const drained = await drain(server, kind, jobs, workers)
      rates.push(drained.rate)
      waits.push(...drained.waits)
      recoveries.push(await recover(server, kind))
    }
  }
  const row = (kind: string) => {
    const { rates, waits, recoveries } = found.get(kind)!
    return [
      kind,
      short(median(rates)),
      short(median(waits)),
      short(percentile(waits, 0.99)),
      short(median(recoveries) / 1000),
      short(Math.max(...recoveries) / 1000),
    ]
  }
  process.stdout.write(
    `${machine()}\n${jobs} jobs of as many sources, ${workers} processes, ${rounds} rounds in turn.\n\n${table(
      [
        [
          "",
          "jobs a second",
          "wait for the next, p50, ms",
          "p99, ms",
          "begun again after kill -9, s",
          "slowest, s",
        ],
        ...kinds.map(row),
      ],
    )}`,
  )
}

/** A state with `count` jobs that wait, and what starts each of the processes that work on them. */
async function withState<T>(
  server: PostgresServer,
  { kind, count, workers }: { readonly kind: string; readonly count: number; readonly workers: number },
  use: (start: () => Promise<Worker>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "fossick-job-queue-"))
  process.env["FOSSICK_STATE"] = server.socketUrl()
  const started: Worker[] = []
  try {
    const db = await openStateStore(folder)
    const jobs = new Jobs(db)
    for (let at = 0; at < count + workers; at += 1)
      await jobs.enqueue(defineSource({ name: `s${at}`, seeds: [`https://s${at}.example/`] }))
    db.close()
    return await use(async () => {
      const worker = new Worker(folder, kind)
      started.push(worker)
      await worker.hear((said) => "ready" in said)
      return worker
    })
  } finally {
    await Promise.all(started.map((worker) => worker.kill()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Jobs a second, and the milliseconds that each was waited for. */
async function drain(server: PostgresServer, kind: string, count: number, workers: number) {
  return await withState(server, { kind, count, workers }, async (start) => {
    const all = await Promise.all(Array.from({ length: workers }, start))
    const from = performance.now()
    for (const worker of all) worker.say("drain")
    const ends = await Promise.all(
      all.map((worker) => worker.hear<Extract<Said, { all: true }>>((said) => "all" in said)),
    )
    const seconds = (performance.now() - from) / 1000
    return { rate: count / seconds, waits: ends.flatMap(({ waits }) => waits) }
  })
}

/** Milliseconds from the death of a process to when another has begun its job. */
async function recover(server: PostgresServer, kind: string): Promise<number> {
  return await withState(server, { kind, count: 1, workers: 2 }, async (start) => {
    const [first, second] = [await start(), await start()]
    first.say("hold")
    await first.hear((said) => "begun" in said)
    second.say("hold")
    // It gives its signs of life, and knows those of the other, for a while.
    await pause(3000)
    const from = performance.now()
    await first.kill()
    await second.hear((said) => "begun" in said)
    return performance.now() - from
  })
}

async function work(dataDir: string, kind: string): Promise<void> {
  const db = await openStateStore(dataDir)
  const jobs = new Jobs(db)
  const onProblem = (error: unknown) => process.stderr.write(`${String(error)}\n`)
  await using among = await AmongCrawlers.begin({ db, jobs, onLost: onProblem, onProblem })
  await using queue = kind === "table" ? new TableQueue(jobs) : openJobQueue({ db, jobs, dataDir, onProblem })
  const { id: me } = among.process
  const begin = async () => {
    const id = await queue.take()
    if (id === null) return null
    if ((await jobs.start(id, me)) !== null) return id
    await queue.done(id)
    return null
  }
  const tell = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`)
  const words = createInterface(process.stdin)[Symbol.asyncIterator]()
  // One of its own before anything is measured, which makes the connection.
  for (let warm: number | null = null; warm === null;) {
    warm = await begin()
    if (warm === null) continue
    await jobs.end(warm, "finished", null, undefined, me)
    await queue.done(warm)
  }
  tell({ ready: true })
  const { value: word } = await words.next()
  if (word === "drain") {
    const waits: number[] = []
    while (!(await jobs.isIdle())) {
      const from = performance.now()
      const id = await begin()
      if (id === null) continue
      waits.push(performance.now() - from)
      await jobs.end(id, "finished", null, undefined, me)
      await queue.done(id)
    }
    tell({ all: true, waits })
  }
  for (let held: number | null = null; ;) {
    held ??= await begin()
    if (held !== null) {
      await jobs.beat(held, me)
      tell({ begun: held })
    }
    await pause(POLL_MS)
  }
}
