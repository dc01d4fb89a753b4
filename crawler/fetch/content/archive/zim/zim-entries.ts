import { ArchiveError } from "../archive.ts"
import { type Bytes, Window } from "../bytes.ts"
import { positionAt, type ZimHeader } from "./zim-header.ts"

/** An entry of the directory. */
export interface ZimEntry {
  readonly namespace: string
  readonly path: string
  /** The entry's title; empty if it is the same as the path. */
  readonly title: string
  /** What the entry refers to: content with a media type, another entry, or nothing that can be read. */
  readonly leads:
    | { readonly to: "blob"; readonly type: string; readonly cluster: number; readonly blob: number }
    | { readonly to: "entry"; readonly index: number }
    | { readonly to: "nothing" }
}

const POINTER_BYTES = 8
const POINTERS_WINDOW = 64 * 1024
const ENTRIES_WINDOW = 256 * 1024
/** Number of bytes read for an entry: at first, and at most. */
const USUAL_BYTES = 256
const MAX_BYTES = 16 * 1024
const REDIRECT = 0xffff
const CONTENT_BYTES = 16
const REDIRECT_BYTES = 12

/** The directory of a ZIM file. */
export class ZimEntries {
  readonly #header: ZimHeader
  readonly #pointers: Bytes
  readonly #entries: Bytes

  /** @param isInOrder whether entries are read one after the other */
  constructor(header: ZimHeader, bytes: Bytes, isInOrder: boolean) {
    this.#header = header
    this.#pointers = isInOrder ? new Window(bytes, POINTERS_WINDOW) : bytes
    this.#entries = isInOrder ? new Window(bytes, ENTRIES_WINDOW) : bytes
  }

  /** @throws ArchiveError when it is damaged */
  async at(index: number): Promise<ZimEntry> {
    if (index >= this.#header.entryCount) throw new ArchiveError(`it has no entry ${index}`)
    const pointer = await this.#pointers.read(
      this.#header.pathPointers + index * POINTER_BYTES,
      POINTER_BYTES,
    )
    const start = positionAt(pointer, 0)
    const left = this.#entries.size - start
    for (const length of [USUAL_BYTES, MAX_BYTES]) {
      if (left <= CONTENT_BYTES) break
      const entry = this.#parse(await this.#entries.read(start, Math.min(length, left)))
      if (entry !== null) return entry
    }
    throw new ArchiveError(`its entry ${index} is damaged`)
  }

  #parse(bytes: Buffer): ZimEntry | null {
    const type = bytes.readUInt16LE(0)
    const text = type < REDIRECT - 2 ? CONTENT_BYTES : type === REDIRECT ? REDIRECT_BYTES : 8
    const path = bytes.indexOf(0, text)
    const title = path < 0 ? -1 : bytes.indexOf(0, path + 1)
    if (title < 0) return null
    return {
      namespace: String.fromCharCode(bytes[3]!),
      path: bytes.toString("utf8", text, path),
      title: bytes.toString("utf8", path + 1, title),
      leads: this.#leads(type, bytes),
    }
  }

  #leads(type: number, bytes: Buffer): ZimEntry["leads"] {
    if (type === REDIRECT) return { to: "entry", index: bytes.readUInt32LE(8) }
    const named = this.#header.types[type]
    if (named === undefined) return { to: "nothing" }
    return { to: "blob", type: named, cluster: bytes.readUInt32LE(8), blob: bytes.readUInt32LE(12) }
  }

  /** The index of the first entry that doesn't sort before this namespace and path: the directory is sorted by bytes. */
  async firstFrom(namespace: string, path: string): Promise<number> {
    const wanted = Buffer.from(namespace + path)
    let low = 0
    let high = this.#header.entryCount
    while (low < high) {
      const middle = (low + high) >>> 1
      const entry = await this.at(middle)
      if (Buffer.from(entry.namespace + entry.path).compare(wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
