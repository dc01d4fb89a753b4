import type { Extracted } from "../extract/extracted.ts"
import { extractText, normalised } from "../extract/extract.ts"
import { DocumentError } from "../formats/document-error.ts"
import { toExtracted } from "../formats/to-extracted.ts"
import { noiseIn } from "./noise.ts"
import { textFormatsOf, TEXT_START_CHARS } from "./text-format-of.ts"

/**
 * Reads a text of any kind: a structured text, Markdown, or plain text.
 * @throws DocumentError when the text was written by a program for other programs
 */
export async function readText(text: string, url: string, contentType: string): Promise<Extracted> {
  const noise = noiseIn(text, url)
  if (noise !== null) throw new DocumentError("unsupported", noise)
  const clean = normalised(text)
  for (const format of textFormatsOf(contentType, url, clean.slice(0, TEXT_START_CHARS))) {
    const read = await format.load()
    const document = await read(clean, url)
    if (document !== null) return toExtracted(document, url, format.name)
  }
  return extractText(text, url, contentType)
}
