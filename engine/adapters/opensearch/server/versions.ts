import { randomInt } from "node:crypto"

/**
 * Versions of documents: when they were written, in microseconds, each higher than the one before. A write that comes late, from
 * a request that was given up or a process that was cut off, has a lower one than what is there, and changes nothing. Two
 * processes that write in one millisecond seldom come to the same, since each has a part of it of its own.
 *
 * Even ones are of pages as they are crawled; the odd one behind is of the vectors of that page, so they never replace those of a
 * page that was written since.
 */
export class Versions {
  readonly #part = 2 * randomInt(500)
  #last: number

  /** @param last the highest that the index holds: a clock that was set back must not make new writes late ones */
  constructor(last: number) {
    this.#last = last
  }

  /** @param above one that this is higher than: of another process, whose clock may be ahead */
  next(above = 0): number {
    const last = Math.max(this.#last, above)
    this.#last = Math.max(Date.now() * 1000 + this.#part, last - (last % 2) + 2)
    return this.#last
  }
}

/** Version of the vectors of the page that was written with this one. */
export const withVectors = (version: number): number => version - (version % 2) + 1
