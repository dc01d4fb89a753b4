import { fileFormat } from "../file-format.ts"

/** OpenDocument spreadsheets (ISO 26300) and templates, which declare their media type. */
export const ods = fileFormat({
  name: "ods",
  types: [
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.spreadsheet-template",
  ],
  extensions: ["ods", "ots"],
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("ods", body)
  },
})
