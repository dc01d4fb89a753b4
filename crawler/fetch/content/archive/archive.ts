import type { FileHandle } from "node:fs/promises"
import type { IncomingHttpHeaders } from "node:http"
import type { PageFacts } from "../../fetch.ts"
import type { Bytes } from "./bytes.ts"

/** A page of an archive, before it is read. */
export interface ArchiveEntry {
  /** Its path in the archive, with `/` between names; in formats whose entries have addresses, its address. */
  readonly key: string
  /** As in `ContentEntry`. */
  readonly changedAt: number
  /** The unpacked size, if the archive states it. */
  readonly bytes?: number
}

/** A page of an archive as its index describes it. */
export interface FoundEntry {
  /** The key found; for a redirect, the key of its target. */
  readonly key: string
  /** The headers include an etag that identifies the bytes, unless the bytes have to be read first. */
  readonly headers: IncomingHttpHeaders
  /** The unpacked size; `null` if it is unknown until it is read. */
  readonly bytes: number | null
  /** @throws EntryError */
  read(bytes: Bytes, maxBytes: number): Promise<EntryBody>
}

export interface EntryBody {
  readonly body: Uint8Array
  /** Headers in addition to those in the index. */
  readonly headers?: IncomingHttpHeaders
  readonly facts?: PageFacts
  /** As in `Fetched`. */
  readonly cutOff?: string
}

/** The index of an archive. It keeps no file open, so each call passes the bytes. */
export interface Archive {
  /** Number of entries kept in memory. */
  readonly size: number
  /** Whether the file is cut off; if so, an entry that isn't found may be in the missing part. */
  readonly isCutOff: boolean
  /** Notes for the operator about entries that were left out. */
  readonly notes: readonly string[]
  /** All pages, one batch at a time. */
  list(bytes: Bytes): AsyncIterable<readonly ArchiveEntry[]>
  find(bytes: Bytes, key: string): Promise<FoundEntry | null>
  /** Frees the disk space that the index uses. */
  close(): Promise<void>
}

export interface IndexOptions {
  /** When the archive last changed, in milliseconds since 1970. */
  readonly changedAt: number
  /** Opens a new file without a name, to unpack into. */
  readonly scratch: () => Promise<FileHandle>
}

/** An archive format. */
export interface ArchiveFormat {
  /** Matches the endings of its file names. */
  readonly endings: RegExp
  /** Whether its entries have addresses of their own. Otherwise their addresses are below the single seed. */
  readonly hasAddresses: boolean
  /** The noun for entries in messages that count them. */
  readonly noun: string
  /** @throws ArchiveError */
  index(bytes: Bytes, options: IndexOptions): Promise<Archive>
}

/** Why an archive cannot be read, worded to follow "The archive cannot be read:". */
export class ArchiveError extends Error {}

/** Why one entry cannot be read. */
export class EntryError extends Error {
  readonly because: "too-large" | "unsupported-type" | "refused"

  constructor(because: EntryError["because"], message: string) {
    super(message)
    this.because = because
  }
}
