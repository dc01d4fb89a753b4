/** Splits a stream of bytes into pieces of the requested length; keeps at most one piece and one chunk in memory. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  #offset = 0

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** Number of bytes read so far. */
  get offset(): number {
    return this.#offset
  }

  /** The next bytes; fewer only at the end of the stream. */
  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next()
        if (next.done) break
        this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
        continue
      }
      const piece = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
      pieces.push(piece)
    }
    const taken = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    this.#offset += taken.length
    return taken
  }

  /** Releases the underlying stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
