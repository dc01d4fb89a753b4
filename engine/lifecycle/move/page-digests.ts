import type { ExportedPage } from "./format/exported-page.ts"

const ID_BYTES = 22
const DIGEST_BYTES = 32
const ENTRY_BYTES = ID_BYTES + DIGEST_BYTES

/** The id and digest of each page seen, in 54 bytes, in order of the ids. */
export class PageDigests {
  #entries = Buffer.alloc(1024 * ENTRY_BYTES)
  #size = 0

  get size(): number {
    return this.#size
  }

  add({ id, digest }: Pick<ExportedPage, "id" | "digest">): void {
    if ((this.#size + 1) * ENTRY_BYTES > this.#entries.length) {
      const larger = Buffer.alloc(this.#entries.length * 2)
      this.#entries.copy(larger)
      this.#entries = larger
    }
    const at = this.#size * ENTRY_BYTES
    this.#entries.write(id, at, "latin1")
    digest.copy(this.#entries, at + ID_BYTES)
    this.#size++
  }

  id(i: number): string {
    return this.#entries.toString("latin1", i * ENTRY_BYTES, i * ENTRY_BYTES + ID_BYTES)
  }

  digest(i: number): Buffer {
    return this.#entries.subarray(i * ENTRY_BYTES + ID_BYTES, (i + 1) * ENTRY_BYTES)
  }
}
