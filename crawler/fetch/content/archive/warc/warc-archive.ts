import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { PAGE_TYPES } from "#engine/index/page/page-type.ts"
import { FACT_FIELDS } from "#engine/lifecycle/move/warc/fact-fields.ts"
import type { PageFacts } from "../../../fetch.ts"
import { type Archive, type ArchiveFormat, type EntryBody, EntryError, type FoundEntry } from "../archive.ts"
import { type Bytes, CutOffError, FileBytes } from "../bytes.ts"
import { inChunks } from "../entry-map.ts"
import { Spool } from "../spool.ts"
import { type Compression, compressionOf, unpacked } from "../unpack-stream.ts"
import { Captures, type Place } from "./captures.ts"
import { httpBody } from "./http-body.ts"
import { NotByRecordError, type ScannedRecord, scanMembers, scanPlain, upToDamage } from "./scan-records.ts"
import { MAX_HEADER_BYTES, parseHeader, parseHttpHead, type WarcHeader } from "./warc-record.ts"

const gunzipped = promisify(gunzip)

interface Scanned {
  readonly captures: Captures
  readonly isCutOff: boolean
}

/** WARC files (ISO 28500), plain or compressed: pages of websites, saved by crawlers. */
export const indexWarc: ArchiveFormat["index"] = async (bytes, { scratch }) => {
  const compression = await compressionOf(bytes)
  try {
    const scan = compression === "gzip" ? scanMembers : scanPlain
    const scanned = await scanAll((onCutOff) => scan(bytes, onCutOff))
    return archiveOf(scanned, (place) => recordAt(place, compression))
  } catch (error) {
    if (!(error instanceof NotByRecordError)) throw error
  }
  const spool = new Spool(await scratch())
  try {
    let isCutOff = false
    const onCutOff = () => {
      isCutOff = true
    }
    for await (const chunk of unpacked(bytes, compression, onCutOff)) await spool.append(chunk)
    await spool.flush()
    const file = new FileBytes(spool.handle, spool.size)
    const scanned = await scanAll(() => scanPlain(file, onCutOff))
    const read = (place: Place) => (_: Bytes, maxBytes: number) => recordAt(place, null)(file, maxBytes)
    const close = () => spool.handle.close()
    return { ...archiveOf({ ...scanned, isCutOff: isCutOff || scanned.isCutOff }, read), close }
  } catch (error) {
    await spool.handle.close()
    throw error
  }
}

async function scanAll(records: (onCutOff: () => void) => AsyncIterable<ScannedRecord>): Promise<Scanned> {
  const captures = new Captures()
  let isCutOff = false
  const onCutOff = () => {
    isCutOff = true
  }
  for await (const record of upToDamage(records(onCutOff), onCutOff)) captures.add(record)
  return { captures, isCutOff }
}

function archiveOf({ captures, isCutOff }: Scanned, reads: (place: Place) => FoundEntry["read"]): Archive {
  const pages: ReadonlyMap<string, Place> = captures.pages()
  const { unresolved } = captures
  return {
    size: pages.size,
    isCutOff,
    notes: unresolved === 0 ? [] : [`${unresolved} revisits refer to captures in other files`],
    list: () => inChunks(pages, (key, { at, length }) => ({ key, changedAt: at, bytes: length })),
    async find(_, key) {
      const place = pages.get(key)
      if (place === undefined) return null
      const headers = { etag: `"${place.id}"`, "content-type": place.type }
      return { key, headers, bytes: null, read: reads(place) }
    },
    close: async () => {},
  }
}

/** Number of bytes that a record may have in addition to its body. */
const spareBytes = (maxBytes: number): number => 3 * MAX_HEADER_BYTES + Math.ceil(maxBytes / 20)

const recordAt =
  (place: Place, compression: Compression) =>
  async (bytes: Bytes, maxBytes: number): Promise<EntryBody> => {
    const { offset, packed, id } = place
    const limit = maxBytes + spareBytes(maxBytes)
    if (packed > limit) throw new EntryError("too-large", `${packed} bytes, more than ${maxBytes}`)
    try {
      const raw = await bytes.read(offset, packed)
      const record = compression === null ? raw : await gunzipped(raw, { maxOutputLength: limit })
      const header = parseHeader(record)
      if (header?.fields.get("warc-record-id") === id || id === `${place.at}`)
        return await bodyOf(header!, record.subarray(header!.bytes, header!.bytes + header!.length), maxBytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
        throw new EntryError("too-large", `more than ${maxBytes} bytes`)
      if (!(error instanceof CutOffError) && !(error as NodeJS.ErrnoException).code?.startsWith("Z"))
        throw error
    }
    throw new EntryError("refused", "its record is damaged")
  }

async function bodyOf({ fields }: WarcHeader, block: Buffer, maxBytes: number): Promise<EntryBody> {
  const truncated = fields.get("warc-truncated")
  const cutOff =
    truncated !== undefined || fields.has("warc-segment-number")
      ? { cutOff: `the archive has only part of it (${truncated ?? "segmented"})` }
      : {}
  if (
    !/^application\/http/i.test(fields.get("content-type") ?? "") ||
    fields.get("warc-type") !== "response"
  ) {
    if (block.length > maxBytes)
      throw new EntryError("too-large", `${block.length} bytes, more than ${maxBytes}`)
    return { body: new Uint8Array(block), facts: factsIn(fields), ...cutOff }
  }
  const head = parseHttpHead(block)
  if (head === null) throw new EntryError("refused", "its record is damaged")
  const body = await httpBody(block.subarray(head.bytes), head.headers, maxBytes)
  if (body.byteLength > maxBytes)
    throw new EntryError("too-large", `${body.byteLength} bytes, more than ${maxBytes}`)
  return { body, headers: Object.fromEntries(SAID.flatMap((name) => fieldOf(name, head.headers))), ...cutOff }
}

/** Headers of the saved response that describe the page. */
const SAID = [
  "last-modified",
  "content-language",
  "content-disposition",
  "link",
  "x-robots-tag",
  "x-fossick-readers",
  "date",
]

const fieldOf = (name: string, headers: ReadonlyMap<string, string>): [string, string][] => {
  const value = headers.get(name)
  return value === undefined ? [] : [[name, value]]
}

/** The facts of a page in Fossick's own export. */
function factsIn(fields: ReadonlyMap<string, string>): PageFacts {
  const of = (fact: keyof typeof FACT_FIELDS) => fields.get(FACT_FIELDS[fact].toLowerCase())
  const published = Date.parse(of("publishedAt") ?? "")
  const type = PAGE_TYPES.find((one) => one === of("type"))
  return {
    ...Object.fromEntries(
      (["title", "description", "author", "language"] as const).flatMap((fact) => {
        const value = of(fact)
        return value === undefined ? [] : [[fact, value]]
      }),
    ),
    ...(!Number.isNaN(published) && { publishedAt: new Date(published) }),
    ...(type !== undefined && { type }),
  }
}
