import type { FileHandle } from "node:fs/promises"
import type { IncomingHttpHeaders } from "node:http"
import type { PageFacts } from "../../fetch.ts"
import type { Bytes } from "./bytes.ts"

/** A page of an archive, before it is read. */
export interface ArchiveEntry {
  /** Its path in the archive, with `/` between names; its address where the format has addresses. */
  readonly key: string
  /** As in `ContentEntry`. */
  readonly changedAt: number
  /** Unpacked, as far as the archive says. */
  readonly bytes?: number
}

/** A page of an archive as its index knows it. */
export interface FoundEntry {
  /** Of what a redirect leads to, where the key that was asked for is one. */
  readonly key: string
  /** The etag names its bytes; left out where they have to be read first. */
  readonly headers: IncomingHttpHeaders
  /** Unpacked; null: unknown before it is read. */
  readonly bytes: number | null
  /** @throws EntryError */
  read(bytes: Bytes, maxBytes: number): Promise<EntryBody>
}

export interface EntryBody {
  readonly body: Uint8Array
  /** Beside those that the index knows. */
  readonly headers?: IncomingHttpHeaders
  readonly facts?: PageFacts
  /** As in `Fetched`. */
  readonly cutOff?: string
}

/** The index of an archive. It holds no file open, so each call names the bytes. */
export interface Archive {
  /** Entries that it keeps in memory. */
  readonly size: number
  /** Whether the file ends too early, so that an entry that isn't found may be one of those that are missing. */
  readonly isCutOff: boolean
  /** What an operator should know of what was left out, in words. */
  readonly notes: readonly string[]
  /** All pages, some at a time. */
  list(bytes: Bytes): AsyncIterable<readonly ArchiveEntry[]>
  find(bytes: Bytes, key: string): Promise<FoundEntry | null>
  /** Gives back what it holds on the disk. */
  close(): Promise<void>
}

export interface IndexOptions {
  /** When the archive changed last, in milliseconds since 1970. */
  readonly changedAt: number
  /** A new file without a name, for what has to be unpacked. */
  readonly scratch: () => Promise<FileHandle>
}

/** A format of archives. */
export interface ArchiveFormat {
  /** How names of its files end. */
  readonly endings: RegExp
  /** Whether its entries have addresses of their own; else they have theirs below the one seed. */
  readonly hasAddresses: boolean
  /** One entry, as counts say it. */
  readonly noun: string
  /** @throws ArchiveError */
  index(bytes: Bytes, options: IndexOptions): Promise<Archive>
}

/** Why an archive cannot be read, in words that fit behind "The archive cannot be read:". */
export class ArchiveError extends Error {}

/** Why one entry cannot be read. */
export class EntryError extends Error {
  readonly because: "too-large" | "unsupported-type" | "refused"

  constructor(because: EntryError["because"], message: string) {
    super(message)
    this.because = because
  }
}
