import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Job } from "../../job.ts"
import { TrapStore } from "./trap-store.ts"
import { describeTrap, type Trap, Traps, type Yield } from "./traps.ts"

/** The traps of one run: it has less patience with those of earlier runs, and keeps what it finds. */
export class RunTraps {
  readonly #job: Pick<Job, "id" | "source">
  readonly #store: TrapStore
  readonly #traps: Traps
  readonly #onTrap: ((trap: string) => void) | undefined

  /** `onTrap` is told of each trap in words. */
  constructor(
    db: StateStore,
    clock: Clock,
    job: Pick<Job, "id" | "source">,
    onTrap?: (trap: string) => void,
  ) {
    this.#job = job
    this.#onTrap = onTrap
    this.#store = new TrapStore(db, clock)
    this.#traps = new Traps(
      clock,
      this.#store.of(job.source.name).map(({ key }) => key),
    )
  }

  /** The trap that an address belongs to, or null. */
  holding(url: string): Trap | null {
    return this.#traps.holding(url)
  }

  /** Whether a link to an address is worth following for its own sake. */
  isPlain(url: string): boolean {
    return this.#traps.isPlain(url)
  }

  /** Takes down what an address gave, and keeps the trap that shows by it. */
  watch(url: string, given: Yield): void {
    const trap = this.#traps.visited(url, given)
    if (!trap) return
    this.#store.keep(this.#job.source.name, this.#job.id, trap)
    this.#onTrap?.(describeTrap(trap))
  }
}
