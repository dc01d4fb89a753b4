import { readFileSync } from "node:fs"
import { Zip } from "../archive/zip.ts"

/** Character maps (CMaps) of East Asian fonts that files refer to without containing them (ISO 32000-1 §9.7.5.2). */
const ARCHIVE = new URL("./cmaps/cmaps.zip", import.meta.url)

/** Read only when a file first refers to a character map: most files refer to none. */
let archive: Zip | null = null

/** Replaces the library's loader for its own files. Provides only character maps, since fonts and decoders are only needed for painting. */
export class PdfTables {
  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    archive ??= new Zip(readFileSync(ARCHIVE))
    const table = kind === "cMapUrl" ? archive.bytes(filename) : null
    if (table === null) throw new Error(`there is no ${filename}`)
    return table
  }
}
