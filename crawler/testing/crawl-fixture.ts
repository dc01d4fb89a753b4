import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readSettings } from "#base/settings.ts"
import { crawlerSettings, type CrawlerConfig } from "../settings.ts"
import { CrawlShare } from "../crawl/together/crawl-share.ts"
import { crawlSite } from "../crawl/crawl-site.ts"
import type { Clock } from "#base/clock.ts"
import { Jobs } from "../jobs/jobs.ts"
import { type Job, limitNote } from "../job.ts"
import { PageReader } from "../fetch/visit/reader.ts"
import { defineSource, type SourceSpec } from "../source.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { MemoryEngine } from "./memory-engine.ts"

/** Settings for tests: loopback allowed, short waits, and enough time for a busy machine. */
export function testConfig(more: Readonly<Record<`FOSSICK_${string}`, string>> = {}): CrawlerConfig {
  return readSettings(crawlerSettings, {
    FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
    FOSSICK_RETRY_DELAY_MS: "10",
    FOSSICK_READER_THREADS: "1",
    FOSSICK_FETCH_TIMEOUT_MS: "120000",
    FOSSICK_READ_TIMEOUT_MS: "120000",
    FOSSICK_RENDER_TIMEOUT_MS: "120000",
    ...more,
  })
}

/** A temporary folder that is deleted after the test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "fossick-"))
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Starting a thread costs more than crawling a test site, so the crawls of a test file share one. */
const readers = new Map<string, PageReader>()

function readerFor(config: CrawlerConfig): PageReader {
  const key = JSON.stringify(config)
  const reader = readers.get(key) ?? new PageReader(config)
  readers.set(key, reader)
  return reader
}

/** Closes the readers shared by a test file's crawls; otherwise their browser would outlive the crawls for a while. */
export async function closeReaders(): Promise<void> {
  const open = [...readers.values()]
  readers.clear()
  for (const reader of open) await reader[Symbol.asyncDispose]()
}

const shares = new Map<string, CrawlShare>()

/** Resources that the complete runs in a test file share, above all the reading thread. */
export function shareFor(config: CrawlerConfig): CrawlShare {
  const key = JSON.stringify(config)
  const share = shares.get(key) ?? new CrawlShare(config)
  shares.set(key, share)
  return share
}

interface OpenedFolder {
  readonly folder: ReturnType<typeof temporaryFolder>
  readonly db: StateStore
}

/** State, jobs and an engine for crawls of one test. */
export class CrawlFixture implements AsyncDisposable {
  readonly engine = new MemoryEngine()
  readonly #folder: ReturnType<typeof temporaryFolder>
  readonly db: StateStore
  readonly jobs: Jobs

  static async open<F extends CrawlFixture>(this: new (opened: OpenedFolder) => F): Promise<F> {
    const folder = temporaryFolder()
    return new this({ folder, db: await openStateStore(folder.path) })
  }

  /** As in {@link open}. */
  constructor({ folder, db }: OpenedFolder) {
    this.#folder = folder
    this.db = db
    this.jobs = new Jobs(db)
  }

  /** The data folder. */
  get folder(): string {
    return this.#folder.path
  }

  /** Enqueues a crawl, runs it in this process, and returns the job as it ended. */
  async crawl(
    source: SourceSpec,
    options: {
      config?: CrawlerConfig
      signal?: AbortSignal
      clock?: Clock
      visits?: Job["visits"]
      trigger?: Job["trigger"]
    } = {},
  ): Promise<Job> {
    const { config = testConfig(), visits = "all", trigger = "command", clock } = options
    const { id } = await this.jobs.enqueue(defineSource(source), { visits, trigger })
    const job = await this.jobs.start(id)
    if (!job) throw new Error(`job ${id} is not queued`)
    const reader = readerFor(config)
    const signal = options.signal ?? new AbortController().signal
    const { state, limit } = await crawlSite({
      job,
      db: this.db,
      engine: this.engine,
      reader,
      config,
      signal,
      onListTrouble: async (note) => {
        await this.jobs.note(id, note)
      },
      ...(clock === undefined ? {} : { clock }),
    })
    if (limit !== null) await this.jobs.note(id, limitNote(limit))
    await this.jobs.end(id, state)
    return (await this.jobs.get(id)) ?? job
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.db.close()
    this.#folder[Symbol.dispose]()
    await this.engine[Symbol.asyncDispose]()
  }
}
