/**
 * Versions of documents: when they were written, in microseconds, each higher than the one before. A write that comes late, from
 * a request that was given up or a process that was cut off, has a lower one than what is there, and changes nothing.
 *
 * Even ones are of pages as they are crawled; the odd one behind is of the vectors of that page, so they never replace those of a
 * page that was written since.
 */
export class Versions {
  #last: number

  /** @param last the highest that the index holds: a clock that was set back must not make new writes late ones */
  constructor(last: number) {
    this.#last = last
  }

  next(): number {
    const now = Math.floor(Date.now() * 500) * 2
    this.#last = Math.max(now, this.#last - (this.#last % 2) + 2)
    return this.#last
  }
}

/** Of the vectors of the page that was written with this one. */
export const withVectors = (version: number): number => version - (version % 2) + 1
