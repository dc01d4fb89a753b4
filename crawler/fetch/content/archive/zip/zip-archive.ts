import { isUtf8 } from "node:buffer"
import { promisify } from "node:util"
import { crc32, inflateRaw, zstdDecompress } from "node:zlib"
import { type Entry, fromFdPromise, getFileNameLowLevel } from "yauzl"
import { typeByEnding } from "../../file-type.ts"
import {
  type Archive,
  ArchiveError,
  type ArchiveFormat,
  type EntryBody,
  EntryError,
  type FoundEntry,
} from "../archive.ts"
import { checkEntries, checkRatio } from "../bounds.ts"
import { type Bytes, CutOffError, FileBytes } from "../bytes.ts"
import { inChunks } from "../entry-map.ts"
import { entryName, LeftOut } from "../entry-name.ts"

/** Where an entry is, from the central directory (APPNOTE.TXT 4.3.12). */
interface Place {
  readonly header: number
  readonly packed: number
  readonly size: number
  readonly sum: number
  readonly method: number
  readonly isEncrypted: boolean
  readonly modifiedAt: Date
}

/** Number of bytes in a local file header without its name and extra field (4.3.7). */
const LOCAL_HEADER = 30
const STORED = 0
const DECODERS: Readonly<
  Record<number, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  8: promisify(inflateRaw),
  93: promisify(zstdDecompress),
}
const SYMBOLIC_LINK = 0o12
/** Systems whose attributes contain a Unix mode (4.4.2). */
const UNIX = new Set([3, 19])

/** Zip files, including their 64-bit extension. If two entries have the same name, the last one wins. */
export const indexZip: ArchiveFormat["index"] = async (bytes, { changedAt }) => {
  if (!(bytes instanceof FileBytes)) throw new Error("a zip archive can only be read from a file")
  const places = new Map<string, Place>()
  const leftOut = new LeftOut()
  try {
    await readDirectory(bytes, places, leftOut)
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    throw new ArchiveError(`it isn't a zip file, or its end is missing (${(error as Error).message})`)
  }
  checkPlaces([...places.values()], bytes.size)
  return {
    size: places.size,
    isCutOff: false,
    notes: leftOut.notes,
    list: () => inChunks(places, (key, { size }) => ({ key, changedAt, bytes: size })),
    find: async (_, key) => found(key, places.get(key)),
    close: async () => {},
  } satisfies Archive
}

async function readDirectory(bytes: FileBytes, places: Map<string, Place>, leftOut: LeftOut): Promise<void> {
  const zip = await fromFdPromise(bytes.handle.fd, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
  })
  checkEntries(zip.entryCount)
  for await (const entry of zip.eachEntry()) {
    if (!isFile(entry)) continue
    const name = entryName(nameOf(entry))
    if ("trouble" in name) leftOut.add(name.trouble)
    else
      places.set(name.key, {
        header: entry.relativeOffsetOfLocalHeader,
        packed: entry.compressedSize,
        size: entry.uncompressedSize,
        sum: entry.crc32,
        method: entry.compressionMethod,
        isEncrypted: entry.isEncrypted(),
        modifiedAt: entry.getLastModDate({ timezone: "UTC" }),
      })
  }
}

function isFile(entry: Entry): boolean {
  const mode = UNIX.has(entry.versionMadeBy >>> 8) ? entry.externalFileAttributes >>> 28 : 0
  return mode !== SYMBOLIC_LINK && !/[/\\]$/.test(entry.fileNameRaw.toString("latin1"))
}

/** Many programs write UTF-8 without setting the flag, and text in code page 437 is rarely valid UTF-8. */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: Entry): string {
  return getFileNameLowLevel(isUtf8(raw) ? flags | 0x800 : flags, raw, extraFields, false)
}

/** Refuses zip bombs, which are recognized by entries that share bytes. @throws ArchiveError */
function checkPlaces(places: Place[], size: number): void {
  let end = 0
  let unpacked = 0
  for (const { header, packed, size: own } of places.sort((a, b) => a.header - b.header)) {
    if (header < end) throw new ArchiveError("its entries overlap, as in a zip bomb")
    end = header + LOCAL_HEADER + packed
    unpacked += own
  }
  if (end > size) throw new ArchiveError("it is cut off")
  checkRatio(size, unpacked)
}

function found(key: string, place: Place | undefined): FoundEntry | null {
  if (place === undefined) return null
  const { size, sum, modifiedAt } = place
  return {
    key,
    bytes: size,
    headers: {
      etag: `"${sum.toString(16)}-${size.toString(16)}"`,
      "last-modified": modifiedAt.toUTCString(),
      "content-type": typeByEnding(key),
    },
    read: (bytes, maxBytes) => unpack(bytes, place, maxBytes),
  }
}

async function unpack(bytes: Bytes, place: Place, maxBytes: number): Promise<EntryBody> {
  const { header, packed, size, sum, method, isEncrypted } = place
  const decoder = DECODERS[method]
  if (isEncrypted) throw new EntryError("unsupported-type", "it is encrypted")
  if (method !== STORED && decoder === undefined)
    throw new EntryError("unsupported-type", `it is compressed with method ${method}, which isn't supported`)
  // No compression method makes data grow by more than this amount.
  if (packed > maxBytes + maxBytes / 100 + 1000) throw new EntryError("too-large", `${packed} bytes`)
  try {
    const local = await bytes.read(header, LOCAL_HEADER)
    const start = header + LOCAL_HEADER + local.readUInt16LE(26) + local.readUInt16LE(28)
    const raw = await bytes.read(start, packed)
    const body = decoder === undefined ? raw : await decoder(raw, { maxOutputLength: Math.max(size, 1) })
    if (body.length === size && crc32(body) === sum) return { body: new Uint8Array(body) }
  } catch (error) {
    if (!(error instanceof CutOffError) && !(error as NodeJS.ErrnoException).code?.startsWith("Z"))
      throw error
  }
  throw new EntryError("refused", "it is damaged: its bytes don't match their checksum")
}
