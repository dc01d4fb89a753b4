import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { freePort } from "#base/testing/free-port.ts"
import type { Embedder } from "../embedder.ts"
import { HashingEmbedder } from "./hashing-embedder.ts"

/** A request as the server received it. */
export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

export interface TestModelServer extends AsyncDisposable {
  /** Base address, without a path. */
  readonly url: string
  readonly requests: ModelRequest[]
  /** Answers instead of the server; null restores the server's own answers. */
  instead: ((request: ModelRequest, response: ServerResponse) => void) | null
  /** Closes the port; `start` opens the same one again. */
  stop(): Promise<void>
  start(): Promise<void>
}

export interface TestModelServerOptions {
  readonly embedder?: Pick<Embedder, "embed">
  /** How well each text answers the question, 0..1. */
  readonly rerank?: (question: string, texts: readonly string[]) => Promise<readonly number[]>
  /** The protocols that the server speaks. Default: all. */
  readonly speaks?: "openai" | "tei" | "all"
  /** Maximum number of texts that it accepts in one request; a larger request is answered as Text Embeddings Inference would. Default: any number. */
  readonly maxBatch?: number
  readonly key?: string
}

/**
 * A model server that speaks the protocols of OpenAI (`/v1/embeddings`), Cohere and Jina (`/v1/rerank`), and Text
 * Embeddings Inference (`/embed`, `/rerank`). Its answers come from the embedder and the reranker that it is given.
 */
export async function startModelServer(options: TestModelServerOptions): Promise<TestModelServer> {
  const { speaks = "all", maxBatch = Infinity, key } = options
  const requests: ModelRequest[] = []
  const isSpoken = (path: string) =>
    speaks === "all" ||
    (speaks === "tei" ? /^\/(?:embed|rerank)$/ : /^\/v1\/(?:embeddings|rerank)$/).test(path)

  async function answer({ path, headers, body }: ModelRequest): Promise<readonly [number, unknown]> {
    if (!isSpoken(path)) return [404, { detail: "Not Found" }]
    if (key !== undefined && headers.authorization !== `Bearer ${key}`) {
      return [401, { error: { message: `Incorrect API key provided: ${headers.authorization}` } }]
    }
    const texts = (body["input"] ?? body["inputs"] ?? body["documents"] ?? body["texts"]) as
      | readonly string[]
      | undefined
    if (!Array.isArray(texts) || texts.length > maxBatch) {
      return [422, { error: "batch size > maximum allowed batch size", error_type: "Validation" }]
    }
    if (path.endsWith("/rerank")) return await ranked(path, body, texts)
    let tokens = 0
    const made = await options.embedder!.embed(texts, { onTokens: (read) => (tokens = read) })
    const vectors = made.map((vector) => [...vector])
    if (path === "/embed") return [200, vectors]
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }))
    return [
      200,
      { object: "list", data, model: body["model"], usage: { prompt_tokens: tokens, total_tokens: tokens } },
    ]
  }

  async function ranked(
    path: string,
    body: ModelRequest["body"],
    texts: readonly string[],
  ): Promise<readonly [number, unknown]> {
    const isTei = path === "/rerank"
    if (Array.isArray(body[isTei ? "documents" : "texts"])) return [422, { error: "missing field" }]
    const scores = await options.rerank!(String(body["query"]), texts)
    // Best first, as in all of these protocols.
    const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!)
    if (isTei) return [200, order.map((index) => ({ index, score: scores[index] }))]
    return [200, { results: order.map((index) => ({ index, relevance_score: scores[index] })) }]
  }

  async function respond(request: ModelRequest, response: ServerResponse): Promise<void> {
    const [status, said] = await answer(request)
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(said))
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as ModelRequest["body"]
      const request = { path: incoming.url ?? "", headers: incoming.headers, body }
      requests.push(request)
      if (running.instead) return running.instead(request, response)
      void respond(request, response)
    })
  })
  // A port that no other process uses while the server is stopped.
  const port = await freePort()
  const start = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const stop = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  await start()
  const running: TestModelServer = {
    url: `http://127.0.0.1:${port}`,
    requests,
    instead: null,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return running
}

/** A server that creates vectors at hardly any cost, and the settings of an appliance that uses it. */
export async function startCheapVectors(): Promise<
  AsyncDisposable & { readonly settings: Readonly<Record<string, string>> }
> {
  const server = await startModelServer({ embedder: new HashingEmbedder() })
  return {
    settings: { FOSSICK_EMBEDDINGS_URL: `${server.url}/v1`, FOSSICK_EMBEDDINGS_MODEL: "words" },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
