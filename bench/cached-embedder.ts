import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import type { Embedder } from "#engine"

const KEY_BYTES = 16

/** An embedder whose vectors are kept between runs, in the system's folder for temporary files. */
export class CachedEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly #embedder: Embedder
  readonly #file: string
  readonly #known = new Map<string, Float32Array>()

  constructor(embedder: Embedder) {
    this.id = embedder.id
    this.dimensions = embedder.dimensions
    this.#embedder = embedder
    const folder = path.join(tmpdir(), "fossick-bench")
    mkdirSync(folder, { recursive: true })
    this.#file = path.join(folder, `${sha256(embedder.id).toString("hex").slice(0, 16)}.vectors`)
    if (existsSync(this.#file)) this.#read()
  }

  async embed(texts: readonly string[], options?: Parameters<Embedder["embed"]>[1]): Promise<Float32Array[]> {
    const vectors = texts.map((text) => this.#known.get(keyOf(text).toString("hex")))
    const missing = texts.filter((_, i) => !vectors[i])
    const made = missing.length > 0 ? await this.#embedder.embed(missing, options) : []
    for (const [i, text] of missing.entries()) this.#keep(text, made[i]!)
    let next = 0
    // Receivers may transfer what they get, so each gets its own copy.
    return vectors.map((known) => (known ?? made[next++]!).slice())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#embedder[Symbol.asyncDispose]()
  }

  #keep(text: string, vector: Float32Array): void {
    const key = keyOf(text)
    this.#known.set(key.toString("hex"), vector)
    appendFileSync(
      this.#file,
      Buffer.concat([key, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)]),
    )
  }

  #read(): void {
    const size = KEY_BYTES + 4 * this.dimensions
    const bytes = readFileSync(this.#file)
    for (let at = 0; at + size <= bytes.length; at += size) {
      const vector = Uint8Array.prototype.slice.call(bytes, at + KEY_BYTES, at + size)
      this.#known.set(bytes.toString("hex", at, at + KEY_BYTES), new Float32Array(vector.buffer))
    }
  }
}

const sha256 = (text: string) => createHash("sha256").update(text).digest()
const keyOf = (text: string) => sha256(text).subarray(0, KEY_BYTES)
