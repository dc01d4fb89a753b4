import type { Extracted } from "../extract/extracted.ts"
import { type DocumentFormat, formatOfName } from "./document-format.ts"
import { toExtracted } from "./to-extracted.ts"

/**
 * Reads a document of any of the formats. Each reader and its library are loaded on the first such file, so that
 * unused ones cost nothing.
 *
 * `budgetMs`: the time limit for reading; the page contains the text read by then, and its `note` says so if that is
 * not all of it. `recognised`: as in `ReadFile`.
 * @throws DocumentError when the file is damaged, locked or too large.
 */
export async function readDocument(
  format: DocumentFormat,
  body: Uint8Array,
  url: string,
  budgetMs: number,
  recognised?: string,
): Promise<Extracted> {
  const read = await formatOfName(format).load()
  return toExtracted(await read(body, url, budgetMs, recognised), url, format)
}
