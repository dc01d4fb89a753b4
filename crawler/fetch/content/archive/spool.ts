import type { FileHandle } from "node:fs/promises"

/** Number of bytes per write. */
const BLOCK = 1024 * 1024

/** Appends bytes to a file, one large block at a time. */
export class Spool {
  readonly handle: FileHandle
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #written = 0

  constructor(handle: FileHandle) {
    this.handle = handle
  }

  get size(): number {
    return this.#written + this.#waitingBytes
  }

  async append(chunk: Buffer): Promise<void> {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes >= BLOCK) await this.flush()
  }

  async flush(): Promise<void> {
    const block = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    for (let at = 0; at < block.length;) {
      const { bytesWritten } = await this.handle.write(block, at, block.length - at, this.#written)
      at += bytesWritten
      this.#written += bytesWritten
    }
  }
}
