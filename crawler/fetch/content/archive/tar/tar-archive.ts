import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { crc32 } from "node:zlib"
import { extract, type Header } from "tar-stream"
import { typeByEnding } from "../../file-type.ts"
import { type Archive, ArchiveError, type ArchiveFormat, EntryError, type FoundEntry } from "../archive.ts"
import { checkEntries } from "../bounds.ts"
import { FileBytes } from "../bytes.ts"
import { inChunks } from "../entry-map.ts"
import { entryName, LeftOut } from "../entry-name.ts"
import { Spool } from "../spool.ts"
import { compressionOf, unpacked } from "../unpack-stream.ts"

/** Where an entry's bytes are in the unpacked file. */
interface Place {
  readonly start: number
  readonly size: number
  readonly sum: number
  readonly modifiedAt: Date | undefined
}

interface Unpacked {
  readonly places: Map<string, Place>
  readonly leftOut: LeftOut
  readonly spool: Spool
}

/** Size of a block in bytes. A tar file ends with blocks of zeros (POSIX.1-2024, pax, ustar Interchange Format). */
const BLOCK = 512

/**
 * Tar files, either plain or compressed with gzip or zstd. They have no directory, and compressed ones can only be read
 * from their start, so their documents are unpacked once, one after the other, into an unnamed file. If two entries
 * have the same name, the last one wins.
 */
export const indexTar: ArchiveFormat["index"] = async (bytes, { changedAt, scratch }) => {
  const handle = await scratch()
  try {
    const into: Unpacked = { places: new Map(), leftOut: new LeftOut(), spool: new Spool(handle) }
    const compression = await compressionOf(bytes)
    let isCutOff = false
    const end = new TarEnd()
    const chunks = unpacked(bytes, compression, () => {
      isCutOff = true
    })
    await unpackInto(into, end.watch(chunks))
    isCutOff ||= !end.isThere
    const { places, leftOut, spool } = into
    const file = new FileBytes(handle, spool.size)
    return {
      size: places.size,
      isCutOff,
      notes: leftOut.notes,
      list: () => inChunks(places, (key, { size }) => ({ key, changedAt, bytes: size })),
      find: async (_, key) => found(key, places.get(key), file),
      close: () => handle.close(),
    } satisfies Archive
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function unpackInto(into: Unpacked, chunks: AsyncIterable<Buffer>): Promise<void> {
  const tar = extract()
  const reading = pipeline(Readable.from(chunks), tar)
  // The error is ignored here because the loop below ends with the same error.
  reading.catch(() => {})
  try {
    for await (const entry of tar) {
      const name = keyOf(entry.header, into)
      if (name === null) entry.resume()
      else await take(name, entry.header, entry as unknown as AsyncIterable<Buffer>, into)
      checkEntries(into.places.size)
    }
    await reading
  } catch (error) {
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).code !== undefined) throw error
    const { message } = error as Error
    // The entries before the end of the data are complete, so only other errors matter here.
    if (message !== "Unexpected end of data")
      throw new ArchiveError(`it isn't a tar file, or it is damaged (${message})`)
  }
  await into.spool.flush()
}

/** The key of an entry that is a file or a hard link to one; `null` for all others. */
function keyOf({ name, type, pax }: Header, { leftOut }: Unpacked): string | null {
  const named = entryName(name)
  if ("trouble" in named) {
    leftOut.add(named.trouble)
    return null
  }
  const sparse = (pax as Readonly<Record<string, string>> | null)?.["GNU.sparse.name"]
  const isSparse = Object.keys(pax ?? {}).some((field) => field.startsWith("GNU.sparse."))
  const isFile = type === "file" || type === "contiguous-file" || type === "link"
  if (isSparse || !type) leftOut.add(`${sparse ?? named.key} (a sparse file, or an unknown kind of entry)`)
  return isFile && !isSparse ? named.key : null
}

async function take(
  key: string,
  { type, linkname, mtime }: Header,
  entry: AsyncIterable<Buffer>,
  { places, spool }: Unpacked,
): Promise<void> {
  const start = spool.size
  let sum = 0
  for await (const chunk of entry) {
    sum = crc32(chunk, sum)
    await spool.append(chunk)
  }
  if (type !== "link") {
    places.set(key, { start, size: spool.size - start, sum, modifiedAt: mtime })
    return
  }
  const target = entryName(linkname ?? "")
  const linked = "key" in target ? places.get(target.key) : undefined
  if (linked !== undefined) places.set(key, linked)
}

/** Watches for the end of a tar file. */
class TarEnd {
  #last: Buffer = Buffer.alloc(0)

  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#last = (chunk.length < BLOCK ? Buffer.concat([this.#last, chunk]) : chunk).subarray(-BLOCK)
      yield chunk
    }
  }

  get isThere(): boolean {
    return this.#last.length === BLOCK && this.#last.every((byte) => byte === 0)
  }
}

function found(key: string, place: Place | undefined, file: FileBytes): FoundEntry | null {
  if (place === undefined) return null
  const { start, size, sum, modifiedAt } = place
  return {
    key,
    bytes: size,
    headers: {
      etag: `"${sum.toString(16)}-${size.toString(16)}"`,
      ...(modifiedAt && { "last-modified": modifiedAt.toUTCString() }),
      "content-type": typeByEnding(key),
    },
    async read() {
      const body = await file.read(start, size)
      if (crc32(body) !== sum) throw new EntryError("refused", "its unpacked copy is damaged")
      return { body }
    },
  }
}
