import type { Clock } from "#base/clock.ts"
import type { StateStore } from "#base/store/state-store.ts"
import type { Job } from "../../job.ts"
import { TrapStore } from "./trap-store.ts"
import { describeTrap, type Trap, Traps, type Yield } from "./traps.ts"

/** The traps of one run. It has less patience with traps found in earlier runs, and stores those that it finds. */
export class RunTraps {
  readonly #job: Pick<Job, "id" | "source">
  readonly #store: TrapStore
  readonly #traps: Traps
  readonly #onTrap: ((trap: string) => Promise<void>) | undefined

  private constructor(
    job: Pick<Job, "id" | "source">,
    store: TrapStore,
    traps: Traps,
    onTrap: ((trap: string) => Promise<void>) | undefined,
  ) {
    this.#job = job
    this.#store = store
    this.#traps = traps
    this.#onTrap = onTrap
  }

  /** `onTrap` gets a description of each trap, in words. */
  static async open(
    db: StateStore,
    clock: Clock,
    job: Pick<Job, "id" | "source">,
    onTrap?: (trap: string) => Promise<void>,
  ): Promise<RunTraps> {
    const store = new TrapStore(db, clock)
    const found = await store.of(job.source.name)
    const traps = new Traps(
      clock,
      found.map(({ key }) => key),
    )
    return new RunTraps(job, store, traps, onTrap)
  }

  /** The trap that an address belongs to, or null. */
  holding(url: string): Trap | null {
    return this.#traps.holding(url)
  }

  /** Whether a link to an address is worth following from any page. */
  isPlain(url: string): boolean {
    return this.#traps.isPlain(url)
  }

  /** Records what an address yielded, and stores any trap that this reveals. */
  async watch(url: string, given: Yield): Promise<void> {
    const trap = this.#traps.visited(url, given)
    if (!trap) return
    await this.#store.keep(this.#job.source.name, this.#job.id, trap)
    await this.#onTrap?.(describeTrap(trap))
  }
}
