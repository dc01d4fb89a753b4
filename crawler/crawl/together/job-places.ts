/** How many jobs are worked on at a time. A job that has nothing to do but to wait gives its place up until it has. */
export class JobPlaces {
  readonly total: number
  readonly #jobs = new Set<JobPlace>()

  constructor(places: number) {
    this.total = places
  }

  /** Places of jobs that are at work. */
  get held(): number {
    return [...this.#jobs].filter(({ isHeld }) => isHeld).length
  }

  /** Places for jobs that are yet to begin; those that were given up, and are asked for again, go first. */
  get free(): number {
    let taken = 0
    for (const { isHeld, isWanted } of this.#jobs) if (isHeld || isWanted) taken += 1
    return this.total - taken
  }

  /** Takes a place; who begins a job looks first whether one is {@link free}. */
  take(): JobPlace {
    const place = new JobPlace(
      () => this.held < this.total,
      () => this.#jobs.delete(place),
    )
    this.#jobs.add(place)
    return place
  }
}

/** The place of one job. */
export class JobPlace implements Disposable {
  isHeld = true
  /** It was given up, and the job has something to do again. */
  isWanted = false
  readonly #hasRoom: () => boolean
  readonly #leave: () => void

  constructor(hasRoom: () => boolean, leave: () => void) {
    this.#hasRoom = hasRoom
    this.#leave = leave
  }

  giveUp(): void {
    this.isHeld = false
    this.isWanted = false
  }

  /** Asks for it again. @returns whether it is held now. */
  ask(): boolean {
    this.isHeld ||= this.#hasRoom()
    this.isWanted = !this.isHeld
    return this.isHeld
  }

  /** The job is over. */
  [Symbol.dispose](): void {
    this.giveUp()
    this.#leave()
  }
}
