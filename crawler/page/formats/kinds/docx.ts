import { fileFormat } from "../file-format.ts"

/** Word documents (ECMA-376), with or without macros, and templates. */
export const docx = fileFormat({
  name: "docx",
  types: [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.ms-word.document.macroenabled.12",
  ],
  extensions: ["docx", "docm", "dotx"],
  isArchiveOf: (names) => names.some((name) => /^word\/document\d*\.xml$/i.test(name)),
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("docx", body)
  },
})
