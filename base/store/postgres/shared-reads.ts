import type { StateValue } from "../state-port.ts"
import type { Rows, Session, Sessions } from "./sessions.ts"

interface Read {
  readonly sql: string
  readonly values: readonly StateValue[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of reads sent to one session at a time: a slow read holds up those behind it. */
const AT_ONCE = 32

/**
 * Reads outside transactions. Each has its own session while sessions are free. Reads that have to wait share the next
 * free session, which sends them without waiting for answers in between, so that a distant server answers many in one
 * round trip.
 */
export class SharedReads {
  readonly #sessions: Pick<Sessions, "use">
  readonly #most: number
  #waiting: Read[] = []
  #readers = 0

  /** @param most maximum number of sessions that reads use at a time */
  constructor(sessions: Pick<Sessions, "use">, most: number) {
    this.#sessions = sessions
    this.#most = most
  }

  /** @throws PostgresError */
  run(sql: string, values: readonly StateValue[]): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sql, values, resolve, reject })
      if (this.#readers < this.#most) void this.#read()
    })
  }

  async #read(): Promise<void> {
    this.#readers += 1
    let own: Read[] = []
    try {
      await this.#sessions.use(async (session) => {
        own = this.#waiting.splice(0, AT_ONCE)
        await readAll(session, own)
      })
    } catch (error) {
      // No session was available, so no reads have been taken from the queue yet.
      if (own.length === 0) own = this.#waiting.splice(0, AT_ONCE)
      for (const { reject } of own) reject(error)
    } finally {
      this.#readers -= 1
      if (this.#waiting.length > 0 && this.#readers < this.#most) void this.#read()
    }
  }
}

/** A failed read does not affect the others. */
async function readAll(session: Session, reads: readonly Read[]): Promise<void> {
  await Promise.all(
    reads.map(({ sql, values, resolve, reject }) => session.run(sql, values).then(resolve, reject)),
  )
}
