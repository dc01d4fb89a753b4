import { promisify } from "node:util"
import { gunzip } from "node:zlib"

const gunzipAsync = promisify(gunzip)

/** A file as it is, or what is packed in it by gzip (RFC 1952); null when that is damaged or larger than `maxBytes`. */
export async function unzipped(body: Uint8Array, maxBytes: number): Promise<Uint8Array | null> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body
  return await gunzipAsync(body, { maxOutputLength: maxBytes }).catch(() => null)
}
