import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { rmSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { stringify } from "yaml"
import { serveGenerated } from "../corpora/generated-site.ts"
import { machine, short, table } from "../measure.ts"
import { type Run, WeekAppliance } from "../week/appliance.ts"
import { freePort } from "#base/testing/free-port.ts"

// Measures how long a queue of twelve sources takes if four of their sites are sick, compared with its slowest healthy
// source alone. Each case is a whole appliance with its own index. Every host gets the pause of an external host
// through the politeness settings of its source, since loopback would have none.

/** How much longer the queue of healthy sites may take than its slowest site alone, as a share. */
const MAX_MORE = 0.1
const LOOK_MS = 500
const LIMIT_MS = 1_800_000
/** The wait that the busy site asks for, in seconds. */
const RETRY_AFTER = 15
/** Number of pages on each healthy site, as a share of the number on the slowest one. */
const SHARES = [1, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02]
/** The settings of a less patient operator: a host that refuses is abandoned after 31 s, and a host that asks for a pause is abandoned at once. */
const IMPATIENT = {
  FOSSICK_RETRY_DELAY_MS: "1000",
  FOSSICK_FETCH_TIMEOUT_MS: "10000",
  FOSSICK_MAX_WAIT_MS: "10000",
}

const { values } = parseArgs({
  options: {
    /** Number of pages on the slowest healthy site. */
    pages: { type: "string", default: "200" },
    /** Number of pages on that site in the run in which patience with sick hosts takes the longest. */
    few: { type: "string", default: "30" },
    /** Milliseconds between requests to a host. */
    pause: { type: "string", default: "1000" },
  },
})

interface Site {
  readonly name: string
  readonly start: string
  readonly isHealthy: boolean
}

/** Seconds since all of the sources were requested. */
interface Measured {
  readonly healthy: number
  readonly all: number
  readonly runs: readonly Run[]
}

const pauseMs = Number(values.pause)
await using cleanup = new AsyncDisposableStack()
const many = await healthySites(Number(values.pages), "many")
const few = await healthySites(Number(values.few), "few")
// Started last, so that no site takes the port that must stay closed.
const sick = await sickSites()

const alone = await measured("the slowest healthy one alone", many.slice(0, 1))
const queue = await measured("all twelve", [...sick, ...many])
const brief = await measured("twelve small ones", [...sick, ...few])
const impatient = await measured("twelve small ones, less patience", [...sick, ...few], IMPATIENT)

const seconds = (value: number) => short(value)
const ratio = queue.healthy / alone.healthy
const whole = queue.all / alone.healthy
process.stdout.write(
  `${machine()}\nTwelve sources, four of them sick; a pause of ${pauseMs} ms after each request to a host.\n\n${table(
    [
      ["", "healthy ones over, s", "all over, s"],
      [`the slowest healthy one alone (${values.pages} pages)`, seconds(alone.healthy), ""],
      [`all twelve, the slowest of ${values.pages} pages`, seconds(queue.healthy), seconds(queue.all)],
      [`all twelve, the slowest of ${values.few} pages`, seconds(brief.healthy), seconds(brief.all)],
      [
        `the same with ${Object.entries(IMPATIENT)
          .map((setting) => `\`${setting.join("=")}\``)
          .join(", ")}`,
        seconds(impatient.healthy),
        seconds(impatient.all),
      ],
    ],
  )}\n`,
)
for (const { source, result, reason, note, started_at, ended_at } of queue.runs.toSorted(
  (a, b) => a.id - b.id,
)) {
  const took = (Date.parse(ended_at ?? "") - Date.parse(started_at ?? "")) / 1000
  process.stdout.write(`${source}: ${result} after ${short(took)} s; ${reason ?? note ?? ""}\n`)
}
const isMet = Math.max(ratio, whole) <= 1 + MAX_MORE
process.stdout.write(
  `\nHealthy ones: ${short(ratio)} of the slowest alone; all twelve: ${short(whole)}. ${isMet ? "Within" : "NOT within"} ${1 + MAX_MORE}.\n`,
)
process.exitCode = isMet ? 0 : 1

/** Runs sources in a separate appliance. All are requested at once, starting with the first. */
async function measured(
  what: string,
  sites: readonly Site[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  process.stderr.write(`${what}\n`)
  const folder = await mkdtemp(join(tmpdir(), "fossick-queue-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  try {
    const port = String(await freePort())
    await using appliance = new WeekAppliance(folder, {
      FOSSICK_PORT: port,
      FOSSICK_HANDBOOK: "off",
      ...settings,
    })
    await appliance.start()
    const politeness = { delayMs: pauseMs, concurrency: 1 }
    const sources = sites.map(({ name, start }) => ({ name, seeds: start, rendering: "http", politeness }))
    await writeFile(join(folder, "sources.yaml"), stringify({ sources }))
    const applied = await appliance.command("sources", "apply")
    if (applied.code !== 0) throw new Error(`sources apply exited with code ${applied.code}:\n${applied.err}`)
    const asked = Date.now()
    for (const { name } of sites) await appliance.call(`/admin/sources/${name}/run`, {})
    const runs = await over(appliance, asked)
    const lastOf = (names: readonly Site[]) =>
      Math.max(
        ...names.map(
          ({ name }) => Date.parse(runs.find(({ source }) => source === name)?.ended_at ?? "") - asked,
        ),
      ) / 1000
    for (const site of sites.filter(({ isHealthy }) => isHealthy)) {
      const run = runs.find(({ source }) => source === site.name)
      if (run?.result !== "finished") throw new Error(`${site.name} ended as ${run?.result}: ${run?.reason}`)
    }
    return { healthy: lastOf(sites.filter(({ isHealthy }) => isHealthy)), all: lastOf(sites), runs }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** All runs, once none is waiting or working. @throws Error when they take too long */
async function over(appliance: WeekAppliance, since: number): Promise<readonly Run[]> {
  for (;;) {
    const runs = await appliance.runs()
    if (runs.length > 0 && runs.every(({ state }) => state !== "queued" && state !== "running")) return runs
    if (Date.now() - since > LIMIT_MS) throw new Error("runs are still under way")
    await sleep(LOOK_MS)
  }
}

async function healthySites(largest: number, kind: string): Promise<readonly Site[]> {
  const sites: Site[] = []
  for (const [at, share] of SHARES.entries()) {
    const name = `healthy-${at + 1}`
    const pages = Math.max(2, Math.round(largest * share))
    const site = cleanup.use(await serveGenerated({ pages, paragraphs: 3, name: `${kind} ${name}` }))
    sites.push({ name, start: site.url, isHealthy: true })
  }
  return sites
}

/** A site that refuses connections, one that accepts them and stays silent, one with broken TLS, and one that is too busy. */
async function sickSites(): Promise<readonly Site[]> {
  const silent = await listening(createServer(() => undefined))
  const noTls = await listening(createServer((socket) => socket.end("no TLS here\n")))
  const busy = await listening(
    createHttpServer((_, response) => {
      response.writeHead(503, { "retry-after": String(RETRY_AFTER) }).end("Too busy.\n")
    }),
  )
  const starts = {
    refuses: `http://127.0.0.1:${await freePort()}/`,
    silent: `http://127.0.0.1:${silent}/`,
    "broken-tls": `https://127.0.0.1:${noTls}/`,
    busy: `http://127.0.0.1:${busy}/`,
  }
  return Object.entries(starts).map(([name, start]) => ({ name, start, isHealthy: false }))
}

/** @returns the port. */
async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("error", () => undefined)
    socket.once("close", () => open.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  cleanup.defer(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
