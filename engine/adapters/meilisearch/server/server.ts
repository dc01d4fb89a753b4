import { setTimeout as sleep } from "node:timers/promises"
import { type EnqueuedTask, Meilisearch, MeilisearchApiError, MeilisearchRequestError } from "meilisearch"
import { foreignOrNothing, INDEX_BOUNDS } from "#base/text/json/foreign-json.ts"
import { EngineError } from "../../../errors.ts"
import { type Send, send } from "./send.ts"

export interface ServerOptions {
  /** Address of the server, without a trailing slash. */
  readonly url: string
  /** The server's master key, or a key with all permissions for these indexes; empty if the server has none. */
  readonly key: string
  /** How long a request is retried when the server is unreachable or busy. */
  readonly patienceMs: number
  /** Default: {@link send}. */
  readonly send?: Send
}

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5000
const REQUEST_TIMEOUT_MS = 120_000
const FIRST_LOOK_MS = 10
const LAST_LOOK_MS = 250

/** The versions that this adapter was written for: older ones have different settings and routes. */
const OLDEST = [1, 50] as const
const BEFORE = 2

/** A write that the server accepted but couldn't carry out. */
export class TaskFailed extends Error {
  readonly code: string
  /** Whether the documents are at fault rather than the server. */
  readonly refused: boolean

  constructor({ code, message, type }: { code: string; message: string; type: string }) {
    super(message)
    this.name = "TaskFailed"
    this.code = code
    this.refused = type === "invalid_request" && code !== "index_not_found"
  }
}

/** A Meilisearch server, called through its own client. Decides which calls are retried, and what the error says when they fail. */
export class Server {
  readonly client: Meilisearch
  readonly #options: ServerOptions

  constructor(options: ServerOptions) {
    this.#options = options
    this.client = new Meilisearch({
      host: options.url,
      ...(options.key !== "" && { apiKey: options.key }),
      httpClient: (url, init) => this.#ask(url instanceof Request ? url.url : url.toString(), init ?? {}),
    })
  }

  /** @throws EngineError `ENGINE_UNAVAILABLE` when the server runs another version. */
  async checkVersion(): Promise<void> {
    const { pkgVersion } = await this.client.getVersion()
    const [major = 0, minor = 0] = pkgVersion.split(".").map(Number)
    if (major === OLDEST[0] && minor >= OLDEST[1] && major < BEFORE) return
    throw new EngineError(
      "ENGINE_UNAVAILABLE",
      `Meilisearch at ${this.#options.url} has version ${pkgVersion}; this Fossick needs ${OLDEST.join(".")} or newer, before ${BEFORE}.0. Start a supported version.`,
    )
  }

  /** Waits until the server has completed a task. @throws TaskFailed */
  async done(enqueued: Promise<EnqueuedTask>): Promise<void> {
    const { taskUid } = await enqueued
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(LAST_LOOK_MS, wait * 1.2)) {
      await sleep(wait)
      const { status, error } = await this.client.tasks.getTask(taskUid)
      if (status === "succeeded") return
      if (status === "canceled") {
        throw new EngineError(
          "ENGINE_UNAVAILABLE",
          "Someone cancelled Fossick's task on the Meilisearch server.",
        )
      }
      if (status === "failed") throw new TaskFailed(error!)
    }
  }

  /** Waits for all tasks; throws the first failure only after all other tasks have ended. */
  async allDone(enqueued: readonly EnqueuedTask[]): Promise<void> {
    const over = []
    for (const task of enqueued) over.push(...(await Promise.allSettled([this.done(Promise.resolve(task))])))
    for (const one of over) if (one.status === "rejected") throw one.reason
  }

  /** Turns a failure into an error for users of the engine. */
  explain(error: unknown): unknown {
    if (error instanceof MeilisearchRequestError) {
      return isAbort(error.cause) ? error.cause : this.explain(error.cause)
    }
    if (error instanceof MeilisearchApiError) return this.#unavailable(this.#refusal(error), error)
    if (error instanceof TaskFailed) {
      const full = error.code === "no_space_left_on_device" ? " Free some space on its disk." : ""
      return this.#unavailable(`could not write (${error.code}): ${error.message}${full}`, error)
    }
    return error
  }

  #unavailable(what: string, cause: unknown): EngineError {
    return new EngineError("ENGINE_UNAVAILABLE", `Meilisearch at ${this.#options.url} ${what}`, { cause })
  }

  #refusal({ response: { status }, cause, message }: MeilisearchApiError): string {
    if (status === 401 || status === 403) {
      return `refuses the key (${cause?.code ?? status}). Set FOSSICK_MEILI_KEY or FOSSICK_MEILI_KEY_FILE to its master key.`
    }
    if (status === 429 || status === 503) return `is too busy to answer (${status}). Try again later.`
    if (cause?.code === "no_space_left_on_device") return "has no space left. Free some on its disk."
    return `answered ${status} (${cause?.code ?? "no code"}): ${message}`
  }

  async #ask(url: string, init: RequestInit): Promise<unknown> {
    const { patienceMs } = this.#options
    const until = performance.now() + patienceMs
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(LAST_RETRY_MS, wait * 2)) {
      try {
        return await this.#askOnce(url, init)
      } catch (error) {
        if (!isPassing(error) || init.signal?.aborted) throw error
        if (performance.now() + wait > until) throw this.#givenUp(error)
      }
      await sleep(wait)
    }
  }

  async #askOnce(url: string, init: RequestInit): Promise<unknown> {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    const { status, text } = await (this.#options.send ?? send)(url, { ...init, signal })
    const body: unknown = text === "" ? undefined : jsonOrNull(text)
    if (status >= 200 && status < 300) return body
    const problem = (body ?? undefined) as ConstructorParameters<typeof MeilisearchApiError>[1]
    throw new MeilisearchApiError(new Response(null, { status }), problem)
  }

  #givenUp(error: unknown): unknown {
    if (error instanceof MeilisearchApiError) return error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code ?? message
    return this.#unavailable(`cannot be reached (${why}). Start it, or correct FOSSICK_MEILI_URL.`, error)
  }
}

/** Whether a retry might help: there was no response, or the server said that it is temporarily unavailable. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof MeilisearchApiError)) return true
  const { status } = error.response
  return status === 408 || status === 429 || status === 502 || status === 503 || status === 504
}

/** Whether a request failed because the index or document doesn't exist. */
export const isMissing = (error: unknown): boolean => {
  const cause = error instanceof MeilisearchRequestError ? error.cause : error
  if (!(cause instanceof MeilisearchApiError)) return false
  return cause.response.status === 404 || cause.cause?.code === "index_not_found"
}

/** Whether a request was larger than the server accepts. */
export const isTooLarge = (error: unknown): boolean => {
  const cause = error instanceof MeilisearchRequestError ? error.cause : error
  return cause instanceof MeilisearchApiError && cause.response.status === 413
}

const isAbort = (error: unknown) => error instanceof Error && error.name === "AbortError"

const jsonOrNull = (text: string): unknown => foreignOrNothing(text, INDEX_BOUNDS) ?? null
