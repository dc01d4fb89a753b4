import { textFormat } from "../text-format.ts"

/** AsciiDoc (https://docs.asciidoctor.org/asciidoc/latest/). */
export const asciidoc = textFormat({
  name: "asciidoc",
  types: ["text/asciidoc", "text/x-asciidoc", "application/asciidoc"],
  extensions: ["adoc", "asciidoc", "asc", "ad"],
  isHeavy: true,
  async load() {
    const { readAsciidoc } = await import("../markup/asciidoc.ts")
    return readAsciidoc
  },
})
