import { Marked } from "marked"

/** The rule of engine/text/markdown/formula-end.ts, which the web pages don't import; a test compares the two. */
const FORMULA = /\$\$(?:[^$\\]|\\[^])+\$\$|\$(?![\s$])(?:[^$\\]|\\[^])*?(?<!\s)\$(?![\p{L}\p{N}$])/uy
const NOT_BEFORE = /[\p{L}\p{N}$]/u
const FORMULAS = new RegExp(`(?<!${NOT_BEFORE.source})(?:${FORMULA.source})`, "gu")

/** Reads Markdown and keeps formulas between `$` as they are: TeX has other uses for `*`, `_` and `\`. */
export const reader = new Marked({
  extensions: [
    {
      name: "formula",
      level: "inline",
      start: (text) => {
        const at = text.indexOf("$")
        return at === -1 ? undefined : at
      },
      tokenizer(text, before) {
        if (NOT_BEFORE.test(before.at(-1)?.raw.at(-1) ?? "")) return undefined
        FORMULA.lastIndex = 0
        const raw = FORMULA.exec(text)?.[0]
        return raw === undefined ? undefined : { type: "formula", raw, text: raw }
      },
    },
  ],
  hooks: {
    // A `*` in a formula must not close emphasis that began before it.
    emStrongMask: (text) => text.replace(FORMULAS, (found) => "a".repeat(found.length)),
  },
})
