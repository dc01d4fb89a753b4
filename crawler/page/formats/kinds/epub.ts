import { fileFormat } from "../file-format.ts"

/** EPUB books (ISO 23736). */
export const epub = fileFormat({
  name: "epub",
  types: ["application/epub+zip"],
  extensions: ["epub"],
  isArchiveOf: (names) => names.includes("META-INF/container.xml"),
  async load() {
    const { readEpub } = await import("../archive/epub.ts")
    return readEpub
  },
})
