import { setTimeout as sleep } from "node:timers/promises"
import { Client, errors, Serializer } from "@opensearch-project/opensearch"
import { INDEX_BOUNDS, measureForeign } from "#base/text/json/foreign-json.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"
import { EngineError } from "../../../errors.ts"

export interface ClusterOptions {
  /** Addresses of the cluster's nodes, without a trailing slash; they are used in turn, and an unreachable one is skipped for a while. */
  readonly urls: readonly string[]
  /** `null` if the cluster requires no login, or uses the certificate. */
  readonly login: { readonly username: string; readonly password: string } | null
  /** Certificates and key in PEM format; each can be `null`. */
  readonly tls: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null }
  /** How long a request is retried when the cluster is unreachable or busy. */
  readonly patienceMs: number
}

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5000
/** How long to wait for a response from one node before trying the next one. */
const REQUEST_TIMEOUT_MS = 60_000

/** The first version in which Lucene supports nested vectors that return all matching passages of a page: 2.19. 3.x was tested too; later versions were not. */
const OLDEST = [2, 19] as const
const BEFORE = 4

/**
 * Makes the node that receives the request use its own copies of the data if it has any: data that isn't sent between
 * nodes costs neither of them any work. Nodes are used in turn, so the work is distributed anyway.
 */
export const NEAR_BY = { preference: "_local" } as const

/** An error that the server reports for a request, or for a part of one. */
export interface Failure {
  readonly status: number
  readonly type: string
  readonly reason: string
}

/** A request, or a part of one, that the server couldn't carry out. */
export class RequestFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.reason)
    this.name = "RequestFailed"
    this.failure = failure
  }
}

/** No node answered, or the response wasn't valid. */
class Unanswered extends Error {
  /** Whether a retry might help. */
  readonly isPassing: boolean

  constructor(message: string, isPassing: boolean) {
    super(message)
    this.name = "Unanswered"
    this.isPassing = isPassing
  }
}

/** OpenSearch's name for the error when a node disappeared before it answered another node. */
const LOST_NODE = /^node_(?:disconnected|not_connected|closed)_exception$|^connect_transport_exception$/

/** An error as reported by OpenSearch, for a whole request or part of one. */
export interface ToldError {
  readonly type?: string
  readonly reason?: string | null
  readonly root_cause?: ReadonlyArray<{ readonly type?: string; readonly reason?: string | null }>
}

/**
 * A node that dies while answering is reported as a server error (500). Other nodes have copies of its data, so the
 * error is temporary (503).
 */
export function failureIn(status: number, error: ToldError): Failure {
  const { type = "no type", root_cause: causes = [] } = error
  const isLost = [error, ...causes].some((told) => LOST_NODE.test(told.type ?? ""))
  const reason = causes[0]?.reason ?? error.reason ?? "no reason given"
  return { status: isLost ? 503 : status, type, reason }
}

/** Checks the size of responses before the client parses them. */
class MeasuringSerializer extends Serializer {
  override deserialize(json: string): unknown {
    measureForeign(json, INDEX_BOUNDS)
    return super.deserialize(json) as unknown
  }
}

/** An OpenSearch cluster, called through its own client. Decides which calls are retried, and what the error says when they fail. */
export class Cluster implements AsyncDisposable {
  readonly #client: Client
  readonly #options: ClusterOptions

  constructor(options: ClusterOptions) {
    this.#options = options
    const { urls, login, tls } = options
    const { ca, cert, key } = tls
    this.#client = new Client({
      nodes: [...urls],
      ...(login && { auth: login }),
      ssl: { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) },
      // Tries every other node once before waiting.
      maxRetries: Math.max(1, urls.length - 1),
      requestTimeout: REQUEST_TIMEOUT_MS,
      Serializer: MeasuringSerializer,
    })
    this.#client.on("response", (_error, { statusCode, meta }) => {
      if (statusCode) noteOutbound("engine", new URL(meta.connection.url).host)
    })
  }

  /** @throws EngineError `ENGINE_UNAVAILABLE` when the server runs another version, or is another kind of server. */
  async checkVersion(): Promise<void> {
    const said = await this.ask<{ version?: { number?: string; distribution?: string } }>((client) =>
      client.info(),
    )
    const { number = "", distribution = "another server" } = said.version ?? {}
    const [major = 0, minor = 0] = number.split(".").map(Number)
    const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
    if (distribution === "opensearch" && isNewEnough && major < BEFORE) return
    throw new EngineError(
      "ENGINE_UNAVAILABLE",
      `The server at ${this.#where} is ${distribution} ${number}; this Fossick needs OpenSearch ${OLDEST.join(".")} or newer, before ${BEFORE}.0. Start a supported version.`,
    )
  }

  /** Repeats a request until there is a response or the time is up. The cluster might receive the request twice. */
  async ask<T>(request: (client: Client) => Promise<{ readonly body: unknown }>): Promise<T> {
    const until = performance.now() + this.#options.patienceMs
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(LAST_RETRY_MS, wait * 2)) {
      try {
        return (await request(this.#client)).body as T
      } catch (given) {
        const error = ours(given)
        if (!isPassing(error) || performance.now() + wait > until) throw error
      }
      await sleep(wait)
    }
  }

  /** Turns a failure into an error for users of the engine. */
  explain(error: unknown): unknown {
    if (error instanceof RequestFailed) return this.#unavailable(this.#refusal(error.failure), error)
    if (!(error instanceof Unanswered)) return error
    const why = error.message.split("\n")[0]
    return this.#unavailable(
      `cannot be reached (${why}). Start it, or correct FOSSICK_OPENSEARCH_URLS.`,
      error,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close()
  }

  get #where(): string {
    return this.#options.urls.join(", ")
  }

  #unavailable(what: string, cause: unknown): EngineError {
    return new EngineError("ENGINE_UNAVAILABLE", `OpenSearch at ${this.#where} ${what}`, { cause })
  }

  #refusal({ status, type, reason }: Failure): string {
    if (reason.includes("disk usage exceeded flood-stage"))
      return "has no space left. Free some on its disks."
    if (status === 401 || status === 403) {
      return `refuses this user (${type}). Check FOSSICK_OPENSEARCH_USER and FOSSICK_OPENSEARCH_PASSWORD, and that the user has all permissions on indexes with this name.`
    }
    if (reason.includes("index.knn") || reason.includes("knn_vector")) {
      return `lacks the k-NN plugin, which every official build has: ${reason}`
    }
    if (status === 429) return `is too busy to answer (${type}). Try again later.`
    if (status === 503) return `cannot answer right now (${type}): ${reason}`
    return `answered ${status} (${type}): ${reason}`
  }
}

/** The client's own errors contain the connection, and with it the login, so they aren't passed on. */
function ours(error: unknown): unknown {
  if (error instanceof errors.ResponseError) {
    const said = (error.body as { error?: string | ToldError } | null)?.error ?? {}
    const told = typeof said === "string" ? { reason: said } : said
    return new RequestFailed(failureIn(error.statusCode ?? 0, { reason: error.message, ...told }))
  }
  return error instanceof errors.OpenSearchClientError
    ? new Unanswered(error.message, !(error instanceof errors.ConfigurationError))
    : error
}

/** Whether a retry might help: there was no response, or the server said that it is temporarily unavailable. */
const isPassing = (error: unknown): boolean =>
  error instanceof RequestFailed
    ? isPassingStatus(error.failure.status)
    : error instanceof Unanswered && error.isPassing

export const isPassingStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 502 || status === 503 || status === 504

/** Whether a request failed because an index or a document doesn't exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof RequestFailed && error.failure.status === 404

/** `null` if the index doesn't exist. */
export async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
