import { steadyNow } from "#base/steady-time.ts"
import type { Failure, Job } from "../../job.ts"
import { addressesText, duration, ProgressMeter, progressLine, summaryLines } from "../../jobs/progress.ts"
import { counted } from "#engine/commands/command-progress.ts"
import { printableLine } from "#base/printable.ts"
import { clearLine } from "#base/process/safe-output.ts"

/** Plain lines come less often than a terminal's line is redrawn. */
const LINE_EVERY_MS = 5000

/** Shows a crawl: one line that changes on a terminal, lines now and then elsewhere, JSON lines for scripts. */
export class CrawlDisplay {
  readonly #json: boolean
  readonly #live: boolean
  readonly #meter = new ProgressMeter()
  readonly #startedAt = steadyNow()
  #lastLine = 0

  constructor(json: boolean) {
    this.#json = json
    this.#live = !json && process.stdout.isTTY
  }

  start(job: Job): void {
    const { id, source } = job
    const { scope } = source
    const { depth, pages: limit } = source.limits
    const url = source.seeds.join(", ")
    // A crawl without a name of its own is called by its host.
    const isHost = source.seeds.some((seed) =>
      [new URL(seed).host, new URL(seed).hostname].includes(source.name),
    )
    const called = isHost ? "" : `${source.name}: `
    const visited = Object.values(job.outcomes).reduce((sum, count) => sum + count, 0)
    if (this.#json)
      this.#object({ event: "started", job: id, source: source.name, url, scope, depth, limit, visited })
    else if (visited > 0) this.#line(`Crawling ${called}${url}, going on after ${counted(visited, "visit")}`)
    else
      this.#line(
        `Crawling ${called}${url} (scope ${scope}, depth ${depth}, at most ${counted(limit, "page")})`,
      )
  }

  show(job: Job): void {
    const progress = this.#meter.measure(job)
    if (this.#json) this.#object({ event: "progress", job: job.id, ...progress })
    else this.#progress(progressLine(progress))
  }

  vectors(pages: number): void {
    if (pages === 0) return
    if (this.#json) this.#object({ event: "vectors", pagesLeft: pages })
    else this.#progress(`pages are searchable; vectors to make for ${pages}`)
  }

  end(job: Job, failures: readonly Failure[]): void {
    const seconds = Math.round((steadyNow() - this.#startedAt) / 100) / 10
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
    this.#line(headline(job, duration(Math.round(seconds))))
    for (const line of summaryLines(job)) this.#line(line)
    if (job.note !== null) this.#line(`Note: ${job.note}`)
    for (const { url, detail } of failures) this.#line(`  ${url}: ${detail ?? "failed"}`)
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

function headline(job: Job, time: string): string {
  const reason = job.reason ?? "no reason given"
  if (job.result === "failed") return `Failed after ${time}: ${reason}`
  if (job.result === "finished-with-problems") return `Finished with problems after ${time}: ${reason}`
  switch (job.state) {
    case "paused":
      return `Paused after ${time}, ${addressesText(job.queued)} left; the same command, or fossick jobs resume ${job.id}, continues from here`
    case "queued":
    case "running":
      return `No longer watched after ${time}; the appliance continues job ${job.id}`
    default:
      return `${job.state[0]?.toUpperCase()}${job.state.slice(1)} after ${time}`
  }
}
