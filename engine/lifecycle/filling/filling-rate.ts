import { readFile, rm } from "node:fs/promises"
import { replaceFile } from "#base/store/replace-file.ts"
import type { Clock } from "#base/clock.ts"
import type { EngineStats } from "../../engine.ts"

/** The window over which the rate is measured: long enough for pages of all lengths, short enough to notice that a crawl takes precedence. */
const WINDOW_MS = 60_000
const STEP_MS = 1000
/** How long to measure before a rate is reported: a rate reported earlier would be a guess. */
const FIRST_MS = 5000
const TELL_EVERY_MS = 2000
/** Maximum age of a rate: an older one says nothing about the current one. */
const STALE_MS = 30_000

/** The file that a writer leaves for other processes. */
interface Told {
  readonly perSecond: number
  /** Wall-clock time. */
  readonly at: number
}

/**
 * How fast vectors are created: passages per second over the last minute, including the effect of everything else that
 * slowed the machine down. The writer counts passages, and informs other processes through a small file.
 */
export class FillingRate {
  readonly #file: string
  readonly #now: () => number
  #beganAt: number | null = null
  /** Number of passages by the second in which they were completed. */
  readonly #steps: { at: number; passages: number }[] = []
  #toldAt = -Infinity
  #telling = Promise.resolve()

  constructor(file: string, now = () => performance.now()) {
    this.#file = file
    this.#now = now
  }

  /** Marks the start of work. */
  begin(): void {
    this.#beganAt ??= this.#now()
  }

  count(passages: number): void {
    this.begin()
    const at = this.#now()
    const last = this.#steps.at(-1)
    if (last && at - last.at < STEP_MS) last.passages += passages
    else this.#steps.push({ at, passages })
    this.#forget(at)
    const perSecond = this.perSecond
    if (perSecond === null || at - this.#toldAt < TELL_EVERY_MS) return
    this.#toldAt = at
    this.#tell({ perSecond, at: Date.now() })
  }

  /** Passages per second; `null` until there are enough measurements. */
  get perSecond(): number | null {
    if (this.#beganAt === null) return null
    const now = this.#now()
    const span = Math.min(WINDOW_MS, now - this.#beganAt)
    if (span < FIRST_MS) return null
    this.#forget(now)
    const passages = this.#steps.reduce((sum, step) => sum + step.passages, 0)
    return (passages * 1000) / span
  }

  /** Marks the end of work. Resolves when the file is deleted. */
  async end(): Promise<void> {
    this.#beganAt = null
    this.#steps.length = 0
    if (this.#toldAt === -Infinity) return
    this.#toldAt = -Infinity
    this.#telling = this.#telling.then(() => rm(this.#file, { force: true })).catch(() => undefined)
    await this.#telling
  }

  #forget(now: number): void {
    while (this.#steps[0] && now - this.#steps[0].at > WINDOW_MS) this.#steps.shift()
  }

  /** Nothing depends on this file, so errors are ignored: other code reports problems such as a full disk. */
  #tell(told: Told): void {
    const write = () => replaceFile(this.#file, JSON.stringify(told))
    this.#telling = this.#telling.then(write).catch(() => undefined)
  }
}

/** The rate of a writer in another process, or `null` if none is creating vectors at the moment. */
export async function toldRate(file: string, now: Clock = Date.now): Promise<number | null> {
  try {
    const { perSecond, at } = JSON.parse(await readFile(file, "utf8")) as Partial<Told>
    const isFresh = typeof at === "number" && Math.abs(now() - at) < STALE_MS
    return isFresh && typeof perSecond === "number" && perSecond >= 0 ? perSecond : null
  } catch {
    return null
  }
}

/** Seconds until every passage has its vector at the current rate; `null` if unknown, 0 if all passages have one. */
export function secondsLeft(
  stats: Pick<EngineStats, "passagesWithoutVectors" | "vectorsPerSecond">,
): number | null {
  const { passagesWithoutVectors: waiting, vectorsPerSecond: rate } = stats
  if (waiting === 0) return 0
  return rate ? Math.ceil(waiting / rate) : null
}
