import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Meilisearch } from "meilisearch"
import type { PageWithVectors } from "#engine"
import { pageId } from "#engine/index/page/page-url.ts"
import { toPassages } from "#engine/text/passages.ts"
import { stopProcess } from "../measure.ts"
import { freePort } from "#base/testing/free-port.ts"

/** Meilisearch keeps at most so many vectors of a document; from the next one on it keeps none. */
const VECTORS_PER_DOCUMENT = 256
const BYTES_PER_CALL = 20_000_000
const START_MS = 30_000
/** As `compose.yaml` has it. By itself it takes two thirds of the machine's, and each small task pays for that. */
const INDEXING_MEMORY = "1GiB"
const WAIT = { timeout: 0, interval: 100 }
const EMBEDDER = "default"

/** A question with its vector: Meilisearch's own hybrid is given both. */
export interface MeiliQuestion {
  readonly text: string
  readonly vector: readonly number[]
}

/**
 * Meilisearch as it ranks by itself: title and text to its keyword search, the pages' vectors beside, both mixed by
 * its hybrid. What Fossick makes of the same server is the engine's Meilisearch adapter.
 */
export class OwnHybrid {
  readonly #client: Meilisearch
  readonly #index: string

  private constructor(client: Meilisearch, index: string) {
    this.#client = client
    this.#index = index
  }

  /** A new index; one of this name is deleted first. */
  static async create(client: Meilisearch, index: string, dimensions: number): Promise<OwnHybrid> {
    await client.deleteIndexIfExists(index)
    await done(client.createIndex(index, { primaryKey: "id" }))
    const settings = {
      searchableAttributes: ["title", "text"],
      embedders: { [EMBEDDER]: { source: "userProvided" as const, dimensions } },
    }
    await done(client.index(index).updateSettings(settings))
    return new OwnHybrid(client, index)
  }

  async load(pages: readonly PageWithVectors[]): Promise<void> {
    let batch: object[] = []
    let bytes = 0
    const send = async () => {
      if (batch.length > 0) await done(this.#client.index(this.#index).addDocuments(batch))
      batch = []
      bytes = 0
    }
    for (const { page, vectors } of pages) {
      const text = toPassages(page.markdown).map((passage) => passage.text)
      const embeddings = (vectors ?? []).slice(0, VECTORS_PER_DOCUMENT).map((vector) => [...vector])
      batch.push({
        id: pageId(page.url),
        url: page.url,
        title: page.title,
        text: text.join("\n\n"),
        _vectors: { [EMBEDDER]: { embeddings, regenerate: false } },
      })
      // A number takes about twenty characters.
      bytes += page.markdown.length + embeddings.length * (embeddings[0]?.length ?? 0) * 20
      if (bytes >= BYTES_PER_CALL) await send()
    }
    await send()
  }

  /** @param semanticRatio 0 is its keyword search alone, 1 its vectors alone. @returns addresses and scores, best first. */
  async search(
    { text, vector }: MeiliQuestion,
    { limit, semanticRatio }: { readonly limit: number; readonly semanticRatio: number },
  ): Promise<Array<{ url: string; score: number }>> {
    const { hits } = await this.#client.index<{ url: string; title: string }>(this.#index).search(text, {
      vector: [...vector],
      hybrid: { embedder: EMBEDDER, semanticRatio },
      limit,
      attributesToRetrieve: ["url", "title"],
      attributesToCrop: ["text"],
      cropLength: 80,
      showRankingScore: true,
    })
    return hits.map(({ url, _rankingScore }) => ({ url, score: _rankingScore ?? 0 }))
  }
}

/** Deletes all indexes whose names begin so. */
export async function deleteIndexes(client: Meilisearch, prefix: string): Promise<void> {
  const { results } = await client.getIndexes({ limit: 10_000 })
  for (const { uid } of results) if (uid.startsWith(prefix)) await done(client.deleteIndex(uid))
}

/** A Meilisearch of its own, with its files in the system's folder for temporary files until it is closed. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Folder of its files. */
  readonly dir: string
}

/** @param program path of Meilisearch's executable. */
export async function startMeilisearch(program: string): Promise<OwnServer> {
  const dir = await mkdtemp(join(tmpdir(), "fossick-bench-meilisearch-"))
  const address = `127.0.0.1:${await freePort()}`
  const limits = ["--max-indexing-memory", INDEXING_MEMORY]
  const files = ["--db-path", join(dir, "data"), "--dump-dir", join(dir, "dumps")]
  const child = spawn(
    program,
    ["--no-analytics", "--env", "development", "--http-addr", address, ...limits, ...files],
    {
      cwd: dir,
      stdio: "ignore",
    },
  )
  const url = `http://${address}`
  try {
    await Promise.race([answers(url), failed(child)])
  } catch (error) {
    await rm(dir, { recursive: true, force: true })
    throw error
  }
  return {
    url,
    pid: child.pid!,
    dir,
    async [Symbol.asyncDispose]() {
      await stopProcess(child)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<void> {
  const client = new Meilisearch({ host: url })
  const until = performance.now() + START_MS
  while (!(await client.isHealthy())) {
    if (performance.now() > until) throw new Error(`Meilisearch does not answer at ${url}`)
    await sleep(100)
  }
}

async function failed(child: ChildProcess): Promise<never> {
  const ended = once(child, "exit").then(([code]) => `it exited with code ${String(code)}`)
  const notStarted = once(child, "error").then(([error]) => String(error))
  throw new Error(`Meilisearch could not be started: ${await Promise.race([ended, notStarted])}`)
}

async function done(task: ReturnType<Meilisearch["deleteIndex"]>): Promise<void> {
  const { status, error } = await task.waitTask(WAIT)
  if (status !== "succeeded") throw new Error(`Meilisearch: ${error?.message ?? status}`)
}
