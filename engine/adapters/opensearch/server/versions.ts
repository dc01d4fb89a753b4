import { randomInt } from "node:crypto"

/**
 * Versions of documents: the times when they were written, in microseconds, each higher than the one before. A write
 * that arrives late, from an abandoned request or a process that was cut off, has a lower version than the current one,
 * and changes nothing. Two processes that write in the same millisecond seldom get the same version, since each uses
 * its own part of the millisecond.
 *
 * Even versions belong to crawled pages; the odd version after each belongs to the vectors of that page, so vectors
 * never replace those of a page that has been written since.
 */
export class Versions {
  readonly #part = 2 * randomInt(500)
  #last: number

  /** @param last the highest version in the index: if the clock was set back, new writes must not seem late */
  constructor(last: number) {
    this.#last = last
  }

  /** @param above the version to exceed, which can come from another process whose clock is ahead */
  next(above = 0): number {
    const last = Math.max(this.#last, above)
    this.#last = Math.max(Date.now() * 1000 + this.#part, last - (last % 2) + 2)
    return this.#last
  }
}

/** The version of the vectors for a page written with the given version. */
export const withVectors = (version: number): number => version - (version % 2) + 1
