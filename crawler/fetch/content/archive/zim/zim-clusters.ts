import { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import { EntryError } from "../archive.ts"
import { type Bytes, chunksFrom, CutOffError } from "../bytes.ts"
import { positionAt, type ZimHeader } from "./zim-header.ts"

/** Maximum unpacked size of one cluster; two megabytes is usual. */
const MAX_CLUSTER_BYTES = 64 * 1024 * 1024
/** Number of unpacked clusters kept in memory. Keeping some pays off because consecutive pages often share one. */
const KEPT = 4
const KEPT_BYTES = 8 * 1024 * 1024
const EXTENDED = 0x10
const ZSTANDARD = 5
const OLD: Readonly<Record<number, string>> = { 2: "zlib", 3: "bzip2", 4: "XZ" }

/** The contents of a ZIM file: blobs, many of which are packed together in a cluster. */
export class ZimClusters {
  readonly #header: ZimHeader
  readonly #kept = new Map<number, Promise<Buffer>>()

  constructor(header: ZimHeader) {
    this.#header = header
  }

  /** @throws EntryError */
  async blob(bytes: Bytes, cluster: number, blob: number, maxBytes: number): Promise<Uint8Array> {
    try {
      return await this.#blob(bytes, cluster, blob, maxBytes)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (error instanceof CutOffError || code?.startsWith("Z") === true) throw damaged()
      throw error
    }
  }

  async #blob(bytes: Bytes, cluster: number, blob: number, maxBytes: number): Promise<Uint8Array> {
    const start = this.#header.clusters[cluster]
    if (start === undefined || start >= bytes.size) throw damaged()
    const info = (await bytes.read(start, 1))[0]!
    const width = (info & EXTENDED) === 0 ? 4 : 8
    const packing = info & 0x0f
    if (packing > 1 && packing !== ZSTANDARD)
      throw new EntryError(
        "unsupported-type",
        `it is compressed with ${OLD[packing] ?? `method ${packing}`}, as in old ZIM files, which isn't supported`,
      )
    const whole = packing === ZSTANDARD ? await this.#unpacked(bytes, cluster, width) : null
    const read = async (at: number, length: number) => {
      if (whole === null) return await bytes.read(start + 1 + at, length)
      if (at + length > whole.length) throw damaged()
      return whole.subarray(at, at + length)
    }
    const count = offsetIn(await read(0, width), 0, width) / width - 1
    if (!(blob < count)) throw damaged()
    const table = await read(blob * width, 2 * width)
    const from = offsetIn(table, 0, width)
    const size = offsetIn(table, width, width) - from
    if (size < 0) throw damaged()
    if (size > maxBytes) throw new EntryError("too-large", `${size} bytes, more than ${maxBytes}`)
    return new Uint8Array(await read(from, size))
  }

  async #unpacked(bytes: Bytes, cluster: number, width: number): Promise<Buffer> {
    const kept = this.#kept.get(cluster)
    this.#kept.delete(cluster)
    const unpacking = kept ?? unpack(bytes, this.#header.clusters[cluster]! + 1, this.#endOf(cluster), width)
    this.#kept.set(cluster, unpacking)
    for (const other of this.#kept.keys()) if (this.#kept.size > KEPT) this.#kept.delete(other)
    try {
      const whole = await unpacking
      if (whole.length > KEPT_BYTES) this.#kept.delete(cluster)
      return whole
    } catch (error) {
      this.#kept.delete(cluster)
      throw error
    }
  }

  #endOf(cluster: number): number {
    const start = this.#header.clusters[cluster]!
    const { borders } = this.#header
    let low = 0
    let high = borders.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (borders[middle]! <= start) low = middle + 1
      else high = middle
    }
    return borders[low]!
  }
}

/** Unpacks a cluster up to the end of its last blob. Other parts of the file may follow. */
async function unpack(bytes: Bytes, start: number, end: number, width: number): Promise<Buffer> {
  const raw = Readable.from(chunksFrom(bytes, start, end))
  const stream = raw.pipe(createZstdDecompress())
  raw.on("error", (error) => stream.destroy(error))
  const parts: Buffer[] = []
  let size = 0
  let table = Infinity
  let total = Infinity
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size < width) continue
      if (table === Infinity) table = offsetIn(Buffer.concat(parts), 0, width)
      if (total === Infinity && size >= table) total = offsetIn(Buffer.concat(parts), table - width, width)
      if (Math.min(total, Math.max(table, size)) > MAX_CLUSTER_BYTES || table < width)
        throw new EntryError("too-large", `its cluster unpacks to more than ${MAX_CLUSTER_BYTES} bytes`)
      if (size >= total) return Buffer.concat(parts).subarray(0, total)
    }
  } finally {
    raw.destroy()
    stream.destroy()
  }
  throw damaged()
}

const offsetIn = (bytes: Buffer, at: number, width: number): number =>
  width === 4 ? bytes.readUInt32LE(at) : positionAt(bytes, at)

const damaged = () => new EntryError("refused", "its cluster is damaged")
