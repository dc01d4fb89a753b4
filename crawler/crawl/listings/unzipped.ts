import { promisify } from "node:util"
import { constants, gunzip } from "node:zlib"

const gunzipAsync = promisify(gunzip)

export interface Unzipped {
  readonly body: Uint8Array
  /** Whether the end of the file is missing. */
  readonly isCutOff: boolean
}

/**
 * Unpacks a file packed with gzip (RFC 1952), up to where it was cut off; any other file is returned unchanged. `null`
 * if the archive is damaged or its content larger than `maxBytes`.
 */
export async function unzipped(body: Uint8Array, maxBytes: number): Promise<Unzipped | null> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return { body, isCutOff: false }
  const limits = { maxOutputLength: maxBytes }
  try {
    return { body: await gunzipAsync(body, limits), isCutOff: false }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "Z_BUF_ERROR") return null
  }
  const part = await gunzipAsync(body, { ...limits, finishFlush: constants.Z_SYNC_FLUSH }).catch(() => null)
  return part && { body: part, isCutOff: true }
}
