import { promisify } from "node:util"
import { constants, unzip } from "node:zlib"
import { decompress } from "../../../content-encoding.ts"
import { EntryError } from "../archive.ts"

/**
 * The body of a response without its transfer and content encoding. Programs that write WARC files often decode bodies
 * and keep the old headers, so a body that doesn't match its headers is used unchanged.
 * @throws EntryError when it is too large
 */
export async function httpBody(
  raw: Buffer,
  headers: ReadonlyMap<string, string>,
  maxBytes: number,
): Promise<Uint8Array> {
  const isChunked = /(?:^|,)\s*chunked\s*$/i.test(headers.get("transfer-encoding") ?? "")
  const whole = (isChunked ? withoutChunks(raw) : null) ?? raw
  const undone = await decompress(whole, headers.get("content-encoding"), maxBytes)
  if (undone.kind === "too-large") throw new EntryError("too-large", `more than ${maxBytes} bytes`)
  if (undone.kind === "body") return new Uint8Array(undone.body)
  return (await partOf(whole, maxBytes)) ?? new Uint8Array(whole)
}

const unzipped = promisify(unzip)

/** The first part of a gzip body that was cut off; `null` if it isn't gzip or nothing can be unpacked. */
async function partOf(body: Buffer, maxBytes: number): Promise<Uint8Array | null> {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes }
  const part = await unzipped(body, options).catch(() => null)
  return part === null || part.length === 0 ? null : new Uint8Array(part)
}

/** The data of a chunked body (RFC 9112 §7.1), up to the point where it is cut off; `null` if it isn't chunked. */
function withoutChunks(raw: Buffer): Buffer | null {
  const chunks: Buffer[] = []
  for (let at = 0; at < raw.length;) {
    const end = raw.indexOf("\r\n", at)
    const size = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i.exec(raw.toString("latin1", at, end < 0 ? at : end))?.[1]
    if (size === undefined) return chunks.length === 0 ? null : Buffer.concat(chunks)
    const length = Number.parseInt(size, 16)
    if (length === 0) break
    chunks.push(raw.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
  return Buffer.concat(chunks)
}
