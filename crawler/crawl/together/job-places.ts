/** Limits how many jobs run at a time. A job that can only wait gives up its place until it has something to do. */
export class JobPlaces {
  readonly total: number
  readonly #jobs = new Set<JobPlace>()

  constructor(places: number) {
    this.total = places
  }

  /** Number of places held by active jobs. */
  get held(): number {
    return [...this.#jobs].filter(({ isHeld }) => isHeld).length
  }

  /** Places for jobs that have not begun; jobs that gave up their place and want it back go first. */
  get free(): number {
    let taken = 0
    for (const { isHeld, isWanted } of this.#jobs) if (isHeld || isWanted) taken += 1
    return this.total - taken
  }

  /** Takes a place; the caller first checks whether one is {@link free}. */
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
  /** Whether the job gave up its place, and now has something to do again. */
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

  /** Requests the place again. @returns whether it is held now. */
  ask(): boolean {
    this.isHeld ||= this.#hasRoom()
    this.isWanted = !this.isHeld
    return this.isHeld
  }

  /** Call it when the job has ended. */
  [Symbol.dispose](): void {
    this.giveUp()
    this.#leave()
  }
}
