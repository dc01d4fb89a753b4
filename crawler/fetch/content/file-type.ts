import { extname } from "node:path"

/** What the bytes alone do not show. All other files are what their bytes say: documents, or text. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".htm": "text/html",
  ".xhtml": "application/xhtml+xml",
  ".xml": "text/xml",
  ".svg": "image/svg+xml",
}

/** The media type of a file, as far as its name is needed to know it; else empty. */
export const typeByEnding = (path: string): string => TYPES[extname(path).toLowerCase()] ?? ""
