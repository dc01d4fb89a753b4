import { randomBytes } from "node:crypto"

import { pause } from "#base/flow/pause.ts"

/** A watched topic, with a way to read its current state. */
export interface EventTopic {
  readonly name: string
  readonly look: () => unknown
}

/** The state of a topic at some moment. */
export interface FeedEvent {
  /** Identifies the state of all topics after this event, within the lifetime of one process. */
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly data: string
}

/** A listener, called with changes in order. */
export type Listener = (event: FeedEvent) => void

/** Time between checks: running work changes about once a second. */
const LOOK_MS = 1000

/**
 * Checks topics while a client is listening, once for all clients, and sends those that changed. Each event contains
 * the whole topic, so the next event makes up for a missed one.
 */
export class EventFeed {
  readonly #topics: readonly EventTopic[]
  readonly #onProblem: (error: unknown) => void
  readonly #lookMs: number
  /** Events are numbered separately in each process. */
  readonly #life = randomBytes(4).toString("hex")
  readonly #latest = new Map<string, { readonly at: number; readonly data: string }>()
  readonly #listeners = new Set<Listener>()
  #count = 0
  #isLooking = false

  /** @param onProblem called with a topic that could not be read; the next check tries again */
  constructor(
    topics: readonly EventTopic[],
    {
      onProblem,
      lookMs = LOOK_MS,
    }: { readonly onProblem: (error: unknown) => void; readonly lookMs?: number },
  ) {
    this.#topics = topics
    this.#onProblem = onProblem
    this.#lookMs = lookMs
  }

  /**
   * Sends the changes since `after`, or the whole state if `after` is unknown, and then every change.
   * @returns a function that stops the listener
   */
  listen(listener: Listener, after: string | null = null): () => void {
    const seen = this.#countOf(after)
    for (const [name, { at, data }] of [...this.#latest].sort(([, a], [, b]) => a.at - b.at)) {
      if (at > seen) listener({ id: this.#id(at), name, data })
    }
    this.#listeners.add(listener)
    if (!this.#isLooking) void this.#look()
    return () => void this.#listeners.delete(listener)
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#listeners.size > 0) {
      for (const { name, look } of this.#topics) {
        try {
          this.#tell(name, JSON.stringify(await look()))
        } catch (error) {
          this.#onProblem(error)
        }
      }
      await pause(this.#lookMs)
    }
    this.#isLooking = false
  }

  #tell(name: string, data: string): void {
    if (this.#latest.get(name)?.data === data) return
    this.#count += 1
    this.#latest.set(name, { at: this.#count, data })
    for (const listener of this.#listeners) listener({ id: this.#id(this.#count), name, data })
  }

  #id(count: number): string {
    return `${this.#life}-${count}`
  }

  /** Returns 0 for events from another process. */
  #countOf(id: string | null): number {
    const [life, count] = id?.split("-") ?? []
    return life === this.#life && /^\d{1,15}$/.test(count ?? "") ? Number(count) : 0
  }
}
