import type { IncomingMessage } from "node:http"
import type { Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"

import { type ForeignJsonError, parseForeign } from "#base/text/json/foreign-json.ts"

import type { Middleware } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { type ArrivingBodies, bodiesOfProcess } from "../load/arriving-bodies.ts"

/** A body whose bytes are not JSON text: empty, cut off, not UTF-8 or not parsable. */
export class UnparsableBody extends ApiError {
  constructor(message: string) {
    super(400, message)
  }
}

/** A body that is JSON, but not an object. */
export class NoObjectBody extends ApiError {
  constructor() {
    super(400, "The request body must be a JSON object.")
  }
}

/** Number of bodies of maximum size for which there is always room. */
const LEAST_BODIES = 4

/** The memory for all bodies that are arriving in the process: there is always room for a few bodies of size `limit`. */
export function arrivingBodies(limit: number): ArrivingBodies {
  bodiesOfProcess.most = Math.max(bodiesOfProcess.most, LEAST_BODIES * limit)
  return bodiesOfProcess
}

/**
 * Reads the body as one JSON object into `ctx.state.body`.
 *
 * A missing content type is treated as JSON; gzip, deflate and brotli bodies are read. `limit` is in bytes of the
 * decoded body, and reading stops there, so that a small compressed body cannot grow without bound. Callers that send
 * slowly share a bounded amount of memory: when it is full, the slowest is cut off.
 */
export function jsonBody(limit: number, arriving = arrivingBodies(limit)): Middleware {
  return async (ctx, next) => {
    const type = ctx.get("Content-Type").split(";")[0]!.trim().toLowerCase()
    if (type !== "" && type !== "application/json" && !type.endsWith("+json")) {
      throw new ApiError(415, "Unsupported content type. Send the body as application/json.")
    }
    const text = await bodyText(ctx.req, ctx.get("Content-Encoding"), limit, arriving)
    ctx.state.body = parseObject(text)
    await next()
  }
}

/**
 * The body as decoded text, at most `limit` bytes.
 * @throws ApiError 400, 413, 415
 */
export async function bodyText(
  request: IncomingMessage,
  encoding: string,
  limit: number,
  arriving: ArrivingBodies,
): Promise<string> {
  const tooLarge = () => new ApiError(413, `Request body exceeds ${limit} bytes.`)
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge()
  const decoder = decoderFor(encoding.trim().toLowerCase())
  const chunks: Buffer[] = []
  let size = 0
  const held = arriving.begin(() => request.destroy())
  try {
    if (decoder !== null) {
      request.once("error", (error) => decoder.destroy(error))
      request.pipe(decoder)
    }
    // The connection is left open, because the caller can read the refusal only while it is open.
    const body: AsyncIterable<Buffer> = decoder ?? request.iterator({ destroyOnReturn: false })
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      chunks.push(chunk)
      held.add(chunk.length)
    }
  } catch (error) {
    request.unpipe()
    request.resume()
    if (error instanceof ApiError) throw error
    if (request.destroyed && !request.complete) throw new UnparsableBody("The request body ended too early.")
    throw new UnparsableBody(`The request body is not valid ${encoding}.`)
  } finally {
    held.end()
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new UnparsableBody("The request body is not valid UTF-8.")
  }
}

function decoderFor(encoding: string): Transform | null {
  switch (encoding) {
    case "":
    case "identity":
      return null
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "deflate":
      return createInflate()
    case "br":
      return createBrotliDecompress()
    default:
      throw new ApiError(415, "Unsupported content encoding. Must be gzip, deflate, br or none.")
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseForeign(text)
  } catch (error) {
    if (text.trim() === "") throw new UnparsableBody("The request body is empty. Send a JSON object.")
    const { kind, message } = error as ForeignJsonError
    throw new UnparsableBody(`The request body ${kind === "syntax" ? "is not valid JSON" : message}.`)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NoObjectBody()
  }
  return value as Readonly<Record<string, unknown>>
}
