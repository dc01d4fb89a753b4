import { readFileSync } from "node:fs"
import { Zip } from "../archive/zip.ts"

/** Character tables of East Asian fonts that files name without holding them (ISO 32000-1 §9.7.5.2). */
const ARCHIVE = new URL("./cmaps/cmaps.zip", import.meta.url)

/** Read once, with the first file that names a table: most name none. */
let archive: Zip | null = null

/** The library's loader of its own files. It has only character tables, since painting is all that needs fonts and decoders. */
export class PdfTables {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    archive ??= new Zip(readFileSync(ARCHIVE))
    const table = kind === "cMapUrl" ? archive.bytes(filename) : null
    if (table === null) throw new Error(`there is no ${filename}`)
    return table
  }
}
