import { pause } from "#base/flow/pause.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"

import { percentile, processTree } from "../../bench/measure.ts"
import { type Effort, type Outcome, type Proof, settingsOf, tries } from "../proof.ts"
import { LiveAppliance } from "../running/live-appliance.ts"
import { MadeUpSite } from "../running/made-up-site.ts"
import { sendSignal } from "../running/send-signal.ts"
import { commandOf, type Vitals, vitalsOf } from "../running/vitals.ts"
import { askAll, KINDS, type Tallies } from "./mix.ts"
import { idle, leave, readSlowly } from "./rude.ts"

const MB = 1_000_000
const CLIENTS = 64
const LOAD_SECONDS = 600
const OVERLOAD_CLIENTS = 512
const LEAST_CLIENTS = 64
const OVERLOAD_SECONDS = 60
const REST_SECONDS = 60
/** Number of idle connections. Including those of the callers, at least 10,000 are kept open; the rest exceed the limit. */
const IDLE_CONNECTIONS = 12_000
const CONNECTIONS_SHARE = 0.85
const IDLE_SECONDS = 20
const SLOW_READERS = 200
const SLOW_SECONDS = 60
const LEAVERS = 3000
const PAGES = 800
const LEAST_PAGES = 15
const PAGES_OF_TURN = 250
const LEAST_OF_TURN = 5
const TURNS = 3
/** Each phase lasts at least this many seconds, however short the run. */
const LEAST_SECONDS = 0.5
/** Maximum seconds for which one client searches alone while a source is being crawled. */
const ALONE_SECONDS = 90
/** Seconds during which vectors are created, alternating with seconds during which they aren't. */
const TURN_SECONDS = 4
/** Below this scale, vectors are created by a server at no cost: no model is loaded or replaced. */
const VECTORS_FROM = 0.02
/** Minimum number of searches: with fewer, the slowest hundredth means nothing. */
const LEAST_JUDGED = 300
/** How many times as long searches may take while vectors are being created. */
const VECTORS_FACTOR = 1.5
/**
 * A refusal may take at most this share of the time of an answer, comparing medians. The slowest refusals come in the
 * first moments, when it isn't yet known how slow the appliance is getting: those searches wait for their turn as long
 * as they may.
 */
const REFUSED_PART = 0.25
const LEAST_REFUSED = 50
/** Maximum number of waiting searches, counting those of all clients: see FOSSICK_SEARCH_QUEUE. */
const QUEUE = 256
/** How many times as much memory as before may be in use. */
const MEMORY_FACTOR = 1.1
/** If a round adds less memory than this, everything is warmed up. */
const WARM_FACTOR = 1.03
const MOST_ROUNDS = 6
/** At least this share of the allowed connections is kept open, however long it takes to open them all: an idle one is closed after 75 s. */
const LEAST_KEPT = 0.5
/** New connections are accepted within this time, even by a busy machine. */
const [TAKEN_LOOKS, TAKEN_LOOK_MS] = [40, 250]
/** Bytes of the API's memory that an idle connection may use, far more than the actual 7 KB, because garbage collection makes the figure vary. */
const MOST_EACH = 64_000
/** Below this scale times are reported but not judged. */
const TIMES_FROM = 1
/** Below this scale no process becomes idle: memory, threads and processes aren't judged. */
const REST_FROM = 0.5
/** Number of threads that pools may have started in the meantime: the pools for files and for the index grow on demand. */
const MORE_THREADS = 16
/** Number of files that the API may have opened in the meantime, for a larger index. */
const MORE_HANDLES = 30
const SAMPLE_MS = 1000
const ALL = 'fossick_event_loop_delay_seconds{quantile="0.99"}'

const basic = KINDS.filter(({ name }) => name === "search basic")
const advanced = KINDS.filter(({ name }) => name === "search advanced")

/** The models of the index's vectors. */
interface ModelState {
  readonly model: { readonly in_use: { readonly name: string } | null }
}

interface Measured extends Vitals {
  readonly ofApi: Vitals
}

/** One row of the table. */
type Row = readonly [what: string, figure: string]

class Load {
  readonly #effort: Effort
  readonly #appliance: LiveAppliance
  readonly #site: MadeUpSite
  readonly rows: Row[] = []
  readonly faults: string[] = []

  constructor(effort: Effort, appliance: LiveAppliance, site: MadeUpSite) {
    this.#effort = effort
    this.#appliance = appliance
    this.#site = site
  }

  /**
   * Measures one client alone, while sources are being crawled and while the vectors of their pages are being created.
   * The process that creates them is stopped and continued every few seconds, so that other load on the machine affects
   * both alike.
   */
  async alone(others: readonly MadeUpSite[]): Promise<void> {
    const whileCrawled: number[] = []
    const whileStopped: number[] = []
    const whileEmbedded: number[] = []
    for (const [turn, other] of others.entries()) {
      this.#effort.tell(`one client alone, turn ${turn + 1} of ${others.length}`)
      const name = `turn-${turn + 1}`
      await this.#appliance.declare(name, other)
      const crawl = new AbortController()
      const crawled = this.#appliance.crawl(name).finally(() => crawl.abort())
      whileCrawled.push(...(await this.#aloneFor(ALONE_SECONDS, crawl.signal)))
      await crawled
      const filling = new AbortController()
      const filled = this.untilEmbedded().finally(() => filling.abort())
      do {
        const goOn = this.#stop("job-worker.ts")
        whileStopped.push(...(await this.#aloneFor(TURN_SECONDS).finally(goOn)))
        whileEmbedded.push(...(await this.#aloneFor(TURN_SECONDS, filling.signal)))
      } while (!filling.signal.aborted)
      await filled
    }
    const factorOf = (taken: readonly number[]) => percentile(taken, 0.99) / percentile(whileStopped, 0.99)
    for (const [what, taken] of [
      ["while nothing else runs", whileStopped],
      ["while a source is crawled", whileCrawled],
      ["while vectors are computed", whileEmbedded],
    ] as const) {
      const compared = taken.length === 0 ? "" : ` (p99 × ${factorOf(taken).toFixed(2)})`
      this.#row(`one client alone, ${what}`, timesOf(taken) + compared)
    }
    const factor = factorOf(whileEmbedded)
    const isJudged =
      this.#effort.scale >= TIMES_FROM && Math.min(whileStopped.length, whileEmbedded.length) >= LEAST_JUDGED
    if (isJudged && factor > VECTORS_FACTOR) {
      this.faults.push(`searches took ${factor.toFixed(2)} times as long (p99) while vectors were made`)
    }
  }

  /** @returns how long each search took, in milliseconds */
  async #aloneFor(seconds: number, signal?: AbortSignal): Promise<number[]> {
    const tallies = await this.#ask(1, this.#seconds(seconds), basic, signal)
    this.#judge("one client alone", tallies)
    return msOf(tallies)
  }

  /** Stops the appliance's processes of this program. @returns a function that continues them */
  #stop(program: string): () => void {
    const pids = this.#pidsOf(program)
    for (const pid of pids) sendSignal(pid, "SIGSTOP")
    return () => {
      for (const pid of pids) sendSignal(pid, "SIGCONT")
    }
  }

  #pidsOf(program: string): number[] {
    return processTree(this.#appliance.pid).filter((pid) => commandOf(pid).includes(program))
  }

  /** Waits until all pages have vectors. A short run doesn't wait. */
  async untilEmbedded(): Promise<void> {
    if (this.#effort.scale < VECTORS_FROM) return
    await this.#appliance.until(async () => (await this.#waiting()) === 0)
  }

  /** Number of pages that are waiting for vectors. */
  async #waiting(): Promise<number> {
    return (await this.#appliance.metrics()).get("fossick_index_pages_without_vectors") ?? Number.NaN
  }

  /** Runs the mix while a source is being crawled again and the index is being rebuilt with another model. */
  async load(second: MadeUpSite): Promise<void> {
    const seconds = this.#seconds(LOAD_SECONDS)
    // A short run uses a server for vectors, and has no other model to choose.
    const models = this.#effort.scale < VECTORS_FROM ? null : await this.#models()
    // Everything that a load may leave behind is created before it: the pages of the source, and a thread for each
    // model (embedders/model-threads.ts).
    await this.#appliance.declare("second", second)
    await this.#appliance.crawl("second")
    if (models !== null) for (const one of [models.other, models.first]) await this.#anew(one)
    const before = await this.#warm(async () => void (await this.#ask(CLIENTS, seconds / 10)))
    second.change(Math.ceil(second.urls.length / 2))
    this.#effort.tell(`${CLIENTS} clients for ${Math.round(seconds)} s, with a crawl, vectors and a re-index`)
    const crawled = this.#appliance.crawl("second")
    if (models !== null) await this.#appliance.ask("/admin/model", { model: models.other })
    const delays = this.#delays(AbortSignal.timeout(seconds * 1000))
    const tallies = await this.#ask(CLIENTS, seconds)
    await crawled
    for (const [name, tally] of tallies) {
      this.#row(
        `${CLIENTS} clients: ${name}`,
        `${times(new Map([[name, tally]]))}, ${tally.refusedMs.length} refused, ${tally.wrong.length} wrong`,
      )
    }
    this.#judge(`${CLIENTS} clients`, tallies)
    const seen = await delays
    this.#row(
      "event loop delay, p99 of each second",
      `median ${ms(percentile(seen, 0.5))}, p99 ${ms(percentile(seen, 0.99))}`,
    )
    if (models !== null) {
      await this.#untilAnew(models.other)
      // The models differ in size, so memory is compared while the same model is in use.
      await this.#anew(models.first)
    }
    this.#compare("the load", before, await this.#atRest())
  }

  /** The model in use, and the one that the index is rebuilt with. */
  async #models(): Promise<{ readonly first: string; readonly other: string }> {
    const { model } = await this.#appliance.ask<ModelState>("/admin/model")
    const first = model.in_use?.name === "multilingual" ? "multilingual" : "english"
    return { first, other: first === "english" ? "multilingual" : "english" }
  }

  /** Runs far more clients than can be answered. */
  async overload(): Promise<void> {
    const clients = tries(this.#effort, OVERLOAD_CLIENTS, LEAST_CLIENTS)
    this.#effort.tell(`${clients} clients with expensive searches`)
    const tallies = await this.#ask(clients, this.#seconds(OVERLOAD_SECONDS), advanced)
    const { ms: answered, refusedMs, wrong } = tallies.get(advanced[0]!.name)!
    this.#row(
      `overload: ${clients} clients, only advanced searches`,
      `${answered.length} answered, ${refusedMs.length} refused, ${wrong.length} wrong`,
    )
    this.#row(
      "overload: refusals",
      refusedMs.length === 0
        ? "none"
        : `p50 ${ms(percentile(refusedMs, 0.5))}, p99 ${ms(percentile(refusedMs, 0.99))}`,
    )
    this.#judge("overload", tallies)
    if (refusedMs.length === 0) this.faults.push(`no search of ${clients} clients was refused`)
    const part = percentile(refusedMs, 0.5) / percentile(answered, 0.5)
    this.#row(
      "overload: time of a refusal as a share of the time of an answer (p50)",
      `${part.toFixed(2)}; an answer took ${ms(percentile(answered, 0.5))}`,
    )
    const isJudged =
      this.#effort.scale >= TIMES_FROM && refusedMs.length >= LEAST_REFUSED && answered.length > 0
    if (isJudged && part > REFUSED_PART) {
      this.faults.push(`a refusal took ${part.toFixed(2)} times as long as an answer`)
    }
  }

  /** Runs badly behaved clients: some leave before the answer arrives, others read it one byte a second. */
  async rude(): Promise<void> {
    const query = this.#site.question()
    const leavers = tries(this.#effort, LEAVERS, 60)
    const before = await this.#warm(() => leave(this.#appliance, leavers, query))
    const readers = tries(this.#effort, SLOW_READERS, 10)
    this.#effort.tell(`${readers} clients that read one byte a second`)
    const seconds = this.#seconds(SLOW_SECONDS)
    const reading = readSlowly(this.#appliance, { count: readers, ms: seconds * 1000, query })
    const beside = await this.#ask(4, seconds, basic)
    await reading
    this.#row(`searches alongside ${readers} clients that read one byte a second`, times(beside))
    this.#judge("beside slow readers", beside)

    await this.#idle()

    this.#effort.tell(`${leavers} clients that leave`)
    await leave(this.#appliance, leavers, query)
    this.#compare(
      `slow readers, idle connections and ${leavers} clients that disconnected`,
      before,
      await this.#atRest(),
    )
  }

  /** Opens more connections than are kept, from callers that do nothing with them. */
  async #idle(): Promise<void> {
    const before = await this.#atRest()
    const wanted = idleConnections(this.#effort)
    this.#effort.tell(`${wanted} idle connections`)
    {
      await using connections = await idle(this.#appliance, wanted)
      const { open, most } = await this.#connections()
      const seen = await connections.count()
      const each = (this.#vitals().ofApi.memory - before.ofApi.memory) / open
      // The connections that the next callers would reuse have been idle for longer, so they would be closed first,
      // perhaps with a request in flight.
      await this.#appliance.hangUp()
      const through = await this.#ask(4, this.#seconds(IDLE_SECONDS), basic)
      this.#row(
        `searches alongside ${wanted} idle connections`,
        `${times(through)}; ${open} of at most ${most} kept (${seen} by the callers' count), ${kb(each)} each`,
      )
      this.#judge("beside idle connections", through)
      if (!(open <= most)) this.faults.push(`${open} connections were open, of ${most}`)
      if (!(open >= most * LEAST_KEPT)) this.faults.push(`only ${open} of ${most} connections were kept`)
      if (this.#effort.scale >= REST_FROM && !(each <= MOST_EACH))
        this.faults.push(`an idle connection took ${kb(each)}`)
    }
    await this.#appliance.until(async () => {
      const open = (await this.#appliance.metrics()).get("fossick_http_connections")!
      return open < wanted / 10
    })
    this.#compare(`${wanted} idle connections`, before, await this.#atRest())
  }

  /** Number of connections to the API. New ones may still be waiting to be accepted. */
  async #connections(): Promise<{ readonly open: number; readonly most: number }> {
    for (let looks = 1; ; looks++) {
      const metrics = await this.#appliance.metrics()
      const open = metrics.get("fossick_http_connections") ?? Number.NaN
      const most = metrics.get('fossick_bound_limit{bound="connections"}') ?? Number.NaN
      if (open >= most * LEAST_KEPT || looks === TAKEN_LOOKS) return { open, most }
      await pause(TAKEN_LOOK_MS)
    }
  }

  async #ask(clients: number, seconds: number, kinds = KINDS, until?: AbortSignal): Promise<Tallies> {
    const late = AbortSignal.timeout(seconds * 1000)
    const signal = until ? AbortSignal.any([late, until]) : late
    return askAll(this.#appliance, this.#site, { clients, seed: this.#effort.seed, signal, kinds })
  }

  /** Seconds at this scale, given those of the whole proof. */
  #seconds(all: number): number {
    return Math.max(LEAST_SECONDS, all * this.#effort.scale)
  }

  /** Lets processes come to rest. A minute is long enough for a result; shorter runs must make do with less. */
  async #rest(seconds: number): Promise<void> {
    await pause(1000 * Math.max(1, Math.min(seconds, seconds * this.#effort.scale * 5)))
  }

  /** Resource usage of all processes, and of the one that answers: the others come and go with crawls. */
  #vitals(): Measured {
    const { pid, dataDir } = this.#appliance
    const api = processTree(pid).find((one) => /\/api\/main\.ts/.test(commandOf(one)))
    return { ...vitalsOf(pid, dataDir), ofApi: vitalsOf(api ?? pid, dataDir) }
  }

  /** Waits until callers no longer use any resources. */
  async #untilQuiet(): Promise<void> {
    const bounds = [
      "memory-calls",
      "memory-live",
      "memory-unsent",
      "searches-waiting",
      "searches-running",
      "live-calls",
      "bodies",
    ]
    await this.#appliance.until(async () => {
      const metrics = await this.#appliance.metrics()
      return bounds.every((bound) => metrics.get(`fossick_bound_used{bound="${bound}"}`) === 0)
    })
  }

  async #anew(wanted: string): Promise<void> {
    await this.#appliance.ask("/admin/model", { model: wanted })
    await this.#untilAnew(wanted)
  }

  /** Waits until the index is rebuilt with this model, all its pages have vectors, and the process that created them is gone. */
  async #untilAnew(wanted: string): Promise<void> {
    await this.#appliance.until(async () => {
      const { model } = await this.#appliance.ask<ModelState>("/admin/model")
      return model.in_use?.name === wanted
    })
    await this.untilEmbedded()
    await this.#untilNoJobs()
  }

  async #untilNoJobs(): Promise<void> {
    await this.#appliance.until(() => Promise.resolve(this.#pidsOf("job-worker.ts").length === 0))
  }

  /**
   * The resources that a warmed-up appliance uses at rest: its first rounds fill pools and caches, and a library keeps
   * memory that it once allocated. Rounds continue until one adds hardly anything; if none does, that is a fault.
   */
  async #warm(round: () => Promise<void>): Promise<Measured> {
    let before: Measured | null = null
    for (let rounds = 1; ; rounds++) {
      this.#effort.tell(`round ${rounds} to warm up`)
      await round()
      const after = await this.#atRest()
      const isWarm = before !== null && after.anonymous <= before.anonymous * WARM_FACTOR
      if (isWarm || this.#effort.scale < REST_FROM) return after
      if (rounds === MOST_ROUNDS) {
        this.faults.push(`each of ${rounds} rounds to warm up added memory, up to ${mb(after.anonymous)}`)
        return after
      }
      before = after
    }
  }

  /** The resources used once nothing is running and no caller keeps a connection; waits for any process that is briefly cleaning up. */
  async #atRest(): Promise<Measured> {
    await this.#untilQuiet()
    await this.#appliance.hangUp()
    await this.#rest(REST_SECONDS)
    if (this.#effort.scale >= REST_FROM) await this.#untilNoJobs()
    return this.#vitals()
  }

  async #delays(signal: AbortSignal): Promise<number[]> {
    const seen: number[] = []
    while (!signal.aborted) {
      await pause(SAMPLE_MS, signal)
      const delay = (await this.#appliance.metrics()).get(ALL)
      if (delay !== undefined) seen.push(delay * 1000)
    }
    return seen
  }

  #judge(what: string, tallies: Tallies): void {
    for (const { wrong } of tallies.values())
      for (const one of wrong.slice(0, 5)) this.faults.push(`${what}: ${one}`)
  }

  #compare(what: string, before: Measured, after: Measured): void {
    this.#row(
      `before and after ${what}`,
      `memory ${mb(before.anonymous)} → ${mb(after.anonymous)} (with mapped files ${mb(before.memory)} → ${mb(after.memory)}), open files ${before.handles} → ${after.handles} (API ${before.ofApi.handles} → ${after.ofApi.handles}), threads ${before.threads} → ${after.threads}, processes ${before.processes} → ${after.processes}`,
    )
    if (this.#effort.scale >= REST_FROM) {
      if (after.anonymous > before.anonymous * MEMORY_FACTOR) {
        this.faults.push(
          `after ${what} the processes hold ${mb(after.anonymous)}, before it ${mb(before.anonymous)}`,
        )
      }
      if (after.threads > before.threads + MORE_THREADS) {
        this.faults.push(`after ${what} there are ${after.threads} threads, before it ${before.threads}`)
      }
      if (after.processes > before.processes) {
        this.faults.push(
          `after ${what} there are ${after.processes} processes, before it ${before.processes}`,
        )
      }
    }
    if (after.ofApi.handles > before.ofApi.handles + MORE_HANDLES) {
      this.faults.push(
        `after ${what} the API has ${after.ofApi.handles} files open, before it ${before.ofApi.handles}`,
      )
    }
  }

  #row(what: string, figure: string): void {
    this.#effort.tell(`${what}: ${figure}`)
    this.rows.push([what, figure])
  }
}

/** Times of all calls that were answered. */
const msOf = (tallies: Tallies): number[] => [...tallies.values()].flatMap(({ ms: of }) => of)

const idleConnections = (effort: Effort): number => tries(effort, IDLE_CONNECTIONS, 240)

const times = (tallies: Tallies): string => timesOf(msOf(tallies))

function timesOf(all: readonly number[]): string {
  if (all.length === 0) return "none answered"
  return `${all.length} answered, p50 ${ms(percentile(all, 0.5))}, p99 ${ms(percentile(all, 0.99))}`
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
const kb = (value: number): string => `${(value / 1000).toFixed(1)} KB`
const mb = (value: number): string => `${Math.round(value / MB)} MB`

async function run(effort: Effort): Promise<Outcome> {
  await using opened = new AsyncDisposableStack()
  const pages = tries(effort, PAGES, LEAST_PAGES)
  const [site, again, ...others] = await Promise.all(
    ["First", "Second", ...Array.from({ length: tries(effort, TURNS) }, (_, turn) => `Turn ${turn + 1}`)].map(
      (name, at) =>
        MadeUpSite.start(
          name,
          at < 2 ? pages : tries(effort, PAGES_OF_TURN, LEAST_OF_TURN),
          effort.seed * 10 + at,
        ),
    ),
  )
  for (const one of [site, again, ...others]) opened.use(one!)
  const vectors = effort.scale < VECTORS_FROM ? opened.use(await startCheapVectors()).settings : {}
  const appliance = opened.use(
    await LiveAppliance.start({
      ...settingsOf(effort),
      ...vectors,
      FOSSICK_CONNECTIONS: String(Math.round(idleConnections(effort) * CONNECTIONS_SHARE)),
      FOSSICK_SEARCH_QUEUE: String(tries(effort, QUEUE, LEAST_CLIENTS >> 2)),
    }),
  )
  effort.tell(`crawling ${pages} pages`)
  await appliance.declare("first", site!)
  await appliance.crawl("first")
  const load = new Load(effort, appliance, site!)
  await load.untilEmbedded()
  await load.alone(others)
  await load.load(again!)
  await load.overload()
  await load.rude()
  return { columns: ["measurement", "result"], rows: load.rows, faults: load.faults }
}

export const proof: Proof = {
  title: "Load",
  promise:
    "Under load the appliance answers correctly or refuses early, and it needs no more resources afterwards than before. For ten minutes, 64 " +
    "clients send a mix of searches, stored pages, suggestions, research, invalid requests and wrong keys, while a crawl, embedding and a " +
    "re-index run. Every request must get a correct answer, or 429 or 503 with `Retry-After`, and every report must be ready within twenty " +
    "minutes. A minute after the load, with the index rebuilt with the first model, the memory of all processes must be within a tenth of what it " +
    "was, with no more processes and at most 16 more threads. Under overload, a refusal may take at most a quarter of the time of an answer. " +
    "While vectors are computed, searches may take at most 1.5 times as long (p99). Clients that read one byte a second, 12,000 idle " +
    "connections (of which 10,200 are kept open) and clients that disconnect early must have no lasting cost. Clients and appliance share one machine.",
  run,
}
