import { readFile, stat } from "node:fs/promises"
import { availableParallelism } from "node:os"
import path from "node:path"
import type { Worker } from "node:worker_threads"
import { APPLIANCE, callerHere } from "#base/flow/caller.ts"
import { FairQueue } from "#base/flow/fair-queue.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { startThread } from "#base/process/threads/thread.ts"
import { EngineError } from "../../errors.ts"
import { ModelOutage } from "../servers/availability.ts"
import type { Reranker } from "../../reranker.ts"
import type { FromReranker, RerankSetup, ToReranker } from "./rerank-protocol.ts"

export interface CrossEncoderOptions {
  /** How long a question waits for its scores. */
  readonly timeoutMs: number
  /** Number of threads. A pair takes tens of milliseconds: with two threads, the pairs of a search are read in less than half a second. */
  readonly threads?: number
  /** Maximum number of pairs waiting ahead of a question's last pair; if there would be more, none of the question's pairs are read. Default: no limit. */
  readonly mostWaiting?: number
  /** The consequence of getting no scores, as a sentence. */
  readonly whatNow?: string
  /** What to do when the model's folder cannot be used, as a sentence. */
  readonly advice?: string
}

const ADVICE =
  "Set FOSSICK_RERANKER to a folder in the layout of transformers.js (config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx), or leave it empty."
const WHAT_NOW = "Results are ranked without FOSSICK_RERANKER."

interface Job extends ToReranker {
  readonly resolve: (logit: number) => void
  readonly reject: (error: unknown) => void
}

/**
 * Threads by model folder. They stay until the process ends, without keeping it alive: see `embedders/model-threads.ts`
 * for what happens when such a thread ends.
 */
const idle = new Map<string, Worker[]>()

/** A cross-encoder in a folder, on threads of this process. Each pair is scored alone: with 8-bit weights the result depends on the batch. */
export class CrossEncoder implements Reranker {
  readonly id: string
  readonly #setup: RerankSetup
  readonly #options: Required<Omit<CrossEncoderOptions, "advice">>
  /** Callers take turns, pair by pair. */
  readonly #waiting = new FairQueue<Job>()
  #threads = 0
  #outage: ModelOutage | null = null
  #isClosed = false

  private constructor(setup: RerankSetup, options: CrossEncoderOptions) {
    this.#options = { threads: 2, mostWaiting: Infinity, whatNow: WHAT_NOW, ...options }
    this.id = `folder:${path.basename(setup.folder)}`
    this.#setup = setup
  }

  /** @throws EngineError `MODEL_UNAVAILABLE` that names what is missing */
  static async open(
    folder: string,
    { advice = ADVICE, ...options }: CrossEncoderOptions,
  ): Promise<CrossEncoder> {
    const absolute = path.resolve(folder)
    const unavailable = (what: string) =>
      new EngineError("MODEL_UNAVAILABLE", `Cannot use the cross-encoder in ${absolute}: ${what}. ${advice}`)
    return new CrossEncoder(await readFolder(absolute, unavailable), options)
  }

  get outage(): string | null {
    return this.#outage?.because ?? null
  }

  async scores(question: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new EngineError("ENGINE_CLOSED", "The reranker was closed.")
    if (this.#outage) throw this.#outage
    const caller = callerHere() ?? APPLIANCE
    if (this.#ahead(caller, texts.length) + texts.length > this.#options.mostWaiting)
      throw this.#outageOf("has too much to read")
    const jobs: Job[] = []
    const ended = Promise.withResolvers<never>()
    const onAbort = () => ended.reject(signal?.reason as Error)
    signal?.addEventListener("abort", onAbort, { once: true })
    const { timeoutMs } = this.#options
    const timer = setTimeout(
      () => ended.reject(this.#outageOf(`took longer than ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      const logits = texts.map(
        (text) =>
          new Promise<number>((resolve, reject) => {
            jobs.push({ question, text, resolve, reject })
          }),
      )
      for (const job of jobs) this.#waiting.push(caller, job)
      for (let i = 0; i < jobs.length && this.#startThread(); i++);
      return (await Promise.race([Promise.all(logits), ended.promise])).map(sigmoid)
    } catch (error) {
      for (const job of jobs) this.#waiting.delete(caller, job)
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const closed = new EngineError("ENGINE_CLOSED", "The reranker was closed.")
    for (const job of this.#waiting.clear()) job.reject(closed)
  }

  /** Number of pairs that are read before the last of `count` new ones, with callers taking turns. */
  #ahead(caller: string, count: number): number {
    const mine = this.#waiting.lines.get(caller)?.length ?? 0
    let ahead = mine
    for (const [other, line] of this.#waiting.lines)
      if (other !== caller) ahead += Math.min(line.length, mine + count)
    return ahead
  }

  /** Starts one more thread. @returns false if there are enough */
  #startThread(): boolean {
    if (this.#threads >= Math.min(this.#options.threads, availableParallelism())) return false
    const { folder } = this.#setup
    const worker =
      idle.get(folder)?.pop() ??
      startThread(moduleBeside(import.meta.url, "./rerank-worker"), {
        workerData: this.#setup,
        // Flags such as `--input-type` belong to the starting script.
        execArgv: [],
        resourceLimits: { maxYoungGenerationSizeMb: 8 },
      })
    this.#threads++
    worker.ref()
    let job: Job | undefined
    const next = (): void => {
      job = this.#waiting.shift()
      if (job) {
        worker.postMessage({ question: job.question, text: job.text } satisfies ToReranker)
        return
      }
      for (const event of ["message", "error"]) worker.removeAllListeners(event)
      worker.on("error", () => undefined)
      worker.unref()
      this.#threads--
      idle.set(folder, [...(idle.get(folder) ?? []), worker])
    }
    worker.removeAllListeners("error")
    worker.on("message", (message: FromReranker) => {
      if (message.kind === "unusable") {
        worker.unref()
        this.#fail(job, message.message)
        return
      }
      if (message.kind === "logit") job?.resolve(message.logit)
      else job?.reject(this.#outageOf(`failed on a text (${message.message})`))
      next()
    })
    worker.on("error", (error) => {
      this.#threads--
      job?.reject(this.#outageOf(`lost its thread (${(error as Error).message})`))
      job = undefined
      // The thread that died might have been the last one.
      if (this.#waiting.length > 0) this.#startThread()
    })
    next()
    return true
  }

  #fail(job: Job | undefined, message: string): void {
    this.#outage = this.#outageOf(`cannot be loaded (${message})`)
    for (const one of [...(job ? [job] : []), ...this.#waiting.clear()]) one.reject(this.#outage)
  }

  #outageOf(what: string): ModelOutage {
    return new ModelOutage(`The reranker ${what}.`, this.#options.whatNow)
  }
}

/** Turns the reason why a folder can't be used into an error. */
type Unavailable = (what: string) => EngineError

async function readFolder(folder: string, unavailable: Unavailable): Promise<RerankSetup> {
  const config = await readJson(folder, "config.json", unavailable)
  const tokenizer = await readJson(folder, "tokenizer_config.json", unavailable)
  await readJson(folder, "tokenizer.json", unavailable)
  const labels = Object.keys((config["id2label"] as object | undefined) ?? { 0: "" }).length
  if (labels !== 1) throw unavailable(`it sorts pairs into ${labels} classes instead of returning one number`)
  const limits = [tokenizer["model_max_length"], config["max_position_embeddings"], 512]
  const maxTokens = Math.min(...limits.filter((one): one is number => typeof one === "number" && one > 0))
  for (const name of ["model_quantized.onnx", "model.onnx"]) {
    const weights = path.join(folder, "onnx", name)
    if (await stat(weights).catch(() => null)) return { folder, weights, maxTokens }
  }
  throw unavailable("it has no onnx/model_quantized.onnx or onnx/model.onnx")
}

async function readJson(
  folder: string,
  file: string,
  unavailable: Unavailable,
): Promise<Record<string, unknown>> {
  let text
  try {
    text = await readFile(path.join(folder, file), "utf8")
  } catch {
    const isThere = await stat(folder).catch(() => null)
    throw unavailable(isThere ? `it has no ${file}` : "there is no such folder")
  }
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw unavailable(`its ${file} is not JSON`)
  }
}

export const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit))
