import { pipeline } from "node:stream/promises"
import type { Transform } from "node:stream"
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib"
import type { QueuedAccount } from "#base/flow/memory/queued-budget.ts"

/** The encodings that requests accept. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br, zstd"

export type Decompressed =
  | { readonly kind: "body"; readonly body: Uint8Array }
  | { readonly kind: "too-large" }
  | { readonly kind: "bad-encoding"; readonly detail: string }

/** Maximum number of nested encodings. There is no reason to compress even twice; a third layer is an attack. */
const MAX_LAYERS = 2

/** 8 MB, the largest window that a site may expect a client to support (RFC 9659 §3); the decoder's own limit is 128 MB. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

/** Size of each chunk of decoded output. With Node.js's default of 16 KB, decoding takes twice as long. */
const CHUNK_BYTES = 64 * 1024

class TooLarge extends Error {}

/**
 * Undoes Content-Encoding. The output is never larger than `maxBytes`, whatever the input.
 * @param memory the account from which the output bytes are reserved; the input bytes are reserved already
 */
export async function decompress(
  body: Uint8Array,
  header: string | undefined,
  maxBytes: number,
  memory?: QueuedAccount,
): Promise<Decompressed> {
  const layers = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity")
  if (layers.length > MAX_LAYERS) return { kind: "bad-encoding", detail: `compressed ${layers.length} times` }
  let current = body
  for (const layer of layers.reverse()) {
    try {
      const undone = await undo(layer, current, maxBytes, memory)
      memory?.release(current.byteLength)
      current = undone
    } catch (error) {
      if (error instanceof TooLarge) return { kind: "too-large" }
      const { message } = error as Error
      return { kind: "bad-encoding", detail: `the ${layer} body is truncated or corrupt: ${message}` }
    }
  }
  return { kind: "body", body: current }
}

async function undo(
  layer: string,
  body: Uint8Array,
  maxBytes: number,
  memory: QueuedAccount | undefined,
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  await pipeline([body], decoder(layer, body), async (made: AsyncIterable<Buffer>) => {
    for await (const chunk of made) {
      size += chunk.byteLength
      if (size > maxBytes) throw new TooLarge()
      await memory?.reserve(chunk.byteLength)
      chunks.push(chunk)
    }
  })
  return join(chunks, size)
}

function decoder(layer: string, body: Uint8Array): Transform {
  const chunkSize = CHUNK_BYTES
  switch (layer) {
    case "gzip":
    case "x-gzip":
      return createGunzip({ chunkSize })
    case "br":
      return createBrotliDecompress({ chunkSize })
    case "zstd":
      return createZstdDecompress({ chunkSize, params: ZSTD_PARAMS })
    case "deflate":
      // RFC 9110 defines "deflate" as zlib, but some servers send raw deflate: the zlib header tells them apart.
      return hasZlibHeader(body) ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })
    default:
      throw new Error(`unknown encoding`)
  }
}

function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

/** A separate buffer, never a slice of a pool, because the whole buffer is transferred to a worker thread. */
export function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  return body
}
