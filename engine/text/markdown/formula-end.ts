/**
 * Formulas in markdown, as pandoc and GitHub read them: TeX between `$`, or `$$` on lines of their own. To tell them from money, a `$`
 * opens one only without a letter or digit before it and a space after it, and closes one only without a space before it and a letter
 * or digit after it. Nothing in the TeX is a mark.
 */
const FORMULA = /\$\$(?:[^$\\]|\\[^])+\$\$|\$(?![\s$])(?:[^$\\]|\\[^])*?(?<!\s)\$(?![\p{L}\p{N}$])/uy

/** The index after the formula that begins at a `$`, or -1. Takes time linear in the distance to the next `$`. */
export function formulaEnd(markdown: string, at: number): number {
  if (/[\p{L}\p{N}$]/u.test(markdown[at - 1] ?? "")) return -1
  FORMULA.lastIndex = at
  return FORMULA.test(markdown) ? FORMULA.lastIndex : -1
}
