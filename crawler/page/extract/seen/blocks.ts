/** Receives the declarations and blocks of a text, in order. */
export interface Visitor {
  /** `name: value`, or the malformed text in place of one. */
  readonly declaration: (text: string) => void
  /** Called with the text before a block. @returns whether to read the block; if true, {@link close} is called at its end */
  readonly open: (prelude: string) => boolean
  readonly close: () => void
}

/** Characters that open, close or end something, and text in which such characters mean nothing: escapes, comments, strings, addresses. */
const SIGN =
  /[{}()[\];]|\\[^]|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|(?<![\w-])url\(\s*(?!["'\s])(?:[^)\\]|\\[^])*\)?|<!--|-->/gi
const BLANKS = /\s*/y
const CLOSING: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
])

/**
 * Reads the blocks of a style sheet or, with `isBlock`, the inside of a block, such as a `style` attribute (CSS Syntax
 * 3 §5.4). Any text is a valid sheet. Takes time linear in the text's length: no pattern looks back over text that was
 * read before.
 */
export function readBlocks(css: string, visitor: Visitor, isBlock = false): void {
  /** The closing brackets still expected within a declaration, a prelude or a block that isn't read. */
  const closing: string[] = []
  let isLeftOut = false
  let depth = 0
  let start = 0
  /** The start of the last custom property found; its value can contain blocks. */
  let custom = -1
  const startAt = (at: number) => {
    BLANKS.lastIndex = at
    start = at + BLANKS.exec(css)![0].length
  }
  const isCustom = (prelude: string) => {
    if (custom !== start && /^--[^:\s]*\s*:/.test(prelude)) custom = start
    return custom === start
  }
  startAt(0)
  const declare = (end: number) => {
    const text = css.slice(start, end)
    if (text.includes(":")) visitor.declaration(text)
  }
  for (const { 0: sign, index: at } of css.matchAll(SIGN)) {
    const isInside = isBlock || depth > 0
    const closes = CLOSING.get(sign)
    if (closing.length > 0) {
      if (closes !== undefined) closing.push(closes)
      else if (sign === closing.at(-1)) closing.pop()
      if (closing.length > 0 || !isLeftOut) continue
      isLeftOut = false
      startAt(at + 1)
    } else if (sign === "{") {
      const prelude = css.slice(start, at).trim()
      const isValue = isInside && isCustom(prelude)
      if (!isValue && visitor.open(prelude)) {
        depth += 1
        startAt(at + 1)
      } else {
        closing.push("}")
        isLeftOut = !isValue
      }
    } else if (closes !== undefined) closing.push(closes)
    else if (sign === "}" && depth > 0) {
      declare(at)
      visitor.close()
      depth -= 1
      startAt(at + 1)
    } else if (sign === ";" && (isInside || css[start] === "@")) {
      if (isInside) declare(at)
      startAt(at + 1)
    } else if (/^(?:<!--|-->)$/.test(sign) && start === at) startAt(at + sign.length)
  }
  if (isBlock || depth > 0) declare(css.length)
  for (; depth > 0; depth--) visitor.close()
}
