import { createHash } from "node:crypto"
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import type { Embedder } from "#engine"
import { type EmbedOptions, type ModelTraits, type TokenVectors, traitsOf } from "#engine/embedder.ts"

const KEY_BYTES = 16

/** An embedder whose vectors are kept between runs, in the system's folder for temporary files. */
export class CachedEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly traits: ModelTraits
  readonly #embedder: Embedder
  readonly #file: string
  readonly #known = new Map<string, Float32Array>()
  readonly #tokens: TokenFile

  constructor(embedder: Embedder) {
    this.id = embedder.id
    this.dimensions = embedder.dimensions
    this.traits = traitsOf(embedder)
    this.#embedder = embedder
    const folder = path.join(tmpdir(), "fossick-bench")
    mkdirSync(folder, { recursive: true })
    this.#file = path.join(folder, `${sha256(embedder.id).toString("hex").slice(0, 16)}.vectors`)
    if (existsSync(this.#file)) this.#read()
    this.#tokens = new TokenFile(this.#file.replace(/vectors$/, "tokens"))
  }

  async embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]> {
    const vectors = texts.map((text) => this.#known.get(keyOf(text).toString("hex")))
    const missing = texts.filter((_, i) => !vectors[i])
    const made = missing.length > 0 ? await this.#embedder.embed(missing, options) : []
    for (const [i, text] of missing.entries()) this.#keep(text, made[i]!)
    let next = 0
    // Receivers may transfer what they get, so each gets its own copy.
    return vectors.map((known) => (known ?? made[next++]!).slice())
  }

  async tokenVectors(texts: readonly string[], options?: EmbedOptions): Promise<TokenVectors[]> {
    const known = texts.map((text) => this.#tokens.get(text))
    const missing = texts.filter((_, i) => !known[i])
    const made = missing.length > 0 ? await this.#embedder.tokenVectors(missing, options) : []
    for (const [i, text] of missing.entries()) this.#tokens.keep(text, made[i]!)
    let next = 0
    return known.map((one) => one ?? made[next++]!)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tokens[Symbol.dispose]()
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

/** Token vectors on disk, in half precision: too many for memory. Key, lengths, tokens as JSON, values. */
class TokenFile implements Disposable {
  readonly #file: number
  readonly #places = new Map<string, { at: number; names: number; values: number }>()
  #end = 0

  constructor(file: string) {
    this.#file = openSync(file, "a+")
    const head = new DataView(new ArrayBuffer(KEY_BYTES + 8))
    while (readSync(this.#file, head, 0, head.byteLength, this.#end) === head.byteLength) {
      this.#place(
        Buffer.from(head.buffer, 0, KEY_BYTES),
        head.getUint32(KEY_BYTES),
        head.getUint32(KEY_BYTES + 4),
      )
    }
  }

  get(text: string): TokenVectors | undefined {
    const place = this.#places.get(keyOf(text).toString("hex"))
    if (!place) return undefined
    const bytes = new Uint8Array(place.names + place.values)
    readSync(this.#file, bytes, 0, bytes.length, place.at)
    const tokens = JSON.parse(Buffer.from(bytes.subarray(0, place.names)).toString()) as string[]
    return { tokens, vectors: Float32Array.from(new Float16Array(bytes.slice(place.names).buffer)) }
  }

  keep(text: string, { tokens, vectors }: TokenVectors): void {
    const names = Buffer.from(JSON.stringify(tokens))
    const values = Buffer.from(Float16Array.from(vectors).buffer)
    const lengths = Buffer.alloc(8)
    lengths.writeUInt32BE(names.length)
    lengths.writeUInt32BE(values.length, 4)
    appendFileSync(this.#file, Buffer.concat([keyOf(text), lengths, names, values]))
    this.#place(keyOf(text), names.length, values.length)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #place(key: Buffer, names: number, values: number): void {
    const at = this.#end + KEY_BYTES + 8
    this.#places.set(key.toString("hex"), { at, names, values })
    this.#end = at + names + values
  }
}

const sha256 = (text: string) => createHash("sha256").update(text).digest()
const keyOf = (text: string) => sha256(text).subarray(0, KEY_BYTES)
