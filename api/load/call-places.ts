import { ApiError } from "../errors.ts"

/** One key may have so much of the places, so that it never takes them all. */
const SHARE_OF_KEY = 2
const RETRY_SECONDS = 5

/** Calls that may be under way at once, of all keys, and half of them of one: for calls that take long. */
export class CallPlaces {
  /** How many there are. */
  readonly places: number
  readonly #taken = new Map<string, number>()
  #all = 0
  #shed = 0

  /** @param places at least 1 */
  constructor(places: number) {
    this.places = places
  }

  /** Calls under way. */
  get taken(): number {
    return this.#all
  }

  /** Calls refused since the start. */
  get shed(): number {
    return this.#shed
  }

  /**
   * Takes a place.
   * @returns gives it back; later calls of it do nothing
   * @throws ApiError 429 with `Retry-After` when there is none
   */
  enter(key: string): () => void {
    const ofKey = this.#taken.get(key) ?? 0
    if (this.#all >= this.places || ofKey >= Math.ceil(this.places / SHARE_OF_KEY)) {
      this.#shed++
      const text = `Too many extract, crawl and map calls are under way. Try again in ${RETRY_SECONDS} s.`
      throw new ApiError(429, text, {}, { "Retry-After": String(RETRY_SECONDS) })
    }
    this.#all++
    this.#taken.set(key, ofKey + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#all--
      const left = this.#taken.get(key)! - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
    }
  }
}
