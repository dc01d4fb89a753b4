import { fileFormat } from "../file-format.ts"

/** Rich Text Format. */
export const rtf = fileFormat({
  name: "rtf",
  types: ["application/rtf", "text/rtf"],
  extensions: ["rtf"],
  startsAs: (start) => start.startsWith("{\\rtf"),
  async load() {
    const { readOffice } = await import("../office/office.ts")
    return (body) => readOffice("rtf", body)
  },
})
