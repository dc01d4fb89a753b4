import { Readable } from "node:stream"

import type { Context } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import type { ArrivingBodies } from "../load/arriving-bodies.ts"

/** A file from a form, with the form's other fields. */
export interface FileForm {
  readonly name: string
  /** Media type as it was sent; empty if there was none. */
  readonly type: string
  readonly body: Uint8Array
  readonly fields: Readonly<Record<string, string>>
}

/** Bytes allowed for everything but the file: names, fields and boundaries. */
const MOST_BESIDE = 1_000_000

/** Whether a body is a form with files. */
export const isForm = (ctx: Context): boolean => /^multipart\/form-data\s*;/i.test(ctx.get("Content-Type"))

/**
 * Reads a form (RFC 7578) whose field `file` is a file.
 * @param names names of the other fields that the form may have
 * @throws ApiError 400, 413
 */
export async function readFileForm(
  ctx: Context,
  { names, maxBytes, arriving }: { names: readonly string[]; maxBytes: number; arriving: ArrivingBodies },
): Promise<FileForm> {
  const form = await formOf(ctx, maxBytes + MOST_BESIDE, arriving)
  const fields: Record<string, string> = {}
  let file: File | null = null
  for (const [name, value] of form) {
    if (name === "file" && typeof value !== "string" && file === null) file = value
    else if (typeof value === "string" && names.includes(name) && !(name in fields)) fields[name] = value
    else
      throw badRequest(`Invalid ${name}. A form has one file, named file, and may have ${names.join(", ")}.`)
  }
  if (file === null) throw badRequest("Invalid file. The form must contain a file with this name.")
  if (file.size > maxBytes)
    throw new ApiError(413, `The file exceeds ${maxBytes} bytes (FOSSICK_MAX_PAGE_BYTES).`)
  return { name: file.name, type: file.type, body: new Uint8Array(await file.arrayBuffer()), fields }
}

async function formOf(ctx: Context, limit: number, arriving: ArrivingBodies): Promise<FormData> {
  const tooLarge = () => new ApiError(413, `Request body exceeds ${limit} bytes.`)
  if (Number(ctx.get("Content-Length")) > limit) throw tooLarge()
  const held = arriving.begin(() => ctx.req.destroy())
  let size = 0
  const counted = async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      held.add(chunk.length)
      yield chunk
    }
  }
  try {
    const body = Readable.toWeb(
      Readable.from(counted(ctx.req.iterator({ destroyOnReturn: false })), { objectMode: false }),
    )
    return await new Response(body as ReadableStream, {
      headers: { "Content-Type": ctx.get("Content-Type") },
    }).formData()
  } catch (error) {
    ctx.req.resume()
    if (error instanceof ApiError) throw error
    throw badRequest("The request body can't be read as a form.")
  } finally {
    held.end()
  }
}
