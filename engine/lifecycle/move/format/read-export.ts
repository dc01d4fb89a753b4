import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { breather } from "#base/flow/breather.ts"
import { INDEX_BOUNDS, parseForeign } from "#base/text/json/foreign-json.ts"
import { ByteReader } from "./byte-reader.ts"
import { ExportFileError } from "./export-file-error.ts"
import {
  ANY_MARK,
  checkedHash,
  type ExportHeader,
  type ExportTotals,
  FORMAT,
  type FrameHead,
  HEAD_BYTES,
  MARK,
  readHead,
} from "./export-format.ts"
import { type ExportedPage, unpackPages } from "./exported-page.ts"
import { RunningTotals } from "../totals.ts"

const decompress = promisify(zstdDecompress)

/** A frame that is exactly what its writer wrote, in the place where the writer put it. */
interface CheckedFrame extends FrameHead {
  /** The frame's position, in bytes from the beginning of the file. */
  readonly at: number
  readonly body: Buffer
}

/** The frames whose pages were read, including the header's. */
interface SoundPart {
  /** The end of the last of these frames, in bytes from the beginning. */
  readonly bytes: number
  readonly frames: number
  /** Hash of the last frame. */
  readonly hash: Buffer
}

/**
 * Reads an export frame by frame, and keeps at most one frame in memory. Every byte is checked before it is used;
 * anything that differs from what was written ends the reading with an {@link ExportFileError}.
 */
export class ExportReader {
  readonly header: ExportHeader
  readonly #name: string
  readonly #bytes: ByteReader
  #hash: Buffer
  #frames = 1
  #sound: SoundPart
  #totals: ExportTotals | null = null
  readonly #read = new RunningTotals()

  private constructor(name: string, bytes: ByteReader, header: ExportHeader, hash: Buffer) {
    this.#name = name
    this.#bytes = bytes
    this.header = header
    this.#hash = hash
    this.#sound = { bytes: bytes.offset, frames: 1, hash }
  }

  /**
   * Reads the header.
   * @param name the file's name, for messages
   * @throws ExportFileError
   */
  static async open(bytes: AsyncIterable<Uint8Array>, name: string): Promise<ExportReader> {
    const reader = new ByteReader(bytes)
    try {
      const mark = await reader.take(MARK.length)
      if (!mark.equals(MARK)) throw strangeMark(mark, name)
      const { head, bytes: headBytes, at } = await readFrameHead(reader, name, 0)
      if (head.kind !== "HEAD") throw damaged(name, 0, at, "it is not a header")
      const body = await readBody(reader, name, head, at)
      const hash = checkedHash(headBytes, body, mark)
      if (hash === null) throw damaged(name, 0, at, "its hash does not match")
      const header = await saidIn<ExportHeader>(head, body, ["embedder", "dimensions"]).catch(
        (error: Error) => Promise.reject(damaged(name, 0, at, error.message)),
      )
      return new ExportReader(name, reader, header, hash)
    } catch (error) {
      await reader.close()
      throw error
    }
  }

  /** The trailer; `null` until it has been read. */
  get totals(): ExportTotals | null {
    return this.#totals
  }

  /** The part of the file from which an export can continue if the rest can't be read. */
  get sound(): SoundPart {
    return this.#sound
  }

  /** Totals of the pages that {@link pages} has returned so far. */
  get read(): RunningTotals {
    return this.#read
  }

  /**
   * The pages, one frame at a time. At the end, {@link totals} is known, and matches the pages read.
   * @throws ExportFileError
   */
  async *pages(): AsyncGenerator<readonly ExportedPage[]> {
    const breathe = breather()
    let last = ""
    for await (const frame of this.#checkedFrames()) {
      const content = await contentOf(frame, frame.body).catch((error: Error) => {
        throw this.#damaged(frame, `it cannot be decompressed (${error.message})`)
      })
      const pages: ExportedPage[] = []
      try {
        for (const page of unpackPages(content, this.header.dimensions)) {
          if (page.id <= last) throw new Error("its pages are out of order")
          last = page.id
          pages.push(page)
          await breathe()
        }
        if (pages.length !== frame.pages) throw new Error(`it has ${pages.length} pages, not ${frame.pages}`)
      } catch (error) {
        throw this.#damaged(frame, (error as Error).message)
      }
      for (const page of pages) this.#read.add(page)
      this.#sound = { bytes: this.#bytes.offset, frames: this.#frames, hash: this.#hash }
      yield pages
    }
    const [said, read] = [JSON.stringify(this.#totals), JSON.stringify(this.#read.totals())]
    if (said !== read) {
      const what = `${this.#name} has ${read}, but its trailer says ${said}.`
      throw new ExportFileError("DAMAGED", this.#sound.bytes, what)
    }
  }

  /** Checks all hashes to the end without parsing the content, which takes a tenth of the time. @throws ExportFileError */
  async check(): Promise<ExportTotals> {
    let pages = 0
    for await (const frame of this.#checkedFrames()) pages += frame.pages
    if (this.#totals!.pages !== pages) {
      const what = `${this.#name} has ${pages} pages, but its trailer says ${this.#totals!.pages}.`
      throw new ExportFileError("DAMAGED", this.#sound.bytes, what)
    }
    return this.#totals!
  }

  /** The frames with pages; the trailer after them is read and kept. */
  async *#checkedFrames(): AsyncGenerator<CheckedFrame> {
    try {
      for (;;) {
        const { head, bytes, at } = await readFrameHead(this.#bytes, this.#name, this.#frames)
        if (head.number !== this.#frames) {
          throw damaged(this.#name, this.#frames, at, `frame ${head.number} is in its place`)
        }
        const body = await readBody(this.#bytes, this.#name, head, at)
        const hash = checkedHash(bytes, body, this.#hash)
        if (hash === null) {
          const why = "it was changed, or is from another export: its hash does not match"
          throw damaged(this.#name, this.#frames, at, why)
        }
        if (head.kind === "TAIL") {
          this.#totals = await saidIn<ExportTotals>(head, body, ["pages", "content"]).catch((error: Error) =>
            Promise.reject(damaged(this.#name, this.#frames, at, error.message)),
          )
          const end = this.#bytes.offset
          if ((await this.#bytes.take(1)).length === 0) return
          throw new ExportFileError("DAMAGED", end, `${this.#name} continues after its end, at byte ${end}.`)
        }
        if (head.kind === "HEAD") throw damaged(this.#name, this.#frames, at, "it is a second header")
        this.#hash = hash
        this.#frames++
        yield { ...head, at, body }
      }
    } finally {
      await this.#bytes.close()
    }
  }

  #damaged({ number, at }: CheckedFrame, why: string): ExportFileError {
    return damaged(this.#name, number, at, why)
  }
}

async function readFrameHead(
  reader: ByteReader,
  name: string,
  number: number,
): Promise<{ head: FrameHead; bytes: Buffer; at: number }> {
  const at = reader.offset
  const bytes = await reader.take(HEAD_BYTES)
  if (bytes.length < HEAD_BYTES) throw truncated(name, number, at)
  const head = readHead(bytes)
  if (head === null) throw damaged(name, number, at, "its head is not valid")
  return { head, bytes, at }
}

async function readBody(reader: ByteReader, name: string, head: FrameHead, at: number): Promise<Buffer> {
  const body = await reader.take(head.bodyBytes)
  if (body.length < head.bodyBytes) throw truncated(name, head.number, at)
  return body
}

async function contentOf({ contentBytes }: FrameHead, body: Buffer): Promise<Buffer> {
  const content = await decompress(body, { maxOutputLength: Math.max(1, contentBytes) })
  if (content.length !== contentBytes) throw new Error(`${content.length} bytes instead of ${contentBytes}`)
  return content
}

/** The object in a frame. Its matching hash only proves that it is unchanged since it was written. */
async function saidIn<T extends object>(
  head: FrameHead,
  body: Buffer,
  fields: readonly (keyof T)[],
): Promise<T> {
  const said = parseForeign(String(await contentOf(head, body)), INDEX_BOUNDS) as T | null
  const missing = fields.find((field) => (said?.[field] ?? null) === null)
  if (said === null || missing !== undefined) throw new Error(`it has no ${String(missing ?? fields[0])}`)
  return said
}

function strangeMark(mark: Buffer, name: string): ExportFileError {
  const text = mark.toString("latin1")
  if (mark.length < MARK.length && MARK.subarray(0, mark.length).equals(mark)) return truncated(name, 0, 0)
  if (text.startsWith(ANY_MARK) && Number.parseInt(text.slice(ANY_MARK.length), 10) > FORMAT) {
    const format = text.slice(ANY_MARK.length).trim()
    return new ExportFileError(
      "FORMAT_TOO_NEW",
      0,
      `${name} is in format ${format}, from a newer Fossick; this one reads format ${FORMAT}. Upgrade this one first.`,
    )
  }
  const hint = text.includes("> ") ? " It seems to begin with output from npm: use npx fossick." : ""
  return new ExportFileError("NOT_AN_EXPORT", 0, `${name} is not an export of a Fossick index.${hint}`)
}

function truncated(name: string, number: number, at: number): ExportFileError {
  return new ExportFileError(
    "TRUNCATED",
    at,
    `${name} is incomplete: it ends in or before frame ${number}, at byte ${at}. Export again, or copy it again.`,
  )
}

function damaged(name: string, number: number, at: number, why: string): ExportFileError {
  return new ExportFileError("DAMAGED", at, `${name} is damaged in frame ${number}, at byte ${at}: ${why}.`)
}
