import { type ChildProcess, fork } from "node:child_process"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { Agent } from "undici"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { readSettings } from "#base/settings.ts"
import { Pooler } from "#base/store/testing/pooler.ts"
import { PostgresServer } from "#base/store/testing/postgres-server.ts"
import { openEngine } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { aPage } from "#engine/testing/pages.ts"
import { answerTo, machine, nextMessage, percentile, short, stopProcess, table } from "../../measure.ts"
import type { LoopDelay } from "../../peers/loop-delay.ts"

// Measures how clients are affected by a state that is far away, and by one that goes down and comes back: the API
// process of a checkout, with its state in a file, on a PostgreSQL server, and on one behind a slow connection. Each
// client has a key with a limit of credits, and asks one question after another.

const OWN = join(import.meta.dirname, "../../..")
const LOOP_DELAY = join(import.meta.dirname, "../../peers/loop-delay.ts")
const KEY = "an-operator-key-of-this-bench"
const PAGES = 200
const HEALTH_EVERY_MS = 20
/** How long a refused client waits before it asks again. */
const REFUSED_MS = 100
const WARM_UP_MS = 2000

const { values } = parseArgs({
  options: {
    /** Another checkout, with its packages, that takes its turn in each round. */
    before: { type: "string" },
    rounds: { type: "string", default: "3" },
    clients: { type: "string", default: "32" },
    /** The connection's delay in each direction, in milliseconds. */
    delay: { type: "string", default: "5" },
    /** Seconds of searching in each row. */
    seconds: { type: "string", default: "10" },
    /** Milliseconds between an answer and the next question of its client. */
    pause: { type: "string", default: "0" },
    /** Seconds for which the server is down; 0 if it stays up. */
    away: { type: "string", default: "30" },
  },
})
const clients = Number(values.clients)

/** Measurements over a period of time. Times are in milliseconds. */
class Stretch {
  readonly answered: number[] = []
  readonly refused: number[] = []
  readonly others: string[] = []
  readonly health: number[] = []
  readonly loops: LoopDelay[] = []
  seconds = 0

  add({ answered, refused, others, health, loops, seconds }: Stretch): void {
    this.answered.push(...answered)
    this.refused.push(...refused)
    this.others.push(...others)
    this.health.push(...health)
    this.loops.push(...loops)
    this.seconds += seconds
  }
}

/** An API process with keys for its clients. */
class Api implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #url: string
  readonly #agent = new Agent({ connections: clients + 4, headersTimeout: 0, bodyTimeout: 0 })
  keys: readonly string[] = []

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.#url = url
  }

  static async start(root: string, state: string): Promise<Api> {
    const dataDir = await mkdtemp(join(tmpdir(), "fossick-far-state-"))
    process.once("exit", () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
    await fill(dataDir)
    const child = fork(join(root, "api/main.ts"), {
      cwd: root,
      execArgv: ["--import", LOOP_DELAY],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: {
        ...CHILD_ENV,
        FOSSICK_DATA_DIR: dataDir,
        FOSSICK_STATE: state,
        FOSSICK_PORT: "0",
        FOSSICK_API_KEY: KEY,
        FOSSICK_HANDBOOK: "off",
        FOSSICK_UNIT_READER: "off",
        FOSSICK_RATE_LIMITS: "",
        FOSSICK_LOG_LEVEL: "error",
      },
    })
    const { localUrl } = await nextMessage<{ localUrl: string }>(child, "ready")
    const api = new Api(child, localUrl.replace("localhost", "127.0.0.1"))
    const keys: string[] = []
    for (let client = 0; client < clients; client++) {
      const made = await api.#ask("POST", "/admin/keys", KEY, {
        name: `client ${client}`,
        role: "search",
        credits: 1_000_000,
      })
      if (made.status !== 201) throw new Error(`a key was answered with ${made.status}: ${made.text}`)
      keys.push((JSON.parse(made.text) as { key: string }).key)
    }
    api.keys = keys
    return api
  }

  /** Lets all clients search for `seconds`, while polling the health of the process. */
  async under(seconds: number): Promise<Stretch> {
    const stretch = new Stretch()
    const began = performance.now()
    const isOver = () => performance.now() - began >= seconds * 1000
    const client = async (key: string) => {
      while (!isOver()) {
        await this.#search(key, stretch)
        await sleep(Number(values.pause))
      }
    }
    const watch = async () => {
      while (!isOver()) {
        const asked = performance.now()
        const { status } = await this.#ask("GET", "/healthz", KEY)
        if (status !== 200) stretch.others.push(`/healthz: ${status}`)
        stretch.health.push(performance.now() - asked)
        await sleep(HEALTH_EVERY_MS)
      }
    }
    await this.loopDelay()
    await Promise.all([watch(), ...this.keys.map(client)])
    stretch.loops.push(await this.loopDelay())
    stretch.seconds = (performance.now() - began) / 1000
    return stretch
  }

  async loopDelay(): Promise<LoopDelay> {
    return await answerTo<LoopDelay>(this.#child, "loop-delay", "loop-delay")
  }

  /** Waits until every answered call is counted, and returns how many seconds that took. */
  async settled(): Promise<number> {
    const began = performance.now()
    for (;;) {
      const { text } = await this.#ask("GET", "/metrics", KEY)
      if (/^fossick_calls_uncounted 0$/m.test(text)) return (performance.now() - began) / 1000
      await sleep(REFUSED_MS)
    }
  }

  /** Number of calls that were counted for the clients' keys. */
  async counted(): Promise<number> {
    const { text } = await this.#ask("GET", "/admin/usage?days=2", KEY)
    const { usage } = JSON.parse(text) as {
      usage: readonly { key_id: string; endpoints: Record<string, { calls: number }> }[]
    }
    return usage.reduce((sum, { endpoints }) => sum + (endpoints["search"]?.calls ?? 0), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopProcess(this.#child)
    await this.#agent.close()
  }

  async #search(key: string, { answered, refused, others }: Stretch): Promise<void> {
    const asked = performance.now()
    const body = { query: `pump ${Math.trunc(asked) % PAGES}`, search_depth: "ultra-fast", max_results: 5 }
    const { status } = await this.#ask("POST", "/search", key, body)
    const took = performance.now() - asked
    if (status === 200) answered.push(took)
    else if (status === 503) refused.push(took)
    else others.push(`/search: ${status}`)
    if (status !== 200) await sleep(REFUSED_MS)
  }

  async #ask(method: "GET" | "POST", path: string, key: string, body?: object) {
    const { statusCode: status, body: said } = await this.#agent.request({
      origin: this.#url,
      method,
      path,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status, text: await said.text() }
  }
}

/** An index without vectors, so that answers cost little compared with the state. */
async function fill(dataDir: string): Promise<void> {
  const settings = { ...readSettings(engineSettings, {}), dataDir }
  await using engine = await openEngine(settings, { mode: "write", embedding: "off" })
  const pages = Array.from({ length: PAGES }, (_, at) =>
    aPage(`https://pumps.example/${at}`, {
      title: `Pump ${at}`,
      markdown: `# Pump ${at}\n\nPump ${at} is in hall ${at % 7} and needs oil every ${at + 3} days.`,
    }),
  )
  await engine.index(pages)
}

const rows: string[][] = []
const kinds = [
  "state.db",
  "server",
  `server, ${values.delay} ms away`,
  "the same, refusing",
  "the same, silent",
]
const found = new Map<string, Stretch>()
const counts = new Map<string, string[]>()

process.stdout.write(`${machine()}\n`)
const roots = new Map([...(values.before ? [["before", resolve(values.before)] as const] : []), ["now", OWN]])
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, root] of round % 2 ? [...roots].toReversed() : roots) await measure(name, root)
report()

async function measure(name: string, root: string): Promise<void> {
  const note = (kind: string, stretch: Stretch) => {
    const key = `${name} ${kind}`
    if (!found.has(key)) found.set(key, new Stretch())
    found.get(key)!.add(stretch)
    process.stderr.write(`${[key, ...cells(stretch)].join("  ")}\n`)
  }
  await using server = await PostgresServer.start()
  using pooler = await Pooler.before(server.port, Number(values.delay))
  const seconds = Number(values.seconds)
  for (const [kind, state] of [
    [kinds[0]!, ""],
    [kinds[1]!, server.url("near")],
  ] as const) {
    await using api = await Api.start(root, state)
    await api.under(WARM_UP_MS / 1000)
    note(kind, await api.under(seconds))
  }
  await using api = await Api.start(root, pooler.url("far"))
  let answered = (await api.under(WARM_UP_MS / 1000)).answered.length
  const then = async (kind: string | null, much: number) => {
    const stretch = await api.under(much)
    answered += stretch.answered.length
    if (kind !== null) note(kind, stretch)
  }
  await then(kinds[2]!, seconds)
  const away = Number(values.away)
  if (away === 0) return
  setTimeout(() => pooler.cut(), 500)
  await then(kinds[3]!, away)
  await pooler.mend()
  await then(null, seconds)
  setTimeout(() => (pooler.isMute = true), 500)
  await then(kinds[4]!, away)
  pooler.isMute = false
  await then(null, seconds)
  const later = await api.settled()
  const counted = await api.counted()
  counts.set(name, [
    ...(counts.get(name) ?? []),
    `${answered} answered, ${counted} counted ${short(later)} s later`,
  ])
  process.stderr.write(`${name}: ${counts.get(name)!.at(-1)}\n`)
}

function cells({ answered, refused, others, health, loops, seconds }: Stretch): string[] {
  return [
    short(answered.length / seconds),
    short(percentile(answered, 0.5)),
    short(percentile(answered, 0.99)),
    String(refused.length),
    short(Math.max(0, ...refused)),
    short(percentile(health, 0.99)),
    short(Math.max(...health)),
    short(
      percentile(
        loops.map(({ p99Ms }) => p99Ms),
        0.5,
      ),
    ),
    short(Math.max(...loops.map(({ maxMs }) => maxMs))),
    [...new Set(others)].join(", "),
  ]
}

function report(): void {
  for (const kind of kinds)
    for (const name of roots.keys()) {
      const stretch = found.get(`${name} ${kind}`)
      if (stretch) rows.push([kind, name, ...cells(stretch)])
    }
  const head = [
    "state",
    "checkout",
    "answers a second",
    "p50 ms",
    "p99 ms",
    "refused",
    "longest refusal, ms",
    "`/healthz` p99 ms",
    "longest, ms",
    "event loop delay p99 ms",
    "longest, ms",
    "others",
  ]
  process.stdout.write(`\n${clients} clients\n\n${table([head, ...rows])}\n`)
  for (const [name, each] of counts) process.stdout.write(`${name}: ${each.join("; ")}\n`)
}
