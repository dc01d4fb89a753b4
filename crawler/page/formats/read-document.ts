import type { Extracted } from "../extract/extracted.ts"
import type { DocumentFormat } from "./document-format.ts"
import { toExtracted } from "./to-extracted.ts"

/**
 * Reads a document of any of the formats. Each reader and its library are loaded with the first such file, so that
 * nobody pays for what never comes.
 *
 * `budgetMs`: what is read when it is over is the page, and its `note` says so.
 * @throws DocumentError when the file is damaged, locked or too much.
 */
export async function readDocument(
  format: DocumentFormat,
  body: Uint8Array,
  url: string,
  budgetMs: number,
): Promise<Extracted> {
  if (format === "pdf") {
    const { readPdf } = await import("./pdf/pdf.ts")
    return toExtracted(await readPdf(body, url, budgetMs), url)
  }
  if (format === "epub") {
    const { readEpub } = await import("./archive/epub.ts")
    return toExtracted(readEpub(body), url)
  }
  if (format === "xlsx") {
    const { readWorkbook } = await import("./office/workbook.ts")
    return toExtracted(readWorkbook(body), url)
  }
  const { readOffice } = await import("./office/office.ts")
  return toExtracted(await readOffice(format, body), url)
}
