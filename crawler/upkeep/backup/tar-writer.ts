import { createHash } from "node:crypto"
import { type Pack, pack } from "tar-stream"
import { type EntrySum, SUMS, sumsText } from "./backup-format.ts"

/** The archive's files are readable only by their owner, no matter who unpacks them. */
const MODE = 0o600

/** Writes the entries of a backup and keeps their checksums for the last entry. */
export class TarWriter {
  readonly #pack: Pack = pack()
  readonly #sums: EntrySum[] = []
  readonly #mtime: Date

  constructor(mtime: Date) {
    this.#mtime = mtime
  }

  /** The archive as it is being written; its reader sets the pace. */
  bytes(): AsyncIterable<Buffer> {
    return this.#pack as AsyncIterable<unknown> as AsyncIterable<Buffer>
  }

  /** Adds a file. @param size exact number of bytes in `chunks` */
  async add(name: string, size: number, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const done = Promise.withResolvers<void>()
    const header = { name, size, mode: MODE, mtime: this.#mtime, type: "file" } as const
    const entry = this.#pack.entry(header, (error) => {
      if (error) done.reject(error)
      else done.resolve()
    })
    const sha256 = createHash("sha256")
    for await (const chunk of chunks) {
      sha256.update(chunk)
      if (entry.write(chunk)) continue
      const drained = new Promise<void>((resolve) => entry.once("drain", resolve))
      await Promise.race([drained, done.promise])
    }
    entry.end(undefined)
    await done.promise
    this.#sums.push({ name, bytes: size, sha256: sha256.digest("hex") })
  }

  /** Adds the checksums and ends the archive. */
  async finish(): Promise<void> {
    const text = Buffer.from(sumsText(this.#sums))
    await this.add(SUMS, text.length, [text])
    this.#pack.finalize()
  }

  fail(error: Error): void {
    this.#pack.destroy(error)
  }
}
