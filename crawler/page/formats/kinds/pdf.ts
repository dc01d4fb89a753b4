import { fileFormat } from "../file-format.ts"

/** Portable Document Format (ISO 32000). */
export const pdf = fileFormat({
  name: "pdf",
  types: ["application/pdf", "application/x-pdf"],
  extensions: ["pdf"],
  // Some programs put a line or two before the header.
  startsAs: (start, isClaimed) => start.startsWith("%PDF-") || (isClaimed && start.includes("%PDF-")),
  async load() {
    const { readPdf } = await import("../pdf/pdf.ts")
    return readPdf
  },
})
