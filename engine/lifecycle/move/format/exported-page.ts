import { hash } from "node:crypto"
import { endianness } from "node:os"
import { INDEX_BOUNDS, parseForeign } from "#base/text/json/foreign-json.ts"
import type { PageWithVectors } from "../../../engine.ts"
import type { Page } from "../../../index/page/page.ts"
import { pageId, type PageUrl, toPageUrl } from "../../../index/page/page-url.ts"
import { areReaders } from "../../../index/page/readers.ts"
import { toPassages } from "../../../text/passages.ts"
import { MAX_FRAME_BYTES } from "./export-format.ts"

const FLOAT_BYTES = 4
/** Maximum size of a page's vectors. Larger ones are left out, so that the page fits in a frame; they are recreated at the destination. */
const MAX_VECTOR_BYTES = MAX_FRAME_BYTES / 2

/** A page in an export. */
export interface ExportedPage extends PageWithVectors {
  /** The page's {@link pageId}. */
  readonly id: string
  readonly passages: number
  /** The page's {@link pageDigest}. */
  readonly digest: Buffer
}

/** The page as JSON, with its fields always in the same order, so that the same page produces the same text. */
function pageJson(page: Page): string {
  return JSON.stringify({
    url: page.url,
    title: page.title,
    description: page.description,
    language: page.language,
    author: page.author,
    publishedAt: page.publishedAt,
    fetchedAt: page.fetchedAt,
    topic: page.topic,
    country: page.country,
    unsafe: page.unsafe,
    ...(page.isListing && { isListing: true }),
    ...(page.type && { type: page.type }),
    ...(page.anchors?.length && { anchors: page.anchors }),
    images: page.images.map(({ url, description }) => ({ url, description })),
    favicon: page.favicon,
    source: page.source,
    ...(page.sharedWith?.length && { sharedWith: page.sharedWith }),
    ...(page.readers?.length && { readers: page.readers }),
    markdown: page.markdown,
  })
}

/** SHA-256 of everything an index stores about a page except its vectors. */
export function pageDigest(page: Page): Buffer {
  return hash("sha256", pageJson(page), "buffer")
}

/** The page with the other facts in its record. */
export function toExported({ page, vectors }: PageWithVectors, json = pageJson(page)): ExportedPage {
  return {
    id: pageId(page.url),
    page,
    vectors,
    passages: vectors?.length ?? toPassages(page.markdown).length,
    digest: hash("sha256", json, "buffer"),
  }
}

/** A page in the form in which it is stored in a frame. */
export function packPage({ page, vectors }: PageWithVectors): { exported: ExportedPage; record: Buffer } {
  const json = pageJson(page)
  const isHuge = (vectors?.length ?? 0) * (vectors?.[0]?.byteLength ?? 0) > MAX_VECTOR_BYTES
  const exported = toExported({ page, vectors: isHuge ? null : vectors }, json)
  const kept = exported.vectors ?? []
  const jsonBytes = Buffer.byteLength(json)
  const dimensions = kept[0]?.length ?? 0
  const record = Buffer.alloc(12 + jsonBytes + kept.length * dimensions * FLOAT_BYTES)
  record.writeUInt32LE(jsonBytes, 0)
  record.write(json, 4, "utf8")
  let at = 4 + jsonBytes
  record.writeUInt32LE(exported.passages, at)
  record.writeUInt32LE(kept.length, at + 4)
  at += 8
  for (const vector of kept) at += littleEndian(vector).copy(record, at)
  return { exported, record }
}

/** The pages of a frame, one after the other. @throws Error saying what is wrong. */
export function* unpackPages(content: Buffer, dimensions: number): Generator<ExportedPage> {
  let at = 0
  const take = (length: number) => {
    if (at + length > content.length) throw new Error("a page is longer than its frame")
    return content.subarray(at, (at += length))
  }
  while (at < content.length) {
    const json = take(take(4).readUInt32LE())
    const passages = take(4).readUInt32LE()
    const count = take(4).readUInt32LE()
    if (count !== 0 && count !== passages) throw new Error("a page does not have one vector for each passage")
    const bytes = take(count * dimensions * FLOAT_BYTES)
    const page = parsePage(json.toString("utf8"))
    const vectors = count === 0 && passages > 0 ? null : vectorsOf(bytes, dimensions)
    yield { id: pageId(page.url), page, vectors, passages, digest: hash("sha256", json, "buffer") }
  }
}

function parsePage(json: string): Page {
  const said = parseForeign(json, INDEX_BOUNDS) as Omit<Page, "publishedAt" | "fetchedAt"> & {
    url: PageUrl
    publishedAt: string | null
    fetchedAt: string
  }
  for (const field of ["url", "title", "markdown", "source", "fetchedAt"] as const)
    if (typeof said?.[field] !== "string") throw new Error(`a page has no text in ${field}`)
  if (!Array.isArray(said.images)) throw new Error("a page has no list of images")
  if (said.readers !== undefined && !areReaders(said.readers))
    throw new Error("a page has readers that can't be read")
  if (Number.isNaN(Date.parse(said.fetchedAt))) throw new Error("a page has no valid fetch time")
  const { publishedAt, fetchedAt, ...rest } = said
  if (toPageUrl(rest.url) !== rest.url) throw new Error("the address of a page is not normalised")
  return {
    ...rest,
    publishedAt: publishedAt === null ? null : new Date(publishedAt),
    fetchedAt: new Date(fetchedAt),
  }
}

/** Copies the bytes of all vectors at once, because bytes can start at any offset but floats can't. */
function vectorsOf(bytes: Buffer, dimensions: number): Float32Array[] {
  const own = Buffer.alloc(bytes.length)
  bytes.copy(own)
  if (endianness() === "BE") own.swap32()
  const all = new Float32Array(own.buffer, own.byteOffset, own.length / FLOAT_BYTES)
  return Array.from({ length: all.length / dimensions }, (_, i) =>
    all.subarray(i * dimensions, (i + 1) * dimensions),
  )
}

function littleEndian(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  return endianness() === "BE" ? Buffer.from(bytes).swap32() : bytes
}
