import { promisify } from "node:util"
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib"

/** What requests accept. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br, zstd"

export type Decompressed =
  | { readonly kind: "body"; readonly body: Uint8Array }
  | { readonly kind: "too-large" }
  | { readonly kind: "bad-encoding"; readonly detail: string }

const gunzipAsync = promisify(gunzip)
const brotliAsync = promisify(brotliDecompress)
const zstdAsync = promisify(zstdDecompress)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)

/** Nobody has a reason to compress twice; a third layer is an attack. */
const MAX_LAYERS = 2

/** 8 MB, the most that a site may ask of a reader (RFC 9659 §3); the decoder by itself would hold 128 MB. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

/** Undoes Content-Encoding. What comes out is never larger than `maxBytes`, whatever went in. */
export async function decompress(
  body: Uint8Array,
  header: string | undefined,
  maxBytes: number,
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
      current = await undo(layer, current, maxBytes)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large" }
      return { kind: "bad-encoding", detail: `the ${layer} body is truncated or corrupt: ${message}` }
    }
  }
  // What zlib returns may share its buffer with others and cannot be handed to another thread.
  return { kind: "body", body: current === body ? body : new Uint8Array(current) }
}

function undo(layer: string, body: Uint8Array, maxOutputLength: number): Promise<Buffer> {
  switch (layer) {
    case "gzip":
    case "x-gzip":
      return gunzipAsync(body, { maxOutputLength })
    case "br":
      return brotliAsync(body, { maxOutputLength })
    case "zstd":
      return zstdAsync(body, { maxOutputLength, params: ZSTD_PARAMS })
    case "deflate":
      // RFC 9110 means zlib by "deflate", some servers send it bare: the zlib header tells them apart.
      return hasZlibHeader(body)
        ? inflateAsync(body, { maxOutputLength })
        : inflateRawAsync(body, { maxOutputLength })
    default:
      return Promise.reject(new Error(`unknown encoding`))
  }
}

function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}
