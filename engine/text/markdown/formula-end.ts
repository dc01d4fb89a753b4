/**
 * Formulas in markdown, as read by pandoc and GitHub: TeX between `$`, or `$$` on separate lines. To distinguish them
 * from money, an opening `$` must not follow a letter or digit or precede a space, and a closing one must not follow a
 * space or precede a letter or digit. Nothing in the TeX counts as markup.
 */
const FORMULA = /\$\$(?:[^$\\]|\\[^])+\$\$|\$(?![\s$])(?:[^$\\]|\\[^])*?(?<!\s)\$(?![\p{L}\p{N}$])/uy

/** The index after the formula that begins at a `$`, or -1. Takes time linear in the distance to the next `$`. */
export function formulaEnd(markdown: string, at: number): number {
  if (/[\p{L}\p{N}$]/u.test(markdown[at - 1] ?? "")) return -1
  FORMULA.lastIndex = at
  return FORMULA.test(markdown) ? FORMULA.lastIndex : -1
}
