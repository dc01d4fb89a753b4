import { availableParallelism } from "node:os"
import { QueuedBudget } from "#base/flow/memory/queued-budget.ts"
import { OfficeConverter } from "../../page/conversion/office-converter.ts"
import { ReaderPool } from "../../page/pool/reader-pool.ts"
import { startProcess } from "../../page/pool/reader-process.ts"
import type { ScanShelf } from "../../page/scans/scan-shelf.ts"
import type { Renderer } from "../render/renderer.ts"
import { type CrawlerConfig, userAgentHeader } from "../../settings.ts"

/**
 * Memory for the bodies of all visits, from the first byte until the body has been read; one more body may exceed it.
 * There is room for a hundred ordinary pages. Without this limit, 32 visits to gzipped pages of ten megabytes took 650
 * MB; with it, they take 200 MB.
 */
const BODIES_BYTES = 64 * 1024 * 1024

/**
 * Where pages are read: threads, processes, the browser, and the memory for bodies. All readers of a process can share
 * one instance and take turns. Threads, processes and the browser start with the first page that needs them.
 */
export class ReadingPlaces implements AsyncDisposable {
  readonly threads: ReaderPool
  readonly processes: ReaderPool
  /** Converts Office files from before 2007, if LibreOffice is installed. */
  readonly converter: OfficeConverter
  /** The shelf where scanned documents wait for text recognition; null if this process does not collect them. */
  readonly scans: ScanShelf | null
  readonly bodies = new QueuedBudget(BODIES_BYTES)
  readonly #config: CrawlerConfig
  #renderer: Promise<Renderer> | null = null

  constructor(config: CrawlerConfig, scans: ScanShelf | null = null) {
    this.#config = config
    this.scans = scans
    this.converter = new OfficeConverter({
      configured: config.officeConverter,
      timeoutMs: config.readTimeoutMs,
      memoryMb: config.documentMemoryMb,
    })
    this.threads = new ReaderPool({ places: config.readerThreads, timeoutMs: config.readTimeoutMs })
    this.processes = new ReaderPool({
      places: Math.max(1, Math.floor((config.readerThreads || availableParallelism()) / 2)),
      timeoutMs: config.readTimeoutMs,
      memoryMb: config.documentMemoryMb,
      start: startProcess,
    })
  }

  /** The browser, which starts with its first page. */
  readonly renderer = (): Promise<Renderer> => (this.#renderer ??= this.#open())

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#renderer)?.[Symbol.asyncDispose]()
    const all = [this.threads, this.processes, this.converter]
    await Promise.all(all.map((one) => one[Symbol.asyncDispose]()))
  }

  // The browser and the code that drives it are large, and most crawls don't need them.
  async #open(): Promise<Renderer> {
    const { Renderer } = await import("../render/renderer.ts")
    return new Renderer({
      userAgent: userAgentHeader(this.#config),
      browserPath: this.#config.browserPath,
      pages: this.#config.browserPages,
      memoryMb: this.#config.browserMemoryMb,
    })
  }
}
