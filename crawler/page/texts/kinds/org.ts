import { textFormat } from "../text-format.ts"

/** Org, the outline format of Emacs (https://orgmode.org/worg/org-syntax.html). */
export const org = textFormat({
  name: "org-mode",
  types: ["text/org", "text/x-org"],
  extensions: ["org"],
  async load() {
    const { readOrg } = await import("../org/read-org.ts")
    return readOrg
  },
})
