import { readFileSync } from "node:fs"
import { Zip } from "../archive/zip.ts"

/** The character tables of East Asian fonts that files name and do not hold (ISO 32000-1 §9.7.5.2), from where they lie beside this file. */
const ARCHIVE = new URL("./cmaps/cmaps.zip", import.meta.url)

/** Read with the first file that names a table: most name none. */
let archive: Zip | null = null

/**
 * What the library asks for files of its own. There are character tables alone: fonts and decoders are for those who
 * paint pages.
 */
export class PdfTables {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    archive ??= new Zip(readFileSync(ARCHIVE))
    const table = kind === "cMapUrl" ? archive.bytes(filename) : null
    if (table === null) throw new Error(`there is no ${filename}`)
    return table
  }
}
