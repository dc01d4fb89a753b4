/** The rate is measured over the last few seconds, so that it follows a site that slows down. */
const WINDOW_MS = 10_000
/** Number of samples shown in the chart: two minutes, with one sample every two seconds. */
const SHOWN = 60

export interface Measured {
  /** Visits per second; null before there are two samples. */
  readonly perSecond: number | null
  /** The rate at each earlier sample, oldest first. */
  readonly before: readonly number[]
}

/** Turns the number of visits a run has made so far into a rate. */
export class Meter {
  #samples: readonly { readonly at: number; readonly done: number }[] = []
  #rates: readonly number[] = []

  /**
   * @param done number of visits that have ended
   * @param at milliseconds of a monotonic clock
   */
  measure(done: number, at: number): Measured {
    const kept = this.#samples.filter((sample, index) => {
      const isLastBefore = (this.#samples[index + 1]?.at ?? at) > at - WINDOW_MS
      return sample.at > at - WINDOW_MS || isLastBefore
    })
    this.#samples = [...kept, { at, done }]
    const first = this.#samples[0]!
    const seconds = (at - first.at) / 1000
    if (seconds <= 0) return { perSecond: null, before: this.#rates }
    const perSecond = Math.max(0, done - first.done) / seconds
    this.#rates = [...this.#rates, perSecond].slice(-SHOWN)
    return { perSecond, before: this.#rates }
  }
}
