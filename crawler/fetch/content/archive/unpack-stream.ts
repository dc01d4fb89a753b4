import { Readable, type Transform } from "node:stream"
import { createGunzip, createZstdDecompress } from "node:zlib"
import { ArchiveError } from "./archive.ts"
import { checkRatio, MAX_UNPACKED_BYTES } from "./bounds.ts"
import { type Bytes, chunksFrom } from "./bytes.ts"

/** How a file is compressed, by its first bytes. */
export type Compression = "gzip" | "zstd" | null

export async function compressionOf(bytes: Bytes): Promise<Compression> {
  const magic = (await bytes.read(0, Math.min(4, bytes.size))).toString("hex")
  return magic.startsWith("1f8b") ? "gzip" : magic === "28b52ffd" ? "zstd" : null
}

/** Codes of zlib and zstd for data that ends too early. */
const ENDS_EARLY = new Set(["Z_BUF_ERROR", "ZSTD_error_srcSize_wrong"])

/**
 * Unpacks a whole file in order, within limits.
 * @param onCutOff called when the compressed data ends too early, after everything before that point has been yielded
 * @throws ArchiveError
 */
export async function* unpacked(
  bytes: Bytes,
  compression: Compression,
  onCutOff: () => void,
): AsyncGenerator<Buffer> {
  const raw = Readable.from(chunksFrom(bytes, 0))
  const stream = compression === null ? raw : raw.pipe(decoder(compression))
  raw.on("error", (error) => stream.destroy(error))
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (compression !== null) checkRatio(bytes.size, size)
      if (size > MAX_UNPACKED_BYTES)
        throw new ArchiveError(
          `it unpacks to more than ${MAX_UNPACKED_BYTES} bytes; unpack it and make its folder the source`,
        )
      yield chunk
    }
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException
    if (ENDS_EARLY.has(code)) onCutOff()
    else if (code.startsWith("Z")) throw new ArchiveError(`its compressed data is damaged (${message})`)
    else throw error
  } finally {
    raw.destroy()
  }
}

const decoder = (compression: "gzip" | "zstd"): Transform =>
  compression === "gzip" ? createGunzip() : createZstdDecompress()
