import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

import type { BaseContext } from "koa"

/** A constant body, in the encodings in which it is sent. */
export interface PreparedBody {
  /** The body's content type. */
  readonly type: string
  readonly plain: Buffer
  /** The compressed body; `null` if it would not be smaller. */
  readonly br: Buffer | null
  readonly gzip: Buffer | null
  readonly etag: string
}

/** Compresses a page's text in a few milliseconds, to within 5% of the smallest size. */
const BROTLI_QUALITY = 9

/** Prepares text to be sent any number of times. Compression runs in the system's threads. */
export async function prepare(type: string, text: string): Promise<PreparedBody> {
  const plain = Buffer.from(text)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  const packed = await Promise.all([promisify(brotliCompress)(plain, { params }), promisify(gzip)(plain)])
  const [br = null, zipped = null] = packed.map((body) => (body.length < plain.length ? body : null))
  return { type, plain, br, gzip: zipped, etag: digestOf(plain) }
}

/** An identifier for a body, used as an entity tag. */
export const digestOf = (body: string | Buffer): string =>
  createHash("sha256").update(body).digest("base64url").slice(0, 22)

/** Sends the body in the smallest encoding that the caller accepts, or answers that the caller already has it. */
export function sendPrepared(ctx: BaseContext, prepared: PreparedBody, caching: string): void {
  const { type, plain, br, gzip: zipped, etag } = prepared
  ctx.status = 200
  ctx.set("Content-Type", type)
  ctx.set("Cache-Control", caching)
  ctx.vary("Accept-Encoding")
  const encoding = ctx.acceptsEncodings(
    ...[br && "br", zipped && "gzip", "identity"].filter((one) => typeof one === "string"),
  )
  const body = encoding === "br" ? br : encoding === "gzip" ? zipped : null
  ctx.etag = `${etag}${body === null ? "" : `-${String(encoding)}`}`
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (body !== null) ctx.set("Content-Encoding", String(encoding))
  ctx.body = body ?? plain
  // Set last, because Koa sets its own type when it receives the body.
  ctx.set("Content-Type", type)
}
