import { createHash } from "node:crypto"
import { type PageUrl, toPageUrl } from "#engine/index/page/page-url.ts"
import { KnownError } from "#base/errors.ts"
import type { FetchResult } from "../../fetch.ts"
import type { Content, ContentEntry, ContentListOptions, ContentLoadOptions } from "../content.ts"
import { addressBelow, namesBelow } from "../addresses-below.ts"
import { failed, gone, tooLarge } from "../results.ts"
import { type ArchiveEntry, type ArchiveFormat, EntryError, type FoundEntry } from "./archive.ts"
import type { FileBytes } from "./bytes.ts"
import { archiveTrouble, fingerprintOf, type Lease, type OpenArchives } from "./open-archives.ts"

export interface ArchiveContentOptions {
  readonly path: string
  readonly format: ArchiveFormat
  /** Ends with `/`. Unused when entries have addresses of their own. */
  readonly address: string
  readonly archives: OpenArchives
}

/** The documents or pages of an archive. */
export class ArchiveContent implements Content {
  readonly place: string
  readonly noun: string
  readonly #format: ArchiveFormat
  readonly #address: string
  readonly #archives: OpenArchives

  constructor({ path, format, address, archives }: ArchiveContentOptions) {
    this.place = path
    this.noun = format.noun
    this.#format = format
    this.#address = address
    this.#archives = archives
  }

  async check(): Promise<void> {
    await this.open()
  }

  /** An archive without entries fails, because otherwise all pages would seem to be deleted. */
  async open(): Promise<void> {
    await using lease = await this.#lease()
    for await (const [first] of this.#entries(lease)) if (first !== undefined) return
    const why = lease.archive.isCutOff ? "is cut off or damaged" : `contains no readable ${this.noun}s`
    throw new KnownError(`The archive ${this.place} ${why}.`)
  }

  async *list({ signal, onTrouble }: ContentListOptions): AsyncGenerator<readonly ContentEntry[]> {
    await using lease = await this.#lease()
    const { archive } = lease
    for await (const entries of this.#entries(lease)) {
      if (signal.aborted) return
      yield entries.flatMap((entry) => this.#listed(entry))
    }
    const cutOff = archive.isCutOff
      ? ["it is cut off or damaged; only the entries before that point were read"]
      : []
    const notes = [...cutOff, ...archive.notes]
    if (notes.length > 0) await onTrouble(`${this.place}: ${notes.join("; ")}`)
  }

  async fingerprint(): Promise<string> {
    return await fingerprintOf(this.place)
  }

  async load(url: PageUrl, options: ContentLoadOptions): Promise<FetchResult> {
    const key = this.#keyOf(url)
    if (key === null) return gone(`no ${this.noun} in the archive has this address`)
    try {
      await using lease = await this.#lease()
      const { archive, bytes } = lease
      const entry = await archive.find(bytes, key)
      if (entry !== null) return await read(entry, bytes, this.#urlOf(entry.key) ?? url, options)
      return archive.isCutOff
        ? failed("refused", "the archive is cut off or damaged, and the missing part may contain it")
        : gone(`the ${this.noun} is no longer in the archive`)
    } catch (error) {
      const trouble = archiveTrouble(this.place, error as Error)
      if (trouble instanceof KnownError) return failed("refused", trouble.message)
      throw trouble
    }
  }

  #lease(): Promise<Lease> {
    return this.#archives.lease(this.place, this.#format)
  }

  async *#entries({ archive, bytes }: Lease): AsyncGenerator<readonly ArchiveEntry[]> {
    try {
      yield* archive.list(bytes)
    } catch (error) {
      throw archiveTrouble(this.place, error as Error)
    }
  }

  #listed({ key, changedAt, bytes }: ArchiveEntry): ContentEntry[] {
    const url = this.#urlOf(key)
    return url === null ? [] : [{ url, changedAt, ...(bytes !== undefined && { bytes }) }]
  }

  /** The address of a key; `null` if no address leads back to the key, as for a key that contains `..`. */
  #urlOf(key: string): PageUrl | null {
    if (this.#format.hasAddresses) return toPageUrl(key)
    const url = addressBelow(this.#address, key.split("/"))
    return url !== null && this.#keyOf(url) === key ? url : null
  }

  #keyOf(url: string): string | null {
    return this.#format.hasAddresses ? url : (namesBelow(this.#address, url)?.join("/") ?? null)
  }
}

async function read(
  entry: FoundEntry,
  bytes: FileBytes,
  url: PageUrl,
  { maxBytes, memory, validators, signal }: ContentLoadOptions,
): Promise<FetchResult> {
  const isHeld = (etag: string | undefined) => etag !== undefined && validators?.etag === etag
  if (isHeld(entry.headers.etag)) return { kind: "not-modified", url, headers: entry.headers }
  if (entry.bytes !== null && entry.bytes > maxBytes) return tooLarge(entry.bytes, maxBytes)
  if (signal?.aborted) return failed("cancelled", "the crawl was stopped")
  try {
    const { body, headers: own, cutOff, facts } = await entry.read(bytes, maxBytes)
    await memory?.reserve(body.byteLength)
    const headers = { etag: etagOf(body), ...own, ...entry.headers }
    if (isHeld(headers.etag)) return { kind: "not-modified", url, headers }
    return {
      kind: "fetched",
      url,
      status: 200,
      headers,
      body,
      ...(facts && { facts }),
      ...(cutOff && { cutOff }),
    }
  } catch (error) {
    if (!(error instanceof EntryError)) throw error
    const { because, message } = error
    return because === "refused"
      ? failed("refused", message, false)
      : { kind: "skipped", because, detail: message }
  }
}

const etagOf = (body: Uint8Array): string => `"${createHash("sha256").update(body).digest("base64url")}"`
