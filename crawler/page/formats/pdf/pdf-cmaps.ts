import { readFileSync } from "node:fs"
import { Zip } from "../archive/zip.ts"

/** Character tables of East Asian fonts that files refer to without containing them (ISO 32000-1 §9.7.5.2). */
const ARCHIVE = new URL("./cmaps/cmaps.zip", import.meta.url)

/** Read once, with the first file that refers to a table: most files refer to none. */
let archive: Zip | null = null

/** Replaces the library's loader for its own files. It only has character tables, since fonts and decoders are only needed for painting. */
export class PdfTables {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    archive ??= new Zip(readFileSync(ARCHIVE))
    const table = kind === "cMapUrl" ? archive.bytes(filename) : null
    if (table === null) throw new Error(`there is no ${filename}`)
    return table
  }
}
