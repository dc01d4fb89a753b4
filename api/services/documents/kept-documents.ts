import type { Jobs, Source } from "#crawler"
import {
  AddressTakenError,
  type Document,
  type DocumentStore,
  type Put,
  type StoredDocument,
} from "#crawler/fetch/content/documents/document-store.ts"
import { addressBelow } from "#crawler/fetch/content/addresses-below.ts"
import type { JobState } from "#crawler/job.ts"
import { membership } from "#crawler/crawl/scope/scope.ts"
import type { Sources } from "#crawler/sources/sources.ts"
import { fieldText, SourceError } from "#crawler/sources/written/source-problem.ts"
import { toPageUrl } from "#engine/index/page/page-url.ts"
import { pause } from "#base/flow/pause.ts"
import { breather } from "#base/flow/breather.ts"
import { Refusal } from "#base/errors.ts"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import { type Problem, problemsText } from "../../server/operation/body-check.ts"
import { MOST_PROBLEMS, type SentDocument, wrongReaders } from "./read-documents.ts"

export interface KeptDocumentsParts {
  /** The store, on a connection that flushes commits to disk. */
  readonly store: DocumentStore
  readonly sources: Pick<Sources, "get" | "put" | "run">
  readonly jobs: Pick<Jobs, "get" | "open">
  /** Base address for documents without their own; ends with `/`. */
  readonly filesAt: string
  /** Maximum size in bytes of one document. */
  readonly maxBytes: number
}

/** A received document and its outcome. */
export interface Kept {
  readonly id: string
  readonly url: string
  readonly result: Put
}

const WAIT_MS = 60_000
const POLL_MS = 50

/** Documents that programs send, replace, list and delete. Each caller reaches the sources that its key may write to. */
export class KeptDocuments {
  readonly #parts: KeptDocumentsParts

  constructor(parts: KeptDocumentsParts) {
    this.#parts = parts
  }

  /** Maximum size in bytes of one document. */
  get maxBytes(): number {
    return this.#parts.maxBytes
  }

  /**
   * Stores documents of a source, and creates the source if it doesn't exist yet. The documents are on the disk when
   * the call returns.
   * @throws Refusal
   */
  async send(key: ApiKey, name: string, sent: readonly SentDocument[]): Promise<Kept[]> {
    mayWrite(key, name)
    const known = await this.#sourceNamed(name)
    const documents = await this.#withAddresses(known ?? (await this.#made(name)), sent)
    try {
      const { store, sources } = this.#parts
      const puts = await store.put(name, documents)
      // A change starts a run automatically, but a new source would be noticed only seconds later.
      if (known === null) await sources.run(name, { visits: "due" })
      return documents.map(({ id, url }, index) => ({ id, url, result: puts[index]! }))
    } catch (error) {
      if (!(error instanceof AddressTakenError)) throw error
      const index = documents.findIndex(({ id }) => id === error.id)
      throw new Refusal("conflict", `documents.${index}.url ${error.message}.`)
    }
  }

  /**
   * Changes only who may read a source's documents.
   * @returns the ids of the documents that existed
   * @throws Refusal
   */
  async setReaders(
    key: ApiKey,
    name: string,
    all: readonly { readonly id: string; readonly readers: Document["readers"] }[],
  ): Promise<string[]> {
    await this.of(key, name)
    const problems = all.flatMap(({ readers }, index) => wrongReaders(readers, `documents.${index}.readers`))
    if (problems.length > 0) throw unfit(problems.slice(0, MOST_PROBLEMS))
    return await this.#parts.store.setReaders(name, new Map(all.map(({ id, readers }) => [id, readers])))
  }

  /** @returns the ids of the documents that existed. @throws Refusal */
  async delete(key: ApiKey, name: string, ids: readonly string[]): Promise<string[]> {
    await this.of(key, name)
    return await this.#parts.store.delete(name, ids)
  }

  /** @throws Refusal */
  async deleteAll(key: ApiKey, name: string): Promise<void> {
    await this.of(key, name)
    await this.#parts.store.deleteAll(name)
  }

  /** Lists the documents of a source, in the order of their ids. @throws Refusal */
  async list(
    key: ApiKey,
    name: string,
    slice: { readonly after: string; readonly limit: number },
  ): Promise<StoredDocument[]> {
    await this.of(key, name)
    return await this.#parts.store.list(name, slice)
  }

  /** @throws Refusal */
  async count(key: ApiKey, name: string): Promise<number> {
    await this.of(key, name)
    return await this.#parts.store.count(name)
  }

  /** @throws Refusal */
  async get(key: ApiKey, name: string, id: string): Promise<StoredDocument> {
    await this.of(key, name)
    const document = await this.#parts.store.get(name, id)
    if (document === null) throw new Refusal("missing", `${name} has no document ${JSON.stringify(id)}.`)
    return document
  }

  /** A document source that the key may write to. @throws Refusal */
  async of(key: ApiKey, name: string): Promise<Source> {
    mayWrite(key, name)
    const source = await this.#sourceNamed(name)
    if (source === null)
      throw new Refusal("missing", `There is no source ${JSON.stringify(name)} for documents.`)
    return source
  }

  /**
   * Waits until documents stored before the call can be searched: changes to documents start runs.
   * @returns false when that took too long, or the run failed
   */
  async searchable(name: string, signal: AbortSignal): Promise<boolean> {
    const { store, jobs } = this.#parts
    const version = await store.version(name)
    const until = performance.now() + WAIT_MS
    const waited = async (isSo: () => Promise<boolean>): Promise<boolean> => {
      while (!(await isSo())) {
        if (signal.aborted || performance.now() > until) return false
        await pause(POLL_MS, signal)
      }
      return true
    }
    if (!(await waited(async () => (await store.listedVersion(name)) >= version))) return false
    const running = (await jobs.open(name)).filter(({ state }) => state === "running")
    for (const { id } of running) {
      let state: JobState | undefined
      await waited(async () => (state = (await jobs.get(id))?.state) !== "running")
      if (state !== "finished") return false
    }
    return true
  }

  /** The source of this name, or null. @throws Refusal if it does not accept documents */
  async #sourceNamed(name: string): Promise<Source | null> {
    const source = (await this.#parts.sources.get(name))?.source ?? null
    if (source !== null && !source.documents)
      throw new Refusal(
        "conflict",
        `The source ${JSON.stringify(name)} doesn't accept documents: its pages come from elsewhere. Choose another name.`,
      )
    return source
  }

  async #made(name: string): Promise<Source> {
    const { sources, filesAt } = this.#parts
    try {
      await sources.put({ name, documents: true, seeds: [`${filesAt}${encodeURIComponent(name)}/`] })
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      throw unfit(
        error.problems.map(({ path, message }) => ({
          field: path[0] === "name" ? "source" : fieldText(path),
          message,
        })),
      )
    }
    return (await this.#sourceNamed(name))!
  }

  /** @throws Refusal */
  async #withAddresses(source: Source, sent: readonly SentDocument[]): Promise<Document[]> {
    const { maxBytes } = this.#parts
    const isInside = membership(source, new Map())
    const [base] = source.seeds
    const breathe = breather()
    const problems: Problem[] = []
    const seen = new Map<string, number>()
    const documents: Document[] = []
    for (const [index, document] of sent.entries()) {
      const field = `documents.${index}`
      const url =
        document.url === null ? addressBelow(base!, document.id.split("/")) : toPageUrl(document.url)
      if (url === null || !isInside(url))
        problems.push(
          document.url === null
            ? {
                field: `${field}.id`,
                message: "must not lead outside the source when it is part of an address",
              }
            : {
                field: `${field}.url`,
                message: `must be below a seed of the source: ${source.seeds.join(", ")}`,
              },
        )
      else if (seen.has(url))
        problems.push({ field, message: `has the same address as documents.${seen.get(url)}` })
      if (document.body.byteLength > maxBytes)
        problems.push({ field, message: `must have at most ${maxBytes} bytes (FOSSICK_MAX_PAGE_BYTES)` })
      if (problems.length >= MOST_PROBLEMS) break
      if (url === null) continue
      seen.set(url, index)
      documents.push({ ...document, url })
      await breathe()
    }
    if (problems.length > 0) throw unfit(problems)
    return documents
  }
}

/** @throws Refusal */
function mayWrite({ scope }: ApiKey, name: string): void {
  const { endpoints, sources, collections, domains } = scope
  if (endpoints !== null || collections !== null || domains !== null)
    throw new Refusal(
      "denied",
      "Access denied. This key is limited to endpoints, collections or domains. A key that sends documents can only be limited to sources.",
    )
  if (sources !== null && !sources.includes(name))
    throw new Refusal(
      "denied",
      `Access denied. This key may not write to the source ${JSON.stringify(name)}.`,
    )
}

const unfit = (problems: readonly Problem[]): Refusal =>
  new Refusal("unfit", problemsText(problems), problems)
