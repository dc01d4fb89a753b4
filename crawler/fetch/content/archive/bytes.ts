import type { FileHandle } from "node:fs/promises"
import { fill } from "../read-file.ts"

/** The bytes of a file, at any position. */
export interface Bytes {
  readonly size: number
  /** @throws CutOffError if the file ends too early */
  read(position: number, length: number): Promise<Buffer>
}

/** The file ends before the bytes that were requested. */
export class CutOffError extends Error {}

/** The bytes of an open file. */
export class FileBytes implements Bytes {
  readonly handle: FileHandle
  readonly size: number

  constructor(handle: FileHandle, size: number) {
    this.handle = handle
    this.size = size
  }

  async read(position: number, length: number): Promise<Buffer> {
    // Checked before allocating memory, since the length comes from the archive.
    if (position < 0 || position + length > this.size) throw new CutOffError("the file ends too early")
    const buffer = Buffer.alloc(length)
    if ((await fill(this.handle, buffer, position)) < length)
      throw new CutOffError("the file got shorter while it was being read")
    return buffer
  }
}

/** Reads a large part of a file at once, to serve many small reads close together. */
export class Window implements Bytes {
  readonly size: number
  readonly #bytes: Bytes
  readonly #width: number
  #start = 0
  #held: Buffer = Buffer.alloc(0)

  constructor(bytes: Bytes, width: number) {
    this.#bytes = bytes
    this.size = bytes.size
    this.#width = width
  }

  async read(position: number, length: number): Promise<Buffer> {
    const isHeld = position >= this.#start && position + length <= this.#start + this.#held.length
    if (!isHeld) {
      const width = Math.max(length, Math.min(this.#width, this.size - position))
      this.#held = await this.#bytes.read(position, width)
      this.#start = position
    }
    return this.#held.subarray(position - this.#start, position - this.#start + length)
  }
}

/** The bytes from `start` to `end`, at most `width` of them at a time. */
export async function* chunksFrom(
  bytes: Bytes,
  start: number,
  end = bytes.size,
  width = 256 * 1024,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += width) yield await bytes.read(at, Math.min(width, end - at))
}
