import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Send, send } from "../../adapters/meilisearch/server/send.ts"
import { openMeilisearch } from "#engine/adapters/meilisearch/meilisearch-engine.ts"
import type { EmbedOptions, Embedder } from "#engine/embedder.ts"
import type { Engine } from "#engine/engine.ts"
import type { AdapterUnderTest } from "../contract/stage.ts"
import { HashingEmbedder } from "../hashing-embedder.ts"
import type { TestServer } from "./test-server.ts"

/** Everything that a child process needs to open the same index; a place is this object as JSON. */
interface Place {
  readonly url: string
  readonly key: string
  readonly name: string
  readonly kind: TestServer["kind"]
}

/**
 * The Meilisearch engine for the contract suite, with separate indexes on a server.
 *
 * On a real server everything runs concurrently, as in the appliance. During recording and replay, pages get vectors
 * only while a story is waiting for them: otherwise the requests would depend on timing, and no number of recordings
 * would cover them all. During recording, closing an engine waits for all vectors, so that the requests for them are
 * recorded however soon a story ends.
 */
export function onServer(server: TestServer, killedAfter?: number): AdapterUnderTest {
  return {
    ...adapter,
    ...(killedAfter !== undefined && { killedAfter }),
    isRecorded: server.kind !== "real",
    freshPlace: async () => {
      const { url, key = "", kind } = server
      return JSON.stringify({ url, key, name: server.freshPlace(), kind } satisfies Place)
    },
    removePlace: async (place) => {
      const { name } = JSON.parse(place) as Place
      await rm(lockDir(name), { recursive: true, force: true })
      await server.removePlace(name)
    },
  }
}

const noServer = () => Promise.reject(new Error("Only a process with a server makes places."))

/** For child processes: they open the place they are given. */
export const adapter: AdapterUnderTest = {
  module: import.meta.url,
  freshPlace: noServer,
  removePlace: noServer,
  open: async (place, { mode = "write", embedder = new HashingEmbedder(), embedding = "on" } = {}) => {
    const { url, key, name, kind } = JSON.parse(place) as Place
    const options = { url, key, name, lockDir: lockDir(name), mode, embedding }
    if (kind === "real") return openMeilisearch({ ...options, embedder })
    const patient = new PatientEmbedder(embedder)
    const engine = await openMeilisearch({ ...options, embedder: patient, send: patient.send })
    const close = engine[Symbol.asyncDispose].bind(engine)
    return Object.assign(patient.during(engine), {
      async [Symbol.asyncDispose]() {
        if (kind === "recording" && mode === "write") await engine.settled().catch(() => undefined)
        patient.letPass()
        await close()
      },
    })
  },
}

/** The request that the adapter's queue uses to fetch pages. */
const ASKS_WHO_WAITS = /\/documents\/fetch \{.*waiting = true/
const lockDir = (name: string) => path.join(tmpdir(), `fossick-${name}`)

/** Looks for pages without vectors, and embeds them, only while a story is waiting for vectors and isn't writing. */
class PatientEmbedder implements Embedder {
  readonly send: Send = async (url, init) => {
    const { body, signal } = init
    if (typeof body === "string" && ASKS_WHO_WAITS.test(`${url} ${body}`)) await this.#quiet(signal)
    return await send(url, init)
  }

  readonly id: string
  readonly dimensions: number
  readonly #embedder: Embedder
  #writing = 0
  #awaited = 0
  #passes = false

  constructor(embedder: Embedder) {
    this.id = embedder.id
    this.dimensions = embedder.dimensions
    this.#embedder = embedder
  }

  during<T extends Engine>(engine: T): T {
    const index = engine.index.bind(engine)
    const load = engine.load.bind(engine)
    const remove = engine.remove.bind(engine)
    const settled = engine.settled.bind(engine)
    const writing =
      <T>(write: (some: T) => Promise<void>) =>
      async (some: T): Promise<void> => {
        this.#writing++
        try {
          await write(some)
        } finally {
          this.#writing--
        }
      }
    return Object.assign(engine, {
      index: writing(index),
      load: writing(load),
      remove: writing(remove),
      settled: async () => {
        this.#awaited++
        try {
          await settled()
        } finally {
          this.#awaited--
        }
      },
    })
  }

  /** From now on no vectors are held back: an engine being closed finishes its work. */
  letPass(): void {
    this.#passes = true
  }

  async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    if (options?.priority === "index") await this.#quiet(options.signal)
    return this.#embedder.embed(texts, options)
  }

  async #quiet(signal: AbortSignal | null | undefined): Promise<void> {
    while (!this.#passes && (this.#writing > 0 || this.#awaited === 0)) {
      signal?.throwIfAborted()
      await sleep(2)
    }
  }

  tokenVectors(...args: Parameters<Embedder["tokenVectors"]>): ReturnType<Embedder["tokenVectors"]> {
    return this.#embedder.tokenVectors(...args)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#embedder[Symbol.asyncDispose]()
  }
}
