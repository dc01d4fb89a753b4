/**
 * How formulas are written in markdown, and how they are told from money. As pandoc and GitHub have it: TeX between `$`, or `$$` where a
 * formula has lines of its own. A `$` opens one behind no letter and no digit and before no blank, and closes it behind no blank and
 * before no letter and no digit. What is between is TeX, and none of its signs are marks.
 */
const FORMULA = /\$\$(?:[^$\\]|\\[^])+\$\$|\$(?![\s$])(?:[^$\\]|\\[^])*?(?<!\s)\$(?![\p{L}\p{N}$])/uy

/** The index behind the formula that begins at a `$`, or -1. In time linear in the length of what is up to the next `$`. */
export function formulaEnd(markdown: string, at: number): number {
  if (/[\p{L}\p{N}$]/u.test(markdown[at - 1] ?? "")) return -1
  FORMULA.lastIndex = at
  return FORMULA.test(markdown) ? FORMULA.lastIndex : -1
}
