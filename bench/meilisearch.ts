import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { batchesOf } from "#engine/adapters/embedded/rows.ts"
import { readManifest } from "#engine/adapters/embedded/manifest.ts"
import { passagesOf } from "#engine/page-record.ts"
import { connectTo, openTables } from "#engine/adapters/embedded/tables.ts"

/** Meilisearch keeps at most so many vectors of a document; from the next one on it keeps none. */
const VECTORS_PER_DOCUMENT = 256
const BYTES_PER_CALL = 20_000_000
const POLL_MS = 500
const SEMANTIC_RATIO = 0.6

/** A question with its vector: Meilisearch is given both. */
export interface MeiliQuestion {
  readonly text: string
  readonly vector: readonly number[]
}

/** A running Meilisearch with the pages and vectors of one of our indexes. */
export class Meilisearch implements AsyncDisposable {
  readonly #pool: Pool
  readonly #key: string | undefined
  readonly #index: string

  /** @param url of the server. @param key its master key, when it has one. @param index name of the index there. */
  constructor(url: string, key: string | undefined, index: string) {
    this.#pool = new Pool(new URL(url).origin, { connections: 32, bodyTimeout: 0, headersTimeout: 0 })
    this.#key = key
    this.#index = index
  }

  /** Gives it all pages and vectors of the index in `dir`, unless it has them. @returns seconds, 0 when it had. */
  async load(dir: string, pages: number): Promise<number> {
    const stats = await this.#call("GET", `/indexes/${this.#index}/stats`, undefined, [200, 404])
    if (stats["numberOfDocuments"] === pages) return 0
    const began = performance.now()
    if (stats["numberOfDocuments"] !== undefined) await this.#task("DELETE", `/indexes/${this.#index}`)
    await this.#task("POST", "/indexes", { uid: this.#index, primaryKey: "id" })
    const manifest = await readManifest(dir)
    if (!manifest) throw new Error(`there is no index in ${dir}`)
    await this.#task("PATCH", `/indexes/${this.#index}/settings`, {
      searchableAttributes: ["title", "text"],
      embedders: { default: { source: "userProvided", dimensions: manifest.dimensions } },
    })
    const connection = await connectTo(dir, 0)
    const tables = await openTables(connection, dir, manifest)
    let documents: string[] = []
    let bytes = 0
    const send = async () => {
      if (documents.length > 0) await this.#task("POST", `/indexes/${this.#index}/documents`, documents)
      documents = []
      bytes = 0
    }
    for await (const ids of batchesOf<{ id: string }>(tables.pages.query().select(["id"]))) {
      for (const page of tables.store.read(ids.map(({ id }) => id))) {
        const text = passagesOf(page).map((passage) => passage.text)
        const vectors = await vectorsOf(tables.vectors, page.id)
        const given = { default: { embeddings: vectors, regenerate: false } }
        const document = JSON.stringify({
          id: page.id,
          title: page.title,
          text: text.join("\n\n"),
          _vectors: given,
        })
        documents.push(document)
        bytes += document.length
        if (bytes >= BYTES_PER_CALL) await send()
      }
    }
    await send()
    tables.store[Symbol.dispose]()
    connection.close()
    return (performance.now() - began) / 1000
  }

  /** Its hybrid search: the best pages with a piece of their text. */
  async search({ text, vector }: MeiliQuestion, limit: number): Promise<void> {
    const answer = await this.#call("POST", `/indexes/${this.#index}/search`, {
      q: text,
      vector,
      hybrid: { embedder: "default", semanticRatio: SEMANTIC_RATIO },
      limit,
      attributesToRetrieve: ["title"],
      attributesToCrop: ["text"],
      cropLength: 80,
      showRankingScore: true,
    })
    const { hits } = answer as { hits?: unknown[] }
    if (!hits?.length) throw new Error(`Meilisearch found nothing for ${text}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close()
  }

  /** Asks for something that takes time, and waits until it is done. */
  async #task(method: "POST" | "PATCH" | "DELETE", path: string, body?: object): Promise<void> {
    const { taskUid } = await this.#call(method, path, body, [202])
    for (;;) {
      const task = await this.#call("GET", `/tasks/${String(taskUid)}`)
      if (task["status"] === "succeeded") return
      if (task["status"] !== "enqueued" && task["status"] !== "processing") {
        throw new Error(`Meilisearch could not ${method} ${path}: ${JSON.stringify(task["error"])}`)
      }
      await sleep(POLL_MS)
    }
  }

  /** @param body an object, or documents that are JSON already. */
  async #call(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object | readonly string[],
    expected: readonly number[] = [200],
  ): Promise<Record<string, unknown>> {
    const { statusCode, body: answer } = await this.#pool.request({
      method,
      path,
      headers: {
        "content-type": "application/json",
        ...(this.#key ? { authorization: `Bearer ${this.#key}` } : {}),
      },
      ...(body && { body: Array.isArray(body) ? `[${body.join()}]` : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!expected.includes(statusCode))
      throw new Error(`Meilisearch answered ${statusCode} to ${path}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
}

type VectorsTable = Awaited<ReturnType<typeof openTables>>["vectors"]

async function vectorsOf(table: VectorsTable, page: string): Promise<number[][]> {
  const query = table.query().where(`page = '${page}'`).select(["vector"]).limit(VECTORS_PER_DOCUMENT)
  const rows: number[][] = []
  for await (const batch of batchesOf<{ vector: Iterable<number> }>(query)) {
    for (const { vector } of batch) rows.push([...vector])
  }
  return rows
}
