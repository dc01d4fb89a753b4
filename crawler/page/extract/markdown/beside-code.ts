import { isCalledNumbers, numbersIn } from "./code.ts"
import { besideOf, isLanguageLabel } from "./code-language.ts"
import { type Element, elementsOf, textOf } from "../html/tree.ts"

/** Maximum number of boxes around code searched for line numbers beside them: a cell, a row, a scroller. */
const MAX_AROUND = 4
/** A box with this much text beside the code contains more than code. */
const MAX_BESIDE_CHARS = 40
const MAX_BUTTON_CHARS = 20

/** Leaves out labels beside code, such as line numbers, the name of the language and a copy button. */
export function skipBesideCode(code: Element, skipped: Set<Element>): void {
  if (numbersIn(code) !== null) return
  const lines = lineCount(code)
  let at: Element | null = code
  for (let steps = 0; at !== null && at.tag !== "body" && steps < MAX_AROUND; at = at.parent, steps++) {
    let isAlone = true
    for (const beside of besideOf(at)) {
      if (skipped.has(beside)) continue
      const count = numbersIn(beside)?.length ?? 0
      if (count > 0 && Math.abs(count - lines) <= 1 && (count > 1 || isCalledNumbers(beside)))
        skipped.add(beside)
      else if (isLanguageLabel(beside) || isCopyButton(beside)) skipped.add(beside)
      else if (
        /^(?:p|h[1-6]|pre|ul|ol|dl)$/.test(beside.tag) ||
        textOf(beside, MAX_BESIDE_CHARS).length >= MAX_BESIDE_CHARS
      )
        isAlone = false
    }
    if (!isAlone) return
  }
}

const isCopyButton = (element: Element): boolean =>
  element.get("role") === "button" && textOf(element, MAX_BUTTON_CHARS + 1).length <= MAX_BUTTON_CHARS

/** Counts line breaks, or the boxes of an editor's lines. */
function lineCount(code: Element): number {
  let breaks = 0
  let boxes = 0
  for (const element of elementsOf(code)) {
    if (element !== code && element.tag === "br") breaks++
    else if (element !== code && /^(?:div|li|tr|p)$/.test(element.tag)) boxes++
    for (const child of element.children)
      if (typeof child === "string") breaks += child.split("\n").length - 1
  }
  return Math.max(breaks + 1, boxes)
}
