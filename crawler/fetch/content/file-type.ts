import { extname } from "node:path"

/** Types that can't be recognized from the bytes. Every other file is recognized by its bytes as a document or as text. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "application/xhtml+xml",
  ".xml": "text/xml",
  ".svg": "image/svg+xml",
}

/** The media type of a file that is recognized only by its name; empty for every other file. */
export const typeByEnding = (path: string): string => TYPES[extname(path).toLowerCase()] ?? ""
