import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { breather } from "#base/flow/breather.ts"
import { fossickVersion } from "#base/fossick-version.ts"
import type { Engine } from "../../../engine.ts"
import { type Page, sourcesOf } from "../../../index/page/page.ts"
import { readersLabel } from "../../../index/page/readers.ts"
import { typeOf } from "../../../index/page/page-type.ts"
import { pageDigest } from "../format/exported-page.ts"
import { FACT_FIELDS } from "./fact-fields.ts"

const packed = promisify(gzip)

export interface WarcOptions {
  /** Exports only pages of this source. */
  readonly source?: string | undefined
  /** Sources that have readers. */
  readonly closed?: readonly string[]
  /** Called for each page that is left out. */
  readonly onLeftOut?: () => void
  readonly signal?: AbortSignal | undefined
}

/** A record, compressed as its own gzip member, and how many pages have been written so far. */
export interface WarcPart {
  readonly bytes: Buffer
  readonly pages: number
}

/**
 * Writes the pages of an index as a WARC 1.1 file, one record at a time. Fossick stores only the text of a page, so
 * each record is a `conversion` to Markdown (WARC 1.1, §6.7). The same page always gets the same record. Pages with
 * readers are left out, since nothing in such a file says who may read them.
 */
export async function* writeWarc(
  engine: Pick<Engine, "allPages">,
  { source, closed = [], onLeftOut, signal }: WarcOptions = {},
): AsyncGenerator<WarcPart> {
  const about = `software: Fossick ${fossickVersion()}\r\nformat: WARC File Format 1.1\r\n`
  const date = new Date().toISOString()
  const info = urnOf(hash("sha256", `${about} ${source ?? ""} ${date}`, "buffer"))
  yield {
    bytes: await record(
      [
        ["WARC-Type", "warcinfo"],
        ["WARC-Record-ID", info],
        ["WARC-Date", date],
        ["Content-Type", "application/warc-fields"],
      ],
      about,
    ),
    pages: 0,
  }
  let pages = 0
  const breathe = breather()
  for await (const { page } of engine.allPages(signal && { signal })) {
    signal?.throwIfAborted()
    const sources = sourcesOf(page)
    if (source !== undefined && !sources.includes(source)) continue
    if (readersLabel(page.readers) !== null || sources.some((name) => closed.includes(name))) {
      onLeftOut?.()
      continue
    }
    pages += 1
    const bytes = await record([...fieldsOf(page), ["WARC-Warcinfo-ID", info]], blockOf(page))
    yield { bytes, pages }
    await breathe()
  }
}

type Field = readonly [name: string, value: string]

function fieldsOf(page: Page): Field[] {
  const facts = {
    title: page.title,
    description: page.description,
    author: page.author,
    language: page.language,
    publishedAt: page.publishedAt?.toISOString() ?? null,
    type: typeOf(page),
  }
  return [
    ["WARC-Type", "conversion"],
    ["WARC-Record-ID", urnOf(pageDigest(page))],
    ["WARC-Date", page.fetchedAt.toISOString()],
    ["WARC-Target-URI", page.url],
    ["Content-Type", "text/markdown; charset=utf-8"],
    ...Object.entries(FACT_FIELDS).flatMap(([fact, name]): Field[] => {
      const value = facts[fact as keyof typeof facts]
      return value === null ? [] : [[name, oneLine(value)]]
    }),
  ]
}

/** Three dashes at the start would be mistaken for front matter. */
const blockOf = ({ markdown }: Page): string => (markdown.startsWith("---") ? `\n${markdown}` : markdown)

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ").trim()

async function record(fields: readonly Field[], block: string): Promise<Buffer> {
  const body = Buffer.from(block)
  const digest: Field = ["WARC-Block-Digest", `sha1:${base32(hash("sha1", body, "buffer"))}`]
  const length: Field = ["Content-Length", `${body.length}`]
  const lines = [...fields, digest, length].map(([name, value]) => `${name}: ${value}\r\n`)
  return await packed(
    Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join("")}\r\n`), body, Buffer.from("\r\n\r\n")]),
  )
}

/** A version 8 UUID (RFC 9562 §5.8): the same bytes always produce the same UUID. */
function urnOf(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString("hex")
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `<urn:uuid:${parts.join("-")}>`
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Base32 as in WARC digests (RFC 4648 §6). 20 bytes need no padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return bits.replaceAll(/.{5}/g, (digit) => BASE32[Number.parseInt(digit, 2)]!)
}
