/** A run of a job; compared by reference. */
type Run = object

/**
 * Lets a page be read while no other page of any job is being read: a page that might crash the process must not cast
 * suspicion on others.
 */
export class Solitude {
  #visiting = 0
  /** The run whose page is being read alone. */
  #alone: Run | null = null
  /** The run that is waiting for all visits to end; until it is done, no other run may begin a visit. */
  #waiting: Run | null = null

  /** Whether a run may begin a visit. */
  mayBegin(run: Run): boolean {
    return this.#alone === null && (this.#waiting === null || this.#waiting === run)
  }

  /** Whether no page is being visited. */
  get isEmpty(): boolean {
    return this.#visiting === 0
  }

  begin(): void {
    this.#visiting += 1
  }

  /**
   * Begins a visit while no others are running. @returns false if it has to wait: then the next free moment is reserved
   * for the run.
   */
  beginAlone(run: Run): boolean {
    if (!this.mayBegin(run)) return false
    this.#waiting = this.isEmpty ? null : run
    if (this.#waiting !== null) return false
    this.#alone = run
    this.#visiting = 1
    return true
  }

  end(run: Run): void {
    this.#visiting -= 1
    if (this.#alone === run) this.#alone = null
  }

  /** Call this when a run has no more visits to begin. */
  leave(run: Run): void {
    if (this.#waiting === run) this.#waiting = null
  }
}
