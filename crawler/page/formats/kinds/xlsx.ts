import { fileFormat } from "../file-format.ts"

/** Excel workbooks (ECMA-376), with or without macros, and templates. */
export const xlsx = fileFormat({
  name: "xlsx",
  types: [
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    "application/vnd.ms-excel.sheet.macroenabled.12",
  ],
  extensions: ["xlsx", "xlsm", "xltx"],
  isArchiveOf: (names) => names.some((name) => /^xl\/workbook\d*\.xml$/i.test(name)),
  async load() {
    const { readWorkbook } = await import("../office/workbook.ts")
    return readWorkbook
  },
})
