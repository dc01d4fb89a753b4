import { fileFormat } from "../file-format.ts"

/** OpenDocument texts (ISO 26300) and templates, which declare their media type. */
export const odt = fileFormat({
  name: "odt",
  types: ["application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template"],
  extensions: ["odt", "ott"],
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("odt", body)
  },
})
