import type { FileFormat } from "./file-format.ts"
import { FORMATS } from "./registry.ts"
import { endingOf } from "./unread-document.ts"

/** Files that are documents rather than text: each format is read by its own library. */
export type DocumentFormat = (typeof FORMATS)[number]["name"]

export type KnownFormat = FileFormat<DocumentFormat>

const KNOWN: readonly KnownFormat[] = FORMATS

const mapped = (keys: (format: KnownFormat) => readonly string[]): ReadonlyMap<string, KnownFormat> =>
  new Map(KNOWN.flatMap((format) => keys(format).map((key) => [key, format] as const)))

const BY_NAME = mapped(({ name }) => [name])
const BY_TYPE = mapped(({ types }) => types)
const BY_EXTENSION = mapped(({ extensions }) => extensions)

/** The format with this name. */
export const formatOfName = (name: DocumentFormat): KnownFormat => BY_NAME.get(name)!

/** The format of a media type (lower case, without parameters), or null. */
export const formatOfType = (type: string): DocumentFormat | null => BY_TYPE.get(type)?.name ?? null

/** The format of an address's extension, or null. */
export function formatOfAddress(url: string): DocumentFormat | null {
  return BY_EXTENSION.get(endingOf(URL.parse(url)?.pathname ?? ""))?.name ?? null
}

/** The format of a file that starts with these bytes (latin1), or null. */
export function formatOfStart(start: string, type: string): DocumentFormat | null {
  const claimed = formatOfType(type)
  return KNOWN.find(({ name, startsAs }) => startsAs?.(start, claimed === name))?.name ?? null
}

/** The format of a zip archive that contains these names, or null. */
export const formatOfArchive = (names: readonly string[]): DocumentFormat | null =>
  KNOWN.find(({ isArchiveOf }) => isArchiveOf?.(names))?.name ?? null
