import { setTimeout as sleep } from "node:timers/promises"
import {
  type ApiRequest,
  type Change,
  NEUTRAL,
  ofPlace,
  type Read,
  understand,
  withoutPlace,
} from "./api-request.ts"
import { listen } from "./http.ts"
import { PlaceState } from "./index-state.ts"
import type { Answer, Outcome, Recording } from "./recording.ts"

/** Milliseconds that a change takes, so that a writer doesn't get further ahead than it did while it was recorded; a real server takes longer. */
const CHANGE_MS = 2
const SHOWN_CHARS = 600
const TASK_TYPES = {
  create: "indexCreation",
  delete: "indexDeletion",
  swap: "indexSwap",
  settings: "settingsUpdate",
} as const

export interface ReplayServer {
  readonly url: string
  /** Number of answers that were recorded in a state of the index other than the current one. */
  readonly fromNeighbours: number
  /** Forgets all indexes of a place. @throws Error naming the place's requests that aren't in the recording. */
  forget(place: string): void
  close(): Promise<void>
}

/**
 * Answers like a recorded Meilisearch. It understands changes just enough to know which documents an index holds; reads
 * are answered from the recording, or with an error if they weren't recorded.
 */
export async function startReplay(recording: Recording, currentSuite: string): Promise<ReplayServer> {
  const replay = new Replay(recording, currentSuite)
  const { url, close } = await listen((request) => replay.answer(request))
  return {
    url,
    get fromNeighbours() {
      return replay.fromNeighbours
    },
    forget: (place) => replay.forget(place),
    close,
  }
}

class NotRecorded extends Error {}

class Replay {
  readonly #recording: Recording
  readonly #currentSuite: string
  readonly #places = new Map<string, PlaceState>()
  readonly #tasks: object[] = []
  readonly #unknown = new Map<string, string[]>()
  fromNeighbours = 0

  constructor(recording: Recording, currentSuite: string) {
    this.#recording = recording
    this.#currentSuite = currentSuite
  }

  forget(place: string): void {
    this.#places.delete(place)
    const unknown = [...(this.#unknown.get(place) ?? []), ...(this.#unknown.get("") ?? [])]
    this.#unknown.delete(place)
    this.#unknown.delete("")
    if (unknown.length > 0) throw new Error(unknown[0])
  }

  async answer(asked: ApiRequest): Promise<Answer> {
    const { request, place } = withoutPlace(asked)
    try {
      const { status, body } = await this.#answer(request, this.#stateOf(place))
      return { status, body: ofPlace(body, place) }
    } catch (error) {
      if (!(error instanceof NotRecorded)) throw error
      const message = this.#complaint(request, error.message)
      const known = this.#unknown.get(place ?? "") ?? []
      this.#unknown.set(place ?? "", [...known, message])
      return json(501, { message, code: "not_recorded", type: "internal", link: "" })
    }
  }

  async #answer(request: ApiRequest, state: PlaceState): Promise<Answer> {
    const understood = understand(request)
    switch (understood.kind) {
      case "read":
        return this.#read(understood.read, state)
      case "documents": {
        const found = understood.reads
          .map((read) => this.#read(read, state).body)
          .filter((body) => body !== "null")
        const { limit } = understood
        return {
          status: 200,
          body: `{"results":[${found.join()}],"offset":0,"limit":${limit},"total":${found.length}}`,
        }
      }
      case "reads": {
        const { whole } = understood
        const refused = this.#recording.answerTo(
          whole,
          whole.index === null ? null : state.stateOf(whole.index),
        )
        if (refused?.exact) return refused.answer
        const answers = understood.reads.map((read) => this.#read(read, state))
        return { status: 200, body: `{"results":[${answers.map(({ body }) => body).join()}]}` }
      }
      case "change": {
        await sleep(CHANGE_MS)
        return this.#change(understood.change, understood.key, state)
      }
      case "task": {
        const task = this.#tasks[understood.uid]
        if (!task) throw new NotRecorded("a task of this number")
        return json(200, task)
      }
      case "tasks":
        // Every task is done as soon as it is queued, so none is ever under way.
        return json(200, { results: [], total: 0, limit: 20, from: null, next: null })
    }
    throw new NotRecorded("requests of this kind, which cannot be replayed")
  }

  #read(read: Read, state: PlaceState): Answer {
    const found = this.#recording.answerTo(read, read.index === null ? null : state.stateOf(read.index))
    if (!found) throw new NotRecorded("this request")
    if (!found.exact) this.fromNeighbours++
    return found.answer
  }

  #change(change: Change, key: string, state: PlaceState): Answer {
    const indexes = PlaceState.indexesOf(change)
    const before = state.stateOf(indexes[0]!)
    const outcome: Outcome = this.#recording.outcomeOf(key, before) ?? {}
    if (outcome.refused) return outcome.refused
    if (outcome.error === undefined) {
      if (change.kind === "documents" && change.change.kind === "remove found" && !outcome.removed) {
        throw new NotRecorded("this deletion by a filter")
      }
      for (const [, made] of state.apply(change, outcome.removed)) {
        if (made && !this.#recording.knowsDocument(made)) {
          throw new NotRecorded(`document ${made.id} as it is written here`)
        }
      }
      for (const index of indexes) {
        const { exists, shape } = state.stateOf(index)
        if (exists && !this.#recording.knowsShape(shape)) {
          throw new NotRecorded("an index with these settings")
        }
      }
    }
    const at = new Date().toISOString()
    const type = taskType(change)
    const uid = this.#tasks.length
    const indexUid = change.kind === "swap" ? null : change.index
    this.#tasks.push({
      uid,
      batchUid: uid,
      indexUid,
      type,
      status: outcome.error === undefined ? "succeeded" : "failed",
      canceledBy: null,
      details: {},
      error: outcome.error ?? null,
      duration: "PT0.001S",
      enqueuedAt: at,
      startedAt: at,
      finishedAt: at,
    })
    return json(202, { taskUid: uid, indexUid, status: "enqueued", type, enqueuedAt: at })
  }

  #stateOf(place: string | null): PlaceState {
    const name = place ?? ""
    const known = this.#places.get(name)
    if (known) return known
    const made = new PlaceState()
    this.#places.set(name, made)
    return made
  }

  #complaint({ method, path, body }: ApiRequest, what: string): string {
    const { server, date, suite } = this.#recording
    const changed = suite === this.#currentSuite ? "" : " The contract suite has changed since."
    const shown = `${method} ${path.replace(NEUTRAL, "...")} ${body.slice(0, SHOWN_CHARS)}`
    return (
      `The conversation with Meilisearch ${server} that was recorded on ${date} lacks ${what}: ${shown}\n` +
      `${changed} Record it again: MEILI_URL=<address of a server> npm run record:meilisearch`
    )
  }
}

function taskType(change: Change): string {
  if (change.kind === "documents")
    return change.change.kind === "add" ? "documentAdditionOrUpdate" : "documentDeletion"
  return TASK_TYPES[change.kind]
}

function json(status: number, body: object): Answer {
  return { status, body: JSON.stringify(body) }
}
