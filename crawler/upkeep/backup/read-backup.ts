import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { extract, type ExtractEvents } from "tar-stream"
import { parseForeign } from "#base/text/json/foreign-json.ts"
import { ExportReader } from "#engine/lifecycle/move/format/read-export.ts"
import {
  BACKUP_FORMAT,
  BackupFileError,
  type BackupManifest,
  type EntrySum,
  imageOf,
  isIndexPart,
  MANIFEST,
  STATE,
  SUMS,
  sumsText,
} from "./backup-format.ts"

type Entry = ExtractEvents["entry"][1]

const MAX_MANIFEST_BYTES = 100_000

/** An entry whose bytes haven't been requested yet. */
interface PendingEntry {
  readonly name: string
  readonly bytes: number
  readonly stream: Entry
}

/** Reads a backup entry by entry, and compares the checksums at the end: see {@link finish}. */
export class BackupReader {
  readonly #name: string
  readonly #entries: AsyncIterator<Entry>
  readonly #sums: EntrySum[] = []
  #next: PendingEntry | null = null
  #manifest: BackupManifest | null = null

  private constructor(file: string) {
    this.#name = file
    const tar = extract()
    const stream = createReadStream(file)
    stream.on("error", (error) => tar.destroy(error))
    this.#entries = stream.pipe(tar)[Symbol.asyncIterator]()
  }

  /** Reads the manifest. @throws BackupFileError */
  static async open(file: string): Promise<BackupReader> {
    const reader = new BackupReader(file)
    try {
      await reader.#advance()
      if (reader.entry !== MANIFEST) throw new Error("the first entry isn't the manifest")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
      throw new BackupFileError("NOT_A_BACKUP", `${file} isn't a Fossick backup.`)
    }
    reader.#manifest = await reader.#readManifest()
    return reader
  }

  get manifest(): BackupManifest {
    return this.#manifest!
  }

  /** Name of the next entry, or `null` after the last one. */
  get entry(): string | null {
    return this.#next?.name ?? null
  }

  /** The bytes of this entry; after the last of them, the reader moves on to the next entry. */
  async *bytes(): AsyncGenerator<Buffer> {
    const { name, bytes, stream } = this.#next!
    const sha256 = createHash("sha256")
    let read = 0
    try {
      for await (const chunk of stream as AsyncIterable<unknown> as AsyncIterable<Buffer>) {
        sha256.update(chunk)
        read += chunk.length
        yield chunk
      }
    } catch (error) {
      throw this.#unreadable(error)
    }
    if (read !== bytes) throw this.#truncated()
    this.#sums.push({ name, bytes, sha256: sha256.digest("hex") })
    await this.#advance()
  }

  /** The bytes of all pieces of the index. */
  async *indexBytes(): AsyncGenerator<Buffer> {
    while (this.entry !== null && isIndexPart(this.entry)) yield* this.bytes()
  }

  /** Skips an entry; its bytes are still checked. */
  async skip(): Promise<void> {
    for await (const _ of this.bytes());
  }

  /** Reads the last entry. @throws BackupFileError when an entry differs from its description. */
  async finish(): Promise<void> {
    if (this.entry === null) throw this.#truncated()
    if (this.entry !== SUMS) throw this.#damaged(`${SUMS} was expected, not ${this.entry}`)
    const expected = sumsText(this.#sums)
    const chunks: Buffer[] = []
    for await (const chunk of this.bytes()) chunks.push(chunk)
    if (this.entry !== null) throw this.#damaged(`${this.#next!.name} comes after the end`)
    const said = String(Buffer.concat(chunks)).split("\n")
    const wrong = expected.split("\n").findIndex((line, i) => line !== said[i])
    if (wrong >= 0)
      throw this.#damaged(`${expected.split("\n")[wrong | 1]?.slice(66) || SUMS} doesn't match its checksum`)
    if (said.length !== expected.split("\n").length) throw this.#damaged(`an entry of ${SUMS} is missing`)
  }

  async #advance(): Promise<void> {
    let result: IteratorResult<Entry>
    try {
      result = await this.#entries.next()
    } catch (error) {
      throw this.#unreadable(error)
    }
    this.#next = null
    if (result.done) return
    const { name, type, size } = result.value.header
    const isKnown = [MANIFEST, STATE, SUMS].includes(name) || isIndexPart(name) || imageOf(name) !== null
    if (type !== "file" || !isKnown) throw this.#damaged(`${JSON.stringify(name)} doesn't belong in a backup`)
    this.#next = { name, bytes: size ?? 0, stream: result.value }
  }

  async #readManifest(): Promise<BackupManifest> {
    if (this.#next!.bytes > MAX_MANIFEST_BYTES) throw this.#damaged(`its ${MANIFEST} is too long`)
    const chunks: Buffer[] = []
    for await (const chunk of this.bytes()) chunks.push(chunk)
    let manifest: BackupManifest
    try {
      manifest = parseForeign(String(Buffer.concat(chunks))) as BackupManifest
    } catch {
      throw this.#damaged(`its ${MANIFEST} isn't valid JSON`)
    }
    if (typeof manifest?.format !== "number") throw this.#damaged(`its ${MANIFEST} states no format`)
    if (manifest.format !== BACKUP_FORMAT) {
      throw new BackupFileError(
        "FORMAT_TOO_NEW",
        `${this.#name} has format ${manifest.format}, from Fossick ${manifest.fossick}; this Fossick reads format ${BACKUP_FORMAT}. Upgrade it first.`,
      )
    }
    if (typeof manifest.embedder !== "string") throw this.#damaged(`its ${MANIFEST} states no model`)
    return manifest
  }

  #unreadable(error: unknown): unknown {
    const { message, syscall } = error as NodeJS.ErrnoException
    if (syscall !== undefined || error instanceof BackupFileError) return error
    if (message.includes("Unexpected end") || message.includes("Premature close")) return this.#truncated()
    return this.#damaged(message)
  }

  #truncated(): BackupFileError {
    const where = this.entry === null ? "" : `, in ${this.entry}`
    return new BackupFileError("TRUNCATED", `${this.#name} is incomplete: it ends too early${where}.`)
  }

  #damaged(why: string): BackupFileError {
    return new BackupFileError("DAMAGED", `${this.#name} is damaged: ${why}.`)
  }
}

/** Reads a whole backup and checks every hash in it. @throws BackupFileError, ExportFileError */
export async function verifyBackup(
  file: string,
): Promise<BackupManifest & { readonly exportedPages: number }> {
  const reader = await BackupReader.open(file)
  if (reader.entry === STATE) await reader.skip()
  const index = await ExportReader.open(reader.indexBytes(), `The index in ${file}`)
  const { pages } = await index.check()
  while (reader.entry !== null && reader.entry !== SUMS) await reader.skip()
  await reader.finish()
  return { ...reader.manifest, exportedPages: pages }
}
