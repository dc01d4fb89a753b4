interface Trouble {
  /** Times in a row that the host was tried in vain. */
  rounds: number
  notedAt: number
}

/**
 * Counts how often in a row hosts were tried in vain, so that one that has stopped answering does not keep a
 * crawl busy for days, address by address.
 */
export class HostFailures {
  readonly #hosts = new Map<string, Trouble>()

  /**
   * Notes a visit that got no answer, or was told to come back later. Visits made side by side fail together and
   * count once.
   * @returns the times in a row, this one included.
   */
  failed(host: string, startedAt: number, now: number): number {
    const trouble = this.#hosts.get(host)
    if (!trouble) {
      this.#hosts.set(host, { rounds: 1, notedAt: now })
      return 1
    }
    if (startedAt >= trouble.notedAt) {
      trouble.rounds += 1
      trouble.notedAt = now
    }
    return trouble.rounds
  }

  answered(host: string): void {
    this.#hosts.delete(host)
  }
}
