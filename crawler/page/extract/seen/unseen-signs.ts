import { type Element, elementsOf } from "../html/tree.ts"

/**
 * Invisible characters that spell out text for programs that decode them: tags (Unicode 16 §23.9) except those of a
 * flag, and sequences of variation selectors (a single one only selects a glyph).
 */
const SPELLING =
  /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,8})[\u{E0000}-\u{E007F}]+|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}/gu
/** A quick test for whether the text can contain any of them. */
const MAY_SPELL = /[\uFE00-\uFE0F\u{E0000}-\u{E01EF}]/u

export const withoutUnseenSigns = (text: string): string =>
  MAY_SPELL.test(text) ? text.replace(SPELLING, "") : text

/** Removes invisible characters from a document, and adds to ruby the parentheses that browsers without ruby support would show. */
export function writeAsSeen(document: Element): void {
  for (const element of elementsOf(document)) {
    const { children } = element
    for (let at = 0; at < children.length; at++) {
      const child = children[at]!
      if (typeof child === "string") children[at] = withoutUnseenSigns(child)
    }
    if (element.tag === "rt" && !isBracketed(element))
      children.splice(0, children.length, " (", ...children, ")")
  }
}

const isBracketed = ({ parent }: Element): boolean =>
  parent?.children.some((child) => typeof child !== "string" && child.tag === "rp") === true
