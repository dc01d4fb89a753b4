import { unzipSync } from "fflate"
import { decodeText } from "../../charset.ts"
import { DocumentError, PASSWORD_PROTECTED } from "../document-error.ts"

/** The number of bytes that all entries of one archive together may inflate to. */
const MAX_INFLATED_BYTES = 128 * 1024 * 1024
const MAX_ENTRIES = 10_000
/** The highest compression ratio allowed: DEFLATE's own limit is 1032 to 1; office files reach 20. Small files are exempt. */
const MAX_RATIO = 300
const SMALL_BYTES = 8 * 1024 * 1024

/** The names of an archive's entries; null when the archive cannot be read. */
export function zipNames(body: Uint8Array): string[] | null {
  const names: string[] = []
  try {
    unzipSync(body, {
      filter: ({ name }) => {
        if (names.length < MAX_ENTRIES) names.push(name)
        return false
      },
    })
    return names
  } catch {
    return null
  }
}

/** An archive whose directory was checked against the limits before anything is inflated. */
export class Zip {
  readonly #body: Uint8Array
  readonly #names = new Set<string>()

  /** @throws DocumentError when the archive is damaged, encrypted, or too large */
  constructor(body: Uint8Array) {
    this.#body = body
    let inflated = 0
    unzip(body, ({ name, originalSize }) => {
      inflated += originalSize
      this.#names.add(name)
      if (this.#names.size > MAX_ENTRIES) throw tooMuch(`more than ${MAX_ENTRIES} files`)
      return false
    })
    if (inflated > MAX_INFLATED_BYTES) throw tooMuch(`${inflated} bytes when unpacked`)
    if (inflated > SMALL_BYTES && inflated > body.byteLength * MAX_RATIO)
      throw tooMuch(`${body.byteLength} bytes unpack to ${inflated}`)
    if (isEncrypted(body)) throw new DocumentError("unsupported", PASSWORD_PROTECTED)
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** An entry's bytes, at most as many as the directory says; null if there is no entry with that name. */
  bytes(name: string): Uint8Array | null {
    if (!this.#names.has(name)) return null
    return unzip(this.#body, (entry) => entry.name === name)[name] ?? null
  }

  /** A markup entry as text, decoded with the encoding that it declares. */
  text(name: string): string | null {
    const bytes = this.bytes(name)
    return bytes === null ? null : decodeText(bytes, null)
  }
}

type Filter = NonNullable<NonNullable<Parameters<typeof unzipSync>[1]>["filter"]>

function unzip(body: Uint8Array, filter: Filter): Record<string, Uint8Array> {
  try {
    return unzipSync(body, { filter })
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError("unreadable", `the file is damaged or cut off (${(error as Error).message})`)
  }
}

function tooMuch(what: string): DocumentError {
  return new DocumentError("unsupported", `the archive is too large: ${what}`)
}

/** Bit 0 of the flags of the first local header (APPNOTE.TXT 4.4.4): the archive's own encryption. */
function isEncrypted(body: Uint8Array): boolean {
  return body[0] === 0x50 && body[1] === 0x4b && body[2] === 3 && ((body[6] ?? 0) & 1) === 1
}
