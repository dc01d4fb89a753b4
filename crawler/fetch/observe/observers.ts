import type { Readers } from "#engine/index/page/readers.ts"
import type { Clock } from "#base/clock.ts"
import { environment } from "#base/settings.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { PageReader } from "../visit/reader.ts"
import type { Reading } from "../../reading.ts"
import type { Source } from "../../source.ts"
import {
  countsFrom,
  identityOf,
  learnedReaders,
  lookersOf,
  type Observation,
  Observations,
} from "./observations.ts"
import { type Look, type LookOptions, OneObserver } from "./one-observer.ts"
import { digestOf, shownLines } from "./shown-text.ts"

export interface ObserversOptions {
  readonly db: StateStore
  readonly source: Source
  /** The source's reader. */
  readonly reader: PageReader
  readonly clock?: Clock | undefined
  /** Contains the secrets of logins. Default: the environment of the process, then `fossick.env`. */
  readonly env?: NodeJS.ProcessEnv | undefined
}

/** The findings about one page. */
export interface Learned {
  readonly readers: Readers
  /** When the next request to the site may be made, on the `steadyNow()` clock; `null` if the usual pace applies. */
  readonly restUntil: number | null
}

/** An observer whose login failed at the start or during the run. */
export interface LostObserver {
  readonly name: string
  readonly error: Error
}

/** The logged-in observers of a source in one run. They find out who may read each page that the run reads. */
export class Observers implements AsyncDisposable {
  readonly #source: Source
  readonly #observations: Observations
  readonly #all: readonly OneObserver[]
  readonly #clock: Clock

  /** @returns null if the source has no observers. Observers that could not log in are included, but make no observations. */
  static async open(options: ObserversOptions): Promise<Observers | null> {
    const { db, source, reader, env = environment() } = options
    const lookers = lookersOf(source)
    const observations = new Observations(db, source)
    await observations.forgetOthers()
    if (lookers.length === 0) return null
    const all: OneObserver[] = []
    for (const one of lookers) all.push(await OneObserver.open(one, source, reader, env))
    return new Observers(options, observations, all)
  }

  private constructor(
    { source, clock = Date.now }: ObserversOptions,
    observations: Observations,
    all: readonly OneObserver[],
  ) {
    this.#source = source
    this.#observations = observations
    this.#all = all
    this.#clock = clock
  }

  /** The observers that could not check every page. */
  get lost(): readonly LostObserver[] {
    return this.#all.flatMap(({ observer, lost }) =>
      lost === null ? [] : [{ name: observer.name, error: lost }],
    )
  }

  /** Has the observers visit a page that was read, one after the other, and stores the observations. */
  async learn(reading: Reading, options: LookOptions): Promise<Learned> {
    const { url } = reading
    const lines = shownLines(reading.extracted)
    const text = digestOf(lines)
    const before = await this.#observations.of(url)
    const rows: Observation[] = []
    let restUntil: number | null = null
    for (const one of this.#all) {
      const look = await one.look({ reading, lines }, options)
      if (look.restUntil !== undefined) restUntil = Math.max(restUntil ?? 0, look.restUntil)
      const { name: observer } = one.observer
      const known = before.get(observer) ?? null
      const seen = { observer, identity: identityOf(one.observer), text }
      rows.push({ ...seen, ...this.#after(look, known, text) })
    }
    // A visit that was cut short reveals nothing about the page.
    if (options.signal?.aborted !== true) await this.#observations.keep(url, rows)
    return { readers: learnedReaders(this.#source, rows), restUntil }
  }

  /**
   * The observation after a visit. After a failed visit the previous observation is kept, for as many days as the
   * source sets and as long as the page has the same text, because the observer was never shown the new text.
   */
  #after(
    { kind, because }: Look,
    before: Observation | null,
    text: string,
  ): Pick<Observation, "shown" | "reason" | "at"> {
    const now = this.#clock()
    if (kind !== "unknown") return { shown: kind === "shown", reason: because, at: now }
    const couldNot = `could not look: ${because}`
    if (before === null) return { shown: false, reason: couldNot, at: now }
    const { shown, at } = before
    if (!shown) return { shown, reason: couldNot, at }
    if (at <= countsFrom(this.#source, now))
      return { shown: false, reason: `${couldNot}; it was shown the page too long ago`, at }
    if (before.text !== text)
      return { shown: false, reason: `${couldNot}; the page has changed since it was shown`, at }
    return { shown, reason: before.reason, at }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#all) await one[Symbol.asyncDispose]()
  }
}
