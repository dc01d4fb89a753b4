import { APPLIANCE, callerHere } from "#base/flow/caller.ts"
import { FairPool } from "#base/flow/fair-pool.ts"
import type { LegacyFormat } from "../formats/legacy-office.ts"
import { findConverter } from "./find-converter.ts"
import { type Conversion, runConverter } from "./run-converter.ts"

export interface OfficeConverterOptions {
  /** Path of `soffice`; `off`; or empty to look in the usual places. */
  readonly configured: string
  /** Time allowed for reading a document. A conversion gets {@link START_MS} more. */
  readonly timeoutMs: number
  /** Memory allowed for reading a document, in megabytes. */
  readonly memoryMb: number
}

/** Time allowed for starting with a new profile, which takes two seconds on an idle machine. */
const START_MS = 30_000
const CLOSED = new Error("The converter was closed.")

/** Converts Office files from before 2007 into current formats with an installed LibreOffice, one at a time. */
export class OfficeConverter implements AsyncDisposable {
  readonly #options: OfficeConverterOptions
  readonly #turns = new FairPool("page-readers", { places: 1 })
  readonly #closing = new AbortController()
  #current: Promise<unknown> = Promise.resolve()

  constructor(options: OfficeConverterOptions) {
    this.#options = options
  }

  /** Converts a file when it is its turn. `unsupported`: no converter is installed, and the detail says which one to install. */
  async convert(
    format: LegacyFormat,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<Conversion | { readonly kind: "unsupported"; readonly detail: string }> {
    const found = findConverter(this.#options.configured)
    if ("missing" in found) {
      return { kind: "unsupported", detail: `an Office file in a format from before 2007; ${found.missing}` }
    }
    const limits = {
      timeoutMs: START_MS + this.#options.timeoutMs,
      memoryMb: this.#options.memoryMb,
      signal: AbortSignal.any([signal, this.#closing.signal]),
    }
    try {
      return await this.#turns.run(
        async () => {
          const work = runConverter(found.path, format, body, limits)
          this.#current = work.catch(() => undefined)
          return await work
        },
        { key: callerHere() ?? APPLIANCE, signal: limits.signal },
      )
    } catch (error) {
      if (!limits.signal.aborted) throw error
      return { kind: "closed", detail: "the caller stopped waiting for the file" }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#turns.close(CLOSED)
    await this.#current
  }
}
