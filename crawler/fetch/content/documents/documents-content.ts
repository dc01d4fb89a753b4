import type { PageUrl } from "#engine"
import { readersOf } from "#engine/index/page/readers.ts"
import type { FetchResult } from "../../fetch.ts"
import type { Content, ContentEntry, ContentListOptions, ContentLoadOptions } from "../content.ts"
import { failed, gone, tooLarge } from "../results.ts"
import type { DocumentStore } from "./document-store.ts"

/** The documents that programs sent for a source. */
export class DocumentsContent implements Content {
  readonly noun = "document"
  readonly place: string
  readonly #source: string
  readonly #store: DocumentStore

  constructor(source: string, store: DocumentStore) {
    this.place = `the documents sent for ${source}`
    this.#source = source
    this.#store = store
  }

  async check(): Promise<void> {
    // Nothing to check: the state always exists while a process is running.
  }

  async open(): Promise<void> {
    // Nothing to do, for the same reason as in `check`.
  }

  async *list({ signal }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    const version = await this.#store.version(this.#source)
    for await (const entries of this.#store.entries(this.#source)) {
      if (signal.aborted) return
      yield entries.map(({ url, version, bytes }) => ({ url, changedAt: version, bytes }))
    }
    await this.#store.noteListed(this.#source, version)
  }

  async fingerprint(): Promise<string> {
    return String(await this.#store.version(this.#source))
  }

  async load(url: PageUrl, { maxBytes, memory, validators }: ContentLoadOptions): Promise<FetchResult> {
    const document = await this.#store.at(this.#source, url)
    if (document === null) return gone("the document was deleted")
    const { bytes, facts, type, updatedAt, version, readers } = document
    const etag = `"${version}"`
    const headers = {
      etag,
      "content-type": type,
      ...(updatedAt !== null && { "last-modified": new Date(updatedAt).toUTCString() }),
    }
    if (validators?.etag === etag) return { kind: "not-modified", url, headers }
    if (bytes > maxBytes) return tooLarge(bytes, maxBytes)
    await memory?.reserve(bytes)
    const body = await this.#store.body(this.#source, document)
    if (body === null) return failed("refused", "the document changed while it was being read")
    return {
      kind: "fetched",
      url,
      status: 200,
      headers,
      body: new Uint8Array(body),
      facts,
      ...(readers && { readers: readersOf(readers) }),
    }
  }
}
