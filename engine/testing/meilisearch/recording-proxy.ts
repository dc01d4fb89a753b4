import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { type ApiRequest, type Change, type Read, neutral, understand, withoutPlace } from "./api-request.ts"
import { listen } from "./http.ts"
import { PlaceState } from "./index-state.ts"
import type { Answer, Recording } from "./recording.ts"

const POLL_MS = 3
/** Whether changes wait until no one has read for a while, or reads wait until the changes are done. */
export type Pace = "changes first" | "reads first" | "at random"
const QUIET_MS = 40
const LONGEST_WAIT_MS = 250

export interface RecordingProxy {
  readonly url: string
  close(): Promise<void>
}

/**
 * A proxy in front of a real server that records its answers. An index isn't read while it is changing, so that the
 * state behind every answer is known; `pace` decides whether reads or changes wait.
 */
export async function startRecording(
  server: { readonly url: string; readonly key: string | undefined },
  recording: Recording,
  pace: Pace,
): Promise<RecordingProxy> {
  const proxy = new Proxy(server, recording, pace)
  const { url, close } = await listen((request, authorization) => proxy.answer(request, authorization))
  return {
    url,
    close: async () => {
      await close()
      await proxy.close()
    },
  }
}

class Place {
  readonly state = new PlaceState()
  reads = 0
  changes = 0
  lastRead = 0
  /** The tasks of a place finish in the order they were queued. */
  tasks: Promise<unknown> = Promise.resolve()
}

class Proxy {
  readonly #pool: Pool
  readonly #key: string | undefined
  readonly #recording: Recording
  readonly #pace: Pace
  readonly #places = new Map<string, Place>()
  readonly #unfinished = new Map<number, Promise<unknown>>()

  constructor(server: { url: string; key: string | undefined }, recording: Recording, pace: Pace) {
    this.#pool = new Pool(server.url, { connections: 32 })
    this.#key = server.key
    this.#recording = recording
    this.#pace = pace
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async answer(asked: ApiRequest, authorization: string | undefined): Promise<Answer> {
    const { request, place: name } = withoutPlace(asked)
    const understood = understand(request)
    const forward = () => this.#forward(asked, authorization)
    switch (understood.kind) {
      case "task":
        // No client may see that a task is done before the state includes it.
        await this.#unfinished.get(understood.uid)
        return forward()
      case "tasks":
        return forward()
      case "read":
        return this.#asking(name, forward, (answer) => [[understood.read, answer]])
      case "documents":
        return this.#asking(name, forward, (answer) => {
          // If the index doesn't exist, nothing is known about its documents.
          if (answer.status !== 200) throw new Error(`This cannot be recorded: ${answer.body}`)
          const documents = documentsIn(answer)
          return understood.reads.map((read) => [read, documents.get(read.document!) ?? NOTHING])
        })
      case "reads":
        return this.#asking(name, forward, (answer) =>
          answer.status === 200
            ? resultsOf(answer).map((result, i) => [understood.reads[i]!, result])
            : [[understood.whole, answer]],
        )
      case "change":
        if (name === null) break
        return this.#changing(this.#place(name), understood.change, understood.key, asked, forward)
    }
    const { method, path, body } = request
    throw new Error(
      `This cannot be recorded, since it cannot be replayed: ${method} ${path} ${body.slice(0, 300)}`,
    )
  }

  async #asking(
    name: string | null,
    forward: () => Promise<Answer>,
    split: (answer: Answer) => ReadonlyArray<readonly [Read, Answer]>,
  ): Promise<Answer> {
    const place = this.#place(name ?? "")
    while (place.changes > 0) await sleep(POLL_MS)
    place.reads++
    place.lastRead = performance.now()
    try {
      const answer = await forward()
      if (answer.status >= 500) return answer
      for (const [read, part] of split(answer)) {
        const state = read.index === null ? null : place.state.stateOf(read.index)
        this.#recording.keepAnswer(read, state, withoutChance(part))
      }
      return answer
    } finally {
      place.reads--
      place.lastRead = performance.now()
    }
  }

  async #changing(
    place: Place,
    change: Change,
    key: string,
    asked: ApiRequest,
    forward: () => Promise<Answer>,
  ): Promise<Answer> {
    await this.#turn(place)
    place.changes++
    const answer = await forward().catch((error: unknown) => {
      place.changes--
      throw error
    })
    const index = PlaceState.indexesOf(change)[0]!
    if (answer.status !== 202) {
      this.#recording.keepOutcome(key, place.state.stateOf(index), {
        refused: { status: answer.status, body: neutral(answer.body) },
      })
      place.changes--
      return answer
    }
    const { taskUid } = JSON.parse(answer.body) as { taskUid: number }
    const before = place.tasks
    const ended = (async () => {
      await before
      try {
        await this.#ended(place, change, key, taskUid, asked)
      } finally {
        place.changes--
        this.#unfinished.delete(taskUid)
      }
    })()
    place.tasks = ended.catch(() => undefined)
    this.#unfinished.set(taskUid, ended)
    return answer
  }

  /** Waits until nobody is reading, and a while longer if reads have priority. */
  async #turn(place: Place): Promise<void> {
    const began = performance.now()
    const quiet = this.#pace === "reads first" ? QUIET_MS : 0
    if (this.#pace === "at random") await sleep(Math.random() * QUIET_MS)
    while (
      place.reads > 0 ||
      (performance.now() - place.lastRead < quiet && performance.now() - began < LONGEST_WAIT_MS)
    ) {
      await sleep(POLL_MS)
    }
  }

  async #ended(place: Place, change: Change, key: string, uid: number, asked: ApiRequest): Promise<void> {
    const task = await this.#task(uid)
    const index = PlaceState.indexesOf(change)[0]!
    const before = place.state.stateOf(index)
    if (task.status !== "succeeded") {
      this.#recording.keepOutcome(key, before, {
        error: JSON.parse(neutral(JSON.stringify(task.error))) as unknown,
      })
      return
    }
    let removed: string[] = []
    if (change.kind === "documents" && change.change.kind === "remove found") {
      const left = await this.#ids(asked, place.state.primaryKey(index))
      removed = place.state.ids(index).filter((id) => !left.has(id))
      this.#recording.keepOutcome(key, before, { removed })
    } else {
      this.#recording.keepOutcome(key, before, {})
    }
    this.#recording.keepSuccessions(place.state.apply(change, removed))
    for (const changed of PlaceState.indexesOf(change))
      this.#recording.keepState(place.state.stateOf(changed))
  }

  async #task(uid: number): Promise<{ status: string; error: unknown }> {
    for (;;) {
      const { body } = await this.#forward(
        { method: "GET", path: `/tasks/${uid}`, body: "" },
        this.#authorization,
      )
      const task = JSON.parse(body) as { status: string; error: unknown }
      if (task.status !== "enqueued" && task.status !== "processing") return task
      await sleep(POLL_MS)
    }
  }

  async #ids(asked: ApiRequest, primaryKey: string): Promise<Set<string>> {
    const path = asked.path.replace(/\/delete(\?.*)?$/, "/fetch")
    const body = JSON.stringify({ fields: [primaryKey], limit: 1_000_000 })
    const answer = await this.#forward({ method: "POST", path, body }, this.#authorization)
    const { results } = JSON.parse(answer.body) as { results: Array<Record<string, unknown>> }
    return new Set(results.map((document) => String(document[primaryKey])))
  }

  get #authorization(): string | undefined {
    return this.#key ? `Bearer ${this.#key}` : undefined
  }

  async #forward({ method, path, body }: ApiRequest, authorization: string | undefined): Promise<Answer> {
    const response = await this.#pool.request({
      method,
      path,
      headers: { "content-type": "application/json", ...(authorization ? { authorization } : {}) },
      ...(body === "" ? {} : { body }),
    })
    return { status: response.statusCode, body: await response.body.text() }
  }

  #place(name: string): Place {
    const known = this.#places.get(name)
    if (known) return known
    const made = new Place()
    this.#places.set(name, made)
    return made
  }
}

const NOTHING: Answer = { status: 200, body: "null" }

/** The documents in an answer, by id. */
function documentsIn({ body }: Answer): Map<string, Answer> {
  const { results } = JSON.parse(body) as { results: Array<{ id: string }> }
  return new Map(results.map((document) => [document.id, { status: 200, body: JSON.stringify(document) }]))
}

/** The answer to each query of a multi-search. */
function resultsOf({ body }: Answer): readonly Answer[] {
  const { results } = JSON.parse(body) as { results: object[] }
  return results.map((result) => ({ status: 200, body: JSON.stringify(result) }))
}

/** Removes parts that differ each time, so that equal answers are stored once. */
function withoutChance({ status, body }: Answer): Answer {
  return {
    status,
    body: neutral(body)
      .replaceAll(/"processingTimeMs":\d+/g, '"processingTimeMs":1')
      .replaceAll(/"requestUid":"[^"]*"/g, '"requestUid":"00000000-0000-0000-0000-000000000000"'),
  }
}
