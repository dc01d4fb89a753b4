import type { DocumentFormat } from "./document-format.ts"
import { endingOf } from "./unread-document.ts"

/** Kinds of Office files from before 2007, which are read after a converter has turned them into current formats. */
export type LegacyFormat = "doc" | "xls" | "ppt"

interface Legacy {
  readonly name: LegacyFormat
  readonly types: readonly string[]
  readonly extensions: readonly string[]
  /** Names at the root of the compound file. */
  readonly streams: readonly string[]
  /** The format that the file is converted to. */
  readonly becomes: DocumentFormat
}

export const LEGACY_FORMATS: readonly Legacy[] = [
  {
    name: "doc",
    types: ["application/msword", "application/vnd.ms-word"],
    extensions: ["doc", "dot"],
    streams: ["WordDocument"],
    becomes: "docx",
  },
  {
    name: "xls",
    types: ["application/vnd.ms-excel", "application/msexcel", "application/x-msexcel"],
    extensions: ["xls", "xlt"],
    // In Excel 95 and earlier, the name is `Book`.
    streams: ["Workbook", "Book"],
    becomes: "xlsx",
  },
  {
    name: "ppt",
    types: ["application/vnd.ms-powerpoint", "application/mspowerpoint"],
    extensions: ["ppt", "pps", "pot"],
    streams: ["PowerPoint Document"],
    becomes: "pptx",
  },
]

/** The kind with this media type (lower case, without parameters), or null. Servers send these types for current files, too. */
export const legacyOfType = (type: string): LegacyFormat | null =>
  LEGACY_FORMATS.find(({ types }) => types.includes(type))?.name ?? null

/** The kind with this file extension, or null. */
export function legacyOfAddress(url: string): LegacyFormat | null {
  const ending = endingOf(URL.parse(url)?.pathname ?? "")
  return LEGACY_FORMATS.find(({ extensions }) => extensions.includes(ending))?.name ?? null
}

/** The kind of a compound file by the names at its root, or null. */
export const legacyOfNames = (names: readonly string[]): LegacyFormat | null =>
  LEGACY_FORMATS.find(({ streams }) => streams.some((stream) => names.includes(stream)))?.name ?? null

/** The format that files of a kind are converted to. */
export const becomes = (format: LegacyFormat): DocumentFormat =>
  LEGACY_FORMATS.find(({ name }) => name === format)!.becomes
