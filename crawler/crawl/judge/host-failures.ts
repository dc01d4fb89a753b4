interface Trouble {
  /** Number of unsuccessful tries in a row. */
  tries: number
  notedAt: number
}

/** Counts unsuccessful tries in a row for each host, and knows which hosts have answered in this run. */
export class HostFailures {
  readonly #hosts = new Map<string, Trouble>()
  readonly #answered = new Set<string>()

  /**
   * Records a visit that got no answer, or was asked to come back later. Visits made at the same time fail together and
   * count once.
   * @param weight how many tries it counts as
   * @returns the tries in a row, including this one.
   */
  failed(host: string, startedAt: number, now: number, weight = 1): number {
    const trouble = this.#hosts.get(host)
    if (!trouble) {
      this.#hosts.set(host, { tries: weight, notedAt: now })
      return weight
    }
    if (startedAt >= trouble.notedAt) {
      trouble.tries += weight
      trouble.notedAt = now
    }
    return trouble.tries
  }

  /** Records that the host answered. @returns whether it had been in trouble */
  answered(host: string): boolean {
    this.#answered.add(host)
    return this.#hosts.delete(host)
  }

  /** Whether any host has answered in this run. */
  get hasAnyAnswered(): boolean {
    return this.#answered.size > 0
  }

  /** Whether the host has answered in this run. */
  hasAnswered(host: string): boolean {
    return this.#answered.has(host)
  }
}
