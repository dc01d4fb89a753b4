import path from "node:path"
import type { Worker } from "node:worker_threads"
import { APPLIANCE, callerHere } from "#base/flow/caller.ts"
import { FairQueue } from "#base/flow/fair-queue.ts"
import type { EmbedOptions, Embedder, ModelTraits, TokenVectors } from "../../embedder.ts"
import { EngineError } from "../../errors.ts"
import type { FromWorker, Purpose, ToWorker } from "./embed-protocol.ts"
import { ModelOutage } from "../servers/availability.ts"
import { brokenInWords } from "./awaited-embedder.ts"
import { fetchModel } from "./model-hub.ts"
import { type ModelFolder, readModelFolder } from "./model-folder.ts"
import { leaveThread, takeThread } from "./model-threads.ts"
import { sparingThreads, threadsFor } from "./thread-count.ts"

export { shippedModel } from "../../shipped-models.ts"

export interface TransformersOptions {
  /** A model folder, or a hub id (`owner/name`) when `hub` is given. */
  readonly model: string
  /** Base address of a model hub. Without it nothing is ever fetched. */
  readonly hub?: string
  /** Where models from the hub are kept. */
  readonly cacheDir?: string
  /** Maximum number of texts embedded at the same time; 0 for the number that `thread-count.ts` determines. */
  readonly threads: number
  /** Default `answers`. */
  readonly purpose?: Purpose
}

type Result = Extract<FromWorker, { kind: "vector" | "tokens" }>

interface Job {
  readonly kind: "embed" | "tokens"
  readonly text: string
  readonly prefix: string
  readonly sparing: boolean
  readonly withTokens: boolean
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  /** Set when no caller is waiting for the vector any more. */
  dropped: boolean
  /** Number of threads that died while working on the text. */
  losses: number
}

interface Thread {
  readonly worker: Worker
  state: "loading" | "ready" | "ended"
  /** Texts sent to the thread and not answered yet, in order. */
  readonly jobs: Job[]
}

/** Number of threads that a text may lose: one can die for another reason (for example because memory ran out), but a second loss is the text's own fault. */
const MOST_LOSSES = 1
/**
 * Number of page texts given to a thread at a time: with the next one ready, it doesn't wait for a busy event loop, and
 * a question waits for at most this many texts.
 */
const TEXTS_AT_HAND = 2

/**
 * Embeds texts on worker threads with transformers.js.
 *
 * Each call embeds one text: an int8 vector depends on the texts in the same batch, and single texts on several threads
 * are faster than padded batches. Threads start when there is work and stay, without keeping the process alive:
 * `model-threads.ts` explains why.
 */
export class TransformersEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly traits: ModelTraits
  readonly #model: ModelFolder
  readonly #limit: number
  /** Number of threads that may work on sparing texts. */
  readonly #sparing: number
  readonly #purpose: Purpose
  /** Texts whose thread died; they go first. */
  readonly #lost: Job[] = []
  /** Callers take turns, text by text. */
  readonly #queries = new FairQueue<Job>()
  readonly #texts = new FairQueue<Job>()
  readonly #threads = new Set<Thread>()
  /** The reason why the model can't be loaded; each retry would leave another thread that can't end. */
  #unusable: ModelOutage | undefined
  #closed = false

  private constructor(model: ModelFolder, threads: number, purpose: Purpose) {
    this.id = model.id
    this.dimensions = model.dimensions
    this.traits = model.traits
    this.#model = model
    this.#limit = threads
    this.#sparing = sparingThreads(threads)
    this.#purpose = purpose
  }

  /** @throws EngineError `MODEL_UNAVAILABLE` */
  static async open(options: TransformersOptions): Promise<TransformersEmbedder> {
    const folder = options.hub
      ? await fetchModel({
          hub: options.hub,
          model: options.model,
          cacheDir: options.cacheDir ?? "index-data/models",
        })
      : options.model
    const model = await readModelFolder(folder)
    const threads = options.threads || (await threadsFor(model.setup))
    return new TransformersEmbedder(model, threads, options.purpose ?? "answers")
  }

  /** The reason why the model can't be loaded; undefined if none is known. */
  get outage(): string | undefined {
    return this.#unusable?.because
  }

  async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    const results = await this.#results("embed", texts, options)
    const made = results.filter((result) => result.kind === "vector")
    options?.onTokens?.(made.reduce((sum, { tokensRead }) => sum + tokensRead, 0))
    for (const { tokens } of made) if (tokens) options?.onTokenVectors?.(tokens)
    return made.map(({ vector }) => vector)
  }

  async tokenVectors(texts: readonly string[], options?: EmbedOptions): Promise<TokenVectors[]> {
    const results = await this.#results("tokens", texts, options)
    return results.flatMap((result) => (result.kind === "tokens" ? [result.tokens] : []))
  }

  async #results(
    kind: Job["kind"],
    texts: readonly string[],
    { as = "passage", priority = "index", sparing = false, onTokenVectors, signal }: EmbedOptions = {},
  ): Promise<Result[]> {
    signal?.throwIfAborted()
    if (this.#closed) throw closedError()
    if (this.#unusable) throw this.#unusable
    const queue = priority === "query" ? this.#queries : this.#texts
    const how = { prefix: this.#model.prefixes[as], sparing, withTokens: onTokenVectors !== undefined }
    const jobs: Job[] = []
    const caller = callerHere() ?? APPLIANCE
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => aborted.reject(signal?.reason)
    signal?.addEventListener("abort", onAbort, { once: true })
    try {
      const results = texts.map(
        (text) =>
          new Promise<Result>((resolve, reject) => {
            jobs.push({ kind, text, ...how, resolve, reject, dropped: false, losses: 0 })
          }),
      )
      for (const job of jobs) queue.push(caller, job)
      this.#dispatch()
      return await Promise.race([Promise.all(results), aborted.promise])
    } catch (error) {
      for (const job of jobs) {
        job.dropped = true
        queue.delete(caller, job)
      }
      throw error
    } finally {
      signal?.removeEventListener("abort", onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#rejectWaiting(closedError())
    for (const { jobs } of this.#threads) for (const job of jobs.splice(0)) job.reject(closedError())
    await Promise.all(
      [...this.#threads].map(({ worker }) => leaveThread(this.#model.setup, this.#purpose, worker)),
    )
  }

  #dispatch(): void {
    const lost = this.#lost.splice(0).filter(({ dropped }) => !dropped)
    this.#lost.push(...lost)
    const ready = [...this.#threads].filter(({ state }) => state === "ready")
    // A second text is given to a thread only if no other thread could take it.
    const most = ready.length < this.#limit ? 1 : TEXTS_AT_HAND
    for (let held = 0; held < most; held++) {
      for (const [at, thread] of ready.entries()) {
        if (thread.jobs.length > held) continue
        const isSpared = this.#texts.peek()?.sparing && at >= this.#sparing
        const job =
          this.#lost.shift() ?? this.#queries.shift() ?? (isSpared ? undefined : this.#texts.shift())
        if (!job) break
        run(thread, job)
      }
    }
    const waiting = this.#lost.length + this.#queries.length + this.#texts.length
    let loading = this.#threads.size - ready.length
    while (loading < waiting && this.#threads.size < this.#limit) {
      this.#startThread()
      loading++
    }
  }

  #startThread(): void {
    const worker = takeThread(this.#model.setup, this.#purpose)
    const thread: Thread = { worker, state: "loading", jobs: [] }
    this.#threads.add(thread)
    worker.on("message", (message: FromWorker) => this.#onMessage(thread, message))
    worker.on("error", (error) => this.#onLoss(thread, error))
    worker.on("exit", () => this.#onLoss(thread, new Error("The embedding thread ended.")))
    worker.postMessage({ kind: "ready?" } satisfies ToWorker)
  }

  #onMessage(thread: Thread, message: FromWorker): void {
    if (message.kind === "unusable") {
      const what = `Cannot load the embedding model in ${this.#model.setup.folder}: ${message.message}. Check the folder, or leave FOSSICK_MODEL empty for the model that ships with Fossick.`
      this.#forget(thread)
      thread.worker.unref()
      this.#unusable = new ModelOutage(brokenInWords(path.basename(this.#model.setup.folder)), what)
      this.#rejectWaiting(this.#unusable)
      return
    }
    const job = message.kind === "ready" ? undefined : thread.jobs.shift()
    if (message.kind === "vector" || message.kind === "tokens") job?.resolve(message)
    if (message.kind === "failed")
      job?.reject(new EngineError("MODEL_UNAVAILABLE", `Embedding failed: ${message.message}`))
    if (thread.state === "ended") return
    thread.state = "ready"
    // Waits for work without keeping the process alive.
    if (thread.jobs.length === 0) thread.worker.unref()
    this.#dispatch()
  }

  /** Handles the death of a thread: its texts go to another thread, first in line. Only the first of them was being worked on. */
  #onLoss(thread: Thread, error: Error): void {
    const wasLoading = thread.state === "loading"
    const expected = !this.#forget(thread)
    const jobs = thread.jobs.splice(0)
    const [inWork] = jobs
    if (inWork && ++inWork.losses > MOST_LOSSES) jobs.shift()!.reject(error)
    this.#lost.push(...jobs)
    if (expected || this.#closed) return
    if (wasLoading) {
      const what = `The embedding thread ended while it loaded the model: ${error.message}`
      this.#rejectWaiting(new EngineError("MODEL_UNAVAILABLE", what, { cause: error }))
    }
    this.#dispatch()
  }

  /** Marks a thread as ended. @returns whether it was still counted */
  #forget(thread: Thread): boolean {
    thread.state = "ended"
    return this.#threads.delete(thread)
  }

  #rejectWaiting(error: EngineError): void {
    for (const job of [...this.#lost.splice(0), ...this.#queries.clear(), ...this.#texts.clear()])
      job.reject(error)
  }
}

function run(thread: Thread, job: Job): void {
  thread.worker.ref()
  thread.jobs.push(job)
  const { kind, text, prefix, withTokens } = job
  thread.worker.postMessage({ kind, text, prefix, withTokens } satisfies ToWorker)
}

function closedError(): EngineError {
  return new EngineError("ENGINE_CLOSED", "The embedder was closed.")
}
