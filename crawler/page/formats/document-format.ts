/** Files that are documents rather than text: each is read by a library of its own. */
export type DocumentFormat = "pdf" | "docx" | "pptx" | "xlsx" | "odt" | "odp" | "ods" | "rtf" | "epub"

const OOXML = "application/vnd.openxmlformats-officedocument."
const ODF = "application/vnd.oasis.opendocument."

const BY_TYPE: ReadonlyMap<string, DocumentFormat> = new Map([
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  [`${OOXML}wordprocessingml.document`, "docx"],
  [`${OOXML}wordprocessingml.template`, "docx"],
  ["application/vnd.ms-word.document.macroenabled.12", "docx"],
  [`${OOXML}presentationml.presentation`, "pptx"],
  [`${OOXML}presentationml.slideshow`, "pptx"],
  [`${OOXML}presentationml.template`, "pptx"],
  ["application/vnd.ms-powerpoint.presentation.macroenabled.12", "pptx"],
  [`${OOXML}spreadsheetml.sheet`, "xlsx"],
  [`${OOXML}spreadsheetml.template`, "xlsx"],
  ["application/vnd.ms-excel.sheet.macroenabled.12", "xlsx"],
  [`${ODF}text`, "odt"],
  [`${ODF}text-template`, "odt"],
  [`${ODF}presentation`, "odp"],
  [`${ODF}presentation-template`, "odp"],
  [`${ODF}spreadsheet`, "ods"],
  [`${ODF}spreadsheet-template`, "ods"],
  ["application/rtf", "rtf"],
  ["text/rtf", "rtf"],
  ["application/epub+zip", "epub"],
])

const BY_EXTENSION: ReadonlyMap<string, DocumentFormat> = new Map([
  ["pdf", "pdf"],
  ["docx", "docx"],
  ["docm", "docx"],
  ["dotx", "docx"],
  ["pptx", "pptx"],
  ["pptm", "pptx"],
  ["ppsx", "pptx"],
  ["potx", "pptx"],
  ["xlsx", "xlsx"],
  ["xlsm", "xlsx"],
  ["xltx", "xlsx"],
  ["odt", "odt"],
  ["ott", "odt"],
  ["odp", "odp"],
  ["otp", "odp"],
  ["ods", "ods"],
  ["ots", "ods"],
  ["rtf", "rtf"],
  ["epub", "epub"],
])

/** The format a media type (lower case, without parameters) stands for, or null. */
export function formatOfType(type: string): DocumentFormat | null {
  return BY_TYPE.get(type) ?? null
}

/** The format the ending of an address stands for, or null. */
export function formatOfAddress(url: string): DocumentFormat | null {
  const ending = /\.([a-z]{3,4})$/i.exec(URL.parse(url)?.pathname ?? "")?.[1]
  return BY_EXTENSION.get(ending?.toLowerCase() ?? "") ?? null
}
