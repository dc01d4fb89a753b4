import { textFormat } from "../text-format.ts"

/** reStructuredText, as used by docutils and Sphinx. */
export const rst = textFormat({
  name: "rst",
  types: ["text/x-rst", "text/prs.fallenstein.rst", "text/restructured"],
  extensions: ["rst", "rest"],
  async load() {
    const { readRst } = await import("../rst/read-rst.ts")
    return readRst
  },
})
