import { fileFormat } from "../file-format.ts"

/** OpenDocument presentations (ISO 26300) and templates, which declare their media type. */
export const odp = fileFormat({
  name: "odp",
  types: [
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.presentation-template",
  ],
  extensions: ["odp", "otp"],
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("odp", body)
  },
})
