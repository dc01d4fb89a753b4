import { mkdtempSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Engine, Page } from "#engine"
import { EmbeddedEngine } from "#engine/adapters/embedded/embedded-engine.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { crawlSite } from "../../../crawl/crawl-site.ts"
import { ImageStore } from "../../images/image-store.ts"
import { statement } from "#base/store/testing/statement.ts"
import { ImageNotes } from "../../images/image-notes.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import type { Job } from "../../../job.ts"
import { KnownAddresses } from "../../../crawl/frontier/known-addresses.ts"
import { pageHash } from "../../../page/page-hash.ts"
import { PageReader } from "../../../fetch/visit/reader.ts"
import { defineSource, type SourceSpec } from "../../../source.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { testConfig } from "../../../testing/crawl-fixture.ts"
import { WebhookQueue } from "../../../reporting/webhooks/webhook-queue.ts"
import { restore, type Restored } from "../restore.ts"
import { type BackupSources, writeBackup } from "../write-backup.ts"

/** The index of a data folder, with vectors that need no model. */
export const openIndex = (dataDir: string, mode: "read" | "write", model?: string): Promise<EmbeddedEngine> =>
  EmbeddedEngine.open({ dir: join(dataDir, "index"), mode, embedder: new HashingEmbedder(model) })

/** Temporary folders that are deleted after the test. */
export class Folders implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "fossick-backup-"))

  at(name: string): string {
    return join(this.#root, name)
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

/** State and index of a data folder, opened as in the processes of an appliance. */
export class SmallAppliance implements AsyncDisposable {
  readonly dataDir: string
  readonly db: StateStore
  readonly engine: Engine
  readonly #config = testConfig()
  readonly #reader = new PageReader(this.#config)

  private constructor(dataDir: string, db: StateStore, engine: Engine) {
    this.dataDir = dataDir
    this.db = db
    this.engine = engine
  }

  static async open(dataDir: string): Promise<SmallAppliance> {
    const db = await openStateStore(dataDir)
    WebhookQueue.prepare(db)
    return new SmallAppliance(dataDir, db, await openIndex(dataDir, "write"))
  }

  get known(): KnownAddresses {
    return new KnownAddresses(this.db)
  }

  async crawl(source: SourceSpec, visits: Job["visits"] = "all"): Promise<Job> {
    const jobs = new Jobs(this.db)
    const job = (await jobs.start((await jobs.enqueue(defineSource(source), { visits })).id))!
    const { state } = await crawlSite({
      job,
      db: this.db,
      engine: this.engine,
      reader: this.#reader,
      config: this.#config,
      signal: new AbortController().signal,
    })
    await jobs.end(job.id, state)
    return (await jobs.get(job.id))!
  }

  /** Records the images of a page as examined, with a dummy thumbnail. */
  async lookAtImages(page: Pick<Page, "url" | "images">): Promise<void> {
    await new ImageNotes(this.db).note([{ ...page, source: "site" }])
    const store = new ImageStore(this.db, this.dataDir)
    for (const { url } of page.images) {
      const id = Number((await statement(this.db, "select id from image where url = ?").get(url))?.["id"])
      const look = { width: 640, height: 480, format: "png", bytes: 9, frames: 1, hash: "00", junk: null }
      await store.recordLook(id, look, Buffer.from(`thumbnail of ${url}`))
    }
  }

  /** Makes a backup as another process would. @param changing called between copying the state and copying the index */
  async backUp(file: string, changing: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const db = await openStateStore(this.dataDir)
    await using engine = await openIndex(this.dataDir, "read")
    const later = new Proxy<Engine>(engine, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== "allPages") return typeof value === "function" ? value.bind(target) : value
        return async function* (options: Parameters<Engine["allPages"]>[0]) {
          await changing()
          yield* target.allPages(options)
        }
      },
    })
    try {
      await writeBackupTo(file, { dataDir: this.dataDir, db, engine: later })
    } finally {
      db.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]()
    await this.#reader[Symbol.asyncDispose]()
    this.db.close()
  }
}

export async function writeBackupTo(
  file: string,
  sources: Pick<BackupSources, "dataDir" | "db" | "engine">,
): Promise<void> {
  const chunks = await Array.fromAsync(writeBackup({ ...sources, scratchDir: tmpdir() }))
  await writeFile(file, Buffer.concat(chunks))
}

export async function restoreInto(
  dataDir: string,
  file: string,
  { force = false, model }: { force?: boolean; model?: string } = {},
): Promise<Restored> {
  return await restore(file, { dataDir, force, openEngine: (folder) => openIndex(folder, "write", model) })
}

/** Addresses about which the state and the index disagree. */
export async function disagreements({
  db,
  engine,
}: Pick<SmallAppliance, "db" | "engine">): Promise<string[]> {
  const known = new Map(
    (await statement(db, "select url, hash from known_address where hash is not null").all()).map(
      ({ url, hash }) => [String(url), String(hash)],
    ),
  )
  const wrong: string[] = []
  for await (const { page } of engine.allPages()) {
    const hash = known.get(page.url)
    if (hash !== undefined && hash !== pageHash(page)) wrong.push(`other content: ${page.url}`)
    if (hash === undefined) wrong.push(`not known: ${page.url}`)
    known.delete(page.url)
  }
  return [...wrong, ...[...known.keys()].map((url) => `not in the index: ${url}`)]
}
