import { type OfficeParserConfig, parseOffice } from "officeparser"
import { DocumentError, PASSWORD_PROTECTED } from "../document-error.ts"
import { withChartTexts } from "./charts.ts"
import { writeMarkdown } from "./office-markdown.ts"
import type { DocumentText } from "../to-extracted.ts"
import { withoutUnseenOdf } from "./unseen/odf-unseen.ts"
import { withoutUnseenRtf } from "./unseen/rtf-unseen.ts"
import { withoutUnseenParts } from "./unseen/ooxml-unseen.ts"
import { Zip } from "../archive/zip.ts"

/** The library's names for the formats. */
type OfficeFormat = "docx" | "pptx" | "odt" | "odp" | "ods" | "rtf"

/** Only text is requested: no pictures, no text recognition, nothing that would use the network. */
const CONFIG: OfficeParserConfig = {
  extractAttachments: false,
  ocr: false,
  ignoreComments: true,
  ignoreHeadersAndFooters: true,
  ignoreSlideMasters: true,
  ignorePageGeometry: true,
  ignoreInternalLinks: true,
  includeBreakNodes: true,
  onWarning: () => undefined,
  decompressionLimits: {
    maxUncompressedBytes: 128 * 1024 * 1024,
    maxZipEntries: 10_000,
    maxTableCells: 500_000,
    maxXmlElements: 1_000_000,
  },
}

/**
 * Reads Word documents, presentations, OpenDocument files, and RTF.
 * @throws DocumentError when the file is damaged, locked or too large
 */
export async function readOffice(format: OfficeFormat, body: Uint8Array): Promise<DocumentText> {
  // The archive's directory is checked before anything is unpacked.
  if (format !== "rtf") void new Zip(body)
  const seen = format === "rtf" ? withoutUnseenRtf(body) : unseenTakenOut(format, body)
  const { content, metadata } = await parse(format, seen)
  const { markdown, anchors, links, note } = writeMarkdown(content)
  return {
    markdown,
    anchors,
    links,
    note,
    isTitledByHeading: format !== "ods",
    title: metadata.title ?? null,
    description: metadata.description ?? metadata.subject ?? null,
    author: metadata.author ?? null,
    publishedAt: metadata.created ?? null,
    language: metadata.language ?? null,
  }
}

function unseenTakenOut(format: Exclude<OfficeFormat, "rtf">, body: Uint8Array): Uint8Array {
  try {
    if (format !== "docx" && format !== "pptx") return withoutUnseenOdf(body)
    return withoutUnseenParts(format, withChartTexts(format, body))
  } catch {
    // For damaged and locked files, the parser's messages are used.
    return body
  }
}

// The parser's error codes.
const LOCKED = new Set(["PASSWORD_REQUIRED", "PASSWORD_INCORRECT"])
const TOO_MUCH = new Set([
  "ZIP_ENTRY_COUNT_LIMIT_EXCEEDED",
  "ZIP_SIZE_LIMIT_EXCEEDED",
  "XML_ELEMENT_LIMIT_EXCEEDED",
  "MAX_NESTING_DEPTH_EXCEEDED",
  "OUTPUT_TOO_LARGE",
])

async function parse(format: OfficeFormat, body: Uint8Array) {
  try {
    return await parseOffice(body, { ...CONFIG, fileType: format })
  } catch (error) {
    const issue = (error as { officeIssue?: { code?: string; message?: string } }).officeIssue
    const code = issue?.code ?? ""
    if (LOCKED.has(code)) throw new DocumentError("unsupported", PASSWORD_PROTECTED)
    const message = issue?.message ?? (error as Error).message
    if (TOO_MUCH.has(code)) throw new DocumentError("unsupported", `the file is too large: ${message}`)
    throw new DocumentError("unreadable", `the file is damaged: ${message.slice(0, 300)}`)
  }
}
