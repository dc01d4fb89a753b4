/** Number of files that a note names; the rest are only counted. */
const MAX_NAMED = 5

/** Files that could not be read while listing, combined into one note: `a.pdf, b.pdf and 3 more`. */
export class Troubles {
  readonly #named: string[] = []
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  add(trouble: string): void {
    this.#count += 1
    if (this.#named.length < MAX_NAMED) this.#named.push(trouble)
  }

  toString(): string {
    const more = this.#count - this.#named.length
    return this.#named.join(", ") + (more > 0 ? ` and ${more} more` : "")
  }
}
