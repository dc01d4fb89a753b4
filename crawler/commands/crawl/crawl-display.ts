import { duration } from "#base/text/duration.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { Failure, Job } from "../../job.ts"
import {
  addressesText,
  type Progress,
  ProgressMeter,
  progressLine,
  summaryLines,
} from "../../jobs/progress.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { printableLine } from "#base/text/printable.ts"
import { clearLine } from "#base/process/safe-output.ts"

/** Plain lines are printed less often than a terminal's line is redrawn. */
const LINE_EVERY_MS = 5000

/** Shows crawls: one line that changes on a terminal, occasional lines elsewhere, JSON lines for scripts. */
export class CrawlDisplay {
  readonly #json: boolean
  readonly #live: boolean
  /** Keyed by job id. */
  readonly #meters = new Map<number, ProgressMeter>()
  /** Measured by the wall clock, like the times of jobs. */
  readonly #since = Date.now()
  #over = 0
  #noted = ""
  #lastLine = 0

  constructor(json: boolean) {
    this.#json = json
    this.#live = !json && process.stdout.isTTY
  }

  start(job: Job): void {
    this.#meters.set(job.id, new ProgressMeter())
    const { id, source } = job
    const { scope } = source
    const { depth, pages: limit } = source.limits
    const url = source.seeds.join(", ")
    // A crawl without a name of its own is shown under its host.
    const isHost = source.seeds.some((seed) =>
      [new URL(seed).host, new URL(seed).hostname].includes(source.name),
    )
    const called = isHost ? "" : `${source.name}: `
    const visited = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
    if (this.#json)
      this.#object({ event: "started", job: id, source: source.name, url, scope, depth, limit, visited })
    else if (visited > 0)
      this.#line(`Crawling ${called}${url}, continuing after ${counted(visited, "visit")}`)
    else
      this.#line(
        `Crawling ${called}${url} (scope ${scope}, depth ${depth}, at most ${counted(limit, "page")})`,
      )
  }

  /**
   * Shows the jobs that have not ended.
   * @param atWork the sources that a process is crawling now
   */
  show(crawls: readonly Job[], atWork: ReadonlySet<string> = new Set()): void {
    if (!this.#json && atWork.size > 0 && crawls.every(({ state }) => state === "queued")) {
      this.#progress(`${this.#standing()}waiting for other sources to be crawled: ${[...atWork].join(", ")}`)
      return
    }
    const all = crawls.map((job) => ({ job: job.id, ...this.#meterOf(job).measure(job) }))
    if (this.#json) for (const progress of all) this.#object({ event: "progress", ...progress })
    else if (all.length > 0) this.#progress(`${this.#standing()}${progressLine(sumOf(all))}`)
  }

  /** Shows a note that an operator may want to see, but not twice in a row. */
  note(text: string): void {
    if (text === this.#noted) return
    this.#noted = text
    if (this.#json) this.#object({ event: "note", text })
    else {
      if (this.#live) clearLine(process.stdout)
      this.#line(text)
    }
  }

  vectors(pages: number): void {
    if (pages === 0) return
    if (this.#json) this.#object({ event: "vectors", pagesLeft: pages })
    else this.#progress(`pages are searchable; ${counted(pages, "page")} still without vectors`)
  }

  end(job: Job, failures: readonly Failure[]): void {
    this.#over += 1
    const seconds = this.#secondsOf(job)
    if (this.#json) {
      this.#object({
        event: "ended",
        job: job.id,
        state: job.state,
        result: job.result,
        reason: job.reason,
        error: job.error,
        note: job.note,
        outcomes: job.outcomes,
        queued: job.queued,
        seconds,
        failures,
      })
      return
    }
    if (this.#live) clearLine(process.stdout)
    const name = this.#areSeveral ? `${job.source.name}: ` : ""
    this.#line(`${name}${headline(job, duration(Math.round(seconds)))}`)
    for (const line of summaryLines(job)) this.#line(line)
    if (job.note !== null) this.#line(`Note: ${job.note}`)
    for (const { url, detail } of failures) this.#line(`  ${url}: ${detail ?? "failed"}`)
  }

  /** How long a run took while it was watched. If there are several runs, each begins and ends at its own time. */
  #secondsOf({ startedAt, endedAt }: Job): number {
    if (startedAt === null) return 0
    const ms = (endedAt?.getTime() ?? Date.now()) - Math.max(startedAt.getTime(), this.#since)
    return Math.max(0, Math.round(ms / 100) / 10)
  }

  get #areSeveral(): boolean {
    return this.#meters.size > 1
  }

  #standing(): string {
    return this.#areSeveral ? `${this.#over} of ${this.#meters.size} crawls done; ` : ""
  }

  #meterOf({ id }: Job): ProgressMeter {
    const meter = this.#meters.get(id) ?? new ProgressMeter()
    this.#meters.set(id, meter)
    return meter
  }

  #progress(text: string): void {
    if (this.#live) {
      const width = process.stdout.columns
      clearLine(process.stdout)
      process.stdout.write(printableLine(text).slice(0, Math.max(20, width - 1)))
    } else if (steadyNow() - this.#lastLine >= LINE_EVERY_MS) {
      this.#lastLine = steadyNow()
      this.#line(text)
    }
  }

  #line(text: string): void {
    process.stdout.write(`${printableLine(text)}\n`)
  }

  #object(value: object): void {
    process.stdout.write(`${JSON.stringify(value)}\n`)
  }
}

/** The progress of crawls that run side by side. */
function sumOf(all: readonly Progress[]): Progress {
  const sum = (kind: "done" | "pages" | "failed" | "queued" | "pagesPerSecond") =>
    all.reduce((total, one) => total + one[kind], 0)
  const left = all.flatMap(({ secondsLeft }) => secondsLeft ?? [])
  return {
    done: sum("done"),
    pages: sum("pages"),
    failed: sum("failed"),
    queued: sum("queued"),
    pagesPerSecond: sum("pagesPerSecond"),
    secondsLeft: left.length < all.length ? null : Math.max(...left),
    waits: all.flatMap(({ waits }) => waits),
  }
}

function headline(job: Job, time: string): string {
  const reason = job.reason ?? "no reason given"
  if (job.result === "failed") return `Failed after ${time}: ${reason}`
  if (job.result === "finished-with-problems") return `Finished with problems after ${time}: ${reason}`
  switch (job.state) {
    case "paused":
      return `Paused after ${time}, ${addressesText(job.queued)} left. To continue, run the same command again, or fossick jobs resume ${job.id}`
    case "queued":
    case "running":
      return `Stopped watching after ${time}; the appliance continues job ${job.id}`
    default:
      return `${job.state[0]?.toUpperCase()}${job.state.slice(1)} after ${time}`
  }
}
