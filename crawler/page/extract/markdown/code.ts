import { codeLanguage, isLanguageLabel, labelText } from "./code-language.ts"
import { type Element, firstElement, isBlockTag, textOf } from "../html/tree.ts"

/** Tags whose content is never written as text. */
export const NOT_WRITTEN = new Set(
  (
    "script style template noscript iframe object embed applet svg canvas audio video map area head title " +
    "button input select textarea option datalist dialog frame frameset source track link meta base"
  ).split(" "),
)

/** Class names of line numbers. `line` alone is the line itself. */
const NUMBERING =
  /(?:^|[\s_-])(?:ln|lnt|lno|linen(?:o|os|r|um|ums|umber|umbers)|line-?(?:no|nos|nr|nums?|numbers?)|gutter(?:-?e?lt|element)?|rouge-gutter|lineNumber)(?:[\s_-]|$)/i
/** Highlighters' class names for numbers in the code. */
const LITERAL = /(?:^|[\s_-])(?:number|numeric|literal|constant|m[bfhiox]?|il)(?:\s|$)/
const NUMBER = /^\s*(\d{1,6})[.:|]?\s*$/
/** Without class names of a known tool, at least this many lines must begin with a number for the lines to be taken as numbered. */
const MIN_NUMBERED = 3
const MAX_BUTTON_CHARS = 20
/** Class names of the box around an editor's lines. */
const EDITORS = /(?:^|\s)(?:CodeMirror-code|cm-content|view-lines|ace_text-layer)(?:\s|$)/
/** Class names of tables that contain code. */
const CODE_TABLE =
  /(?:^|[\s_-])(?:code|highlight\w*|hljs|blob|syntaxhighlighter|source|rouge|diff)(?:[\s_-]|$)/i

/** Code as its author wrote it, without line numbers, prompts that can't be selected, and buttons. */
export function codeBlock(element: Element): string[] {
  const text = new CodeText(element)
  const read = text.read()
  const code = read.trim() === "" ? text.label : read
  if (code === "") return []
  let fence = "```"
  while (code.includes(fence) && fence.length < 50) fence += "`"
  const label = code === text.label ? "" : text.label.toLowerCase()
  return [`${fence}${codeLanguage(element) || label}\n${code}\n${fence}`]
}

/** Whether an element contains lines of code without being a `<pre>`: an editor's lines, or boxes that each begin with their number. */
export function isCodeLines(element: Element): boolean {
  if (EDITORS.test(element.get("class") ?? "")) return true
  const lines: Element[] = []
  for (const child of element.children) {
    if (typeof child !== "string") lines.push(child)
    else if (child.trim() !== "") return false
    if (lines.length === 2) break
  }
  const [first, second] = lines
  if (first === undefined || second === undefined) return false
  const number = numberAtHead(first)
  return number !== null && numberAtHead(second) === number + 1
}

/** Whether each row of a table is a line of code preceded by its number. */
export function isCodeTable(table: Element, rows: readonly (readonly Element[])[]): boolean {
  const first = rows[0]
  if (first === undefined || first.length < 2) return false
  const named = [table.parent, table, ...first].map((one) => one?.get("class") ?? "").join(" ")
  if (!CODE_TABLE.test(named)) return false
  let before: number | null = null
  for (const [cell] of rows) {
    const own = cell!.get("data-line-number")
    const [number] = own === null ? (numbersIn(cell!) ?? []) : [Number(own)]
    if (number === undefined || (before !== null && own === null && number !== before + 1)) return false
    before = number
  }
  return true
}

/** Whether an element, or one inside it, has a class name used for line numbers. */
export const isCalledNumbers = (element: Element): boolean =>
  firstElement(element, (one) => NUMBERING.test(one.get("class") ?? "")) !== null

/** The consecutive numbers that make up an element's whole text; null if it has other text or no text. */
export function numbersIn(element: Element): readonly number[] | null {
  const numbers: number[] = []
  const look = ({ children }: Element): boolean =>
    children.every((child) => {
      if (typeof child !== "string") return NOT_WRITTEN.has(child.tag) || look(child)
      for (const word of child.split(/[\s.:|]+/)) {
        if (word === "") continue
        if (!/^\d{1,6}$/.test(word)) return false
        if (numbers.length > 0 && Number(word) !== numbers.at(-1)! + 1) return false
        numbers.push(Number(word))
      }
      return true
    })
  return look(element) && numbers.length > 0 ? numbers : null
}

/** The number at the start of a line that is a block, in an element whose class marks it as a line number. */
function numberAtHead(line: Element): number | null {
  if (!isBlockTag(line.tag)) return null
  for (const child of line.children.slice(0, 4)) {
    if (typeof child === "string") {
      if (child.trim() !== "") return null
    } else if (child.children.length > 0) {
      // Check the class first: this runs for every box of every page, and few have such a class.
      const isCalledSo = NUMBERING.test(child.get("class") ?? "")
      const number = isCalledSo ? NUMBER.exec(textOf(child, 10))?.[1] : undefined
      return number === undefined ? null : Number(number)
    }
  }
  return null
}

/** Whether the element is excluded when a reader copies the code. */
const isUnselectable = (element: Element): boolean =>
  /user-select\s*:\s*none/.test(element.get("style") ?? "") || element.get("unselectable") === "on"

const isCopyButton = (element: Element): boolean =>
  (element.get("role") === "button" || /copy|clipboard/i.test(element.get("class") ?? "")) &&
  textOf(element, MAX_BUTTON_CHARS + 1).length <= MAX_BUTTON_CHARS

/** A part that might be a line number. */
interface Candidate {
  /** Index among the parts. */
  readonly at: number
  readonly value: number
  readonly isCalledSo: boolean
  readonly isLiteral: boolean
  /** Whether the number or the code after it is in a box, which separates the two. */
  isBox: boolean
}

class CodeText {
  readonly #root: Element
  readonly #parts: string[] = []
  readonly #candidates: Candidate[] = []
  /** The name of the language, from a box at the top. */
  label = ""
  #hasLines = false

  constructor(root: Element) {
    this.#root = root
  }

  read(): string {
    this.#collect(this.#root)
    this.#dropNumbers()
    return (
      this.#parts
        .join("")
        .replace(/\r\n?/g, "\n")
        .replace(/[\0\u200B\uFEFF]/g, "")
        .replaceAll("\u00A0", " ")
        // Some tools put a space into empty lines.
        .replace(/^ $/gm, "")
        .replace(/^\n+/, "")
        .trimEnd()
    )
  }

  get #isAtLineStart(): boolean {
    for (let i = this.#parts.length - 1; i >= 0; i--) {
      const part = this.#parts[i]!
      if (part.endsWith("\n")) return true
      if (part.trim() !== "") return false
    }
    return true
  }

  #collect(node: Element): void {
    for (const child of node.children) {
      if (typeof child === "string") this.#parts.push(child)
      else if (child.tag === "br") this.#parts.push("\n")
      else if (!NOT_WRITTEN.has(child.tag) && !this.#takesNumber(child) && !isCopyButton(child))
        this.#take(child)
    }
  }

  #take(element: Element): void {
    // Short text that can't be selected is a prompt; longer text is code that the site protects from copying.
    if (isUnselectable(element) && textOf(element, MAX_BUTTON_CHARS).length < MAX_BUTTON_CHARS) return
    const isLine = isBlockTag(element.tag) && element.tag !== "td" && element.tag !== "th"
    if (
      isLine &&
      this.label === "" &&
      this.#parts.every((part) => part.trim() === "") &&
      isLanguageLabel(element)
    ) {
      this.label = labelText(element)
      return
    }
    const last = this.#parts.at(-1)
    const number = this.#candidates.at(-1)
    const isBehindNumber = number?.at === this.#parts.length - 1
    if (isBehindNumber && isLine && number !== undefined) number.isBox = true
    if (isLine && last !== undefined && !isBehindNumber && !last.endsWith("\n")) this.#parts.push("\n")
    const before = this.#parts.length
    this.#collect(element)
    if (!isLine) return
    // A box without content is an empty line.
    const isEmpty = this.#parts.length === before
    if (isEmpty && this.#hasLines) this.#parts.push("\n")
    this.#hasLines ||= !isEmpty
  }

  /** Whether an element is a column of line numbers, which is dropped, or a number at the start of a line, which is kept as a candidate until all lines are known. */
  #takesNumber(element: Element): boolean {
    const { children } = element
    const isCalledSo =
      NUMBERING.test(element.get("class") ?? "") ||
      element.has("data-line-number") ||
      isUnselectable(element) ||
      element.get("aria-hidden") === "true"
    // Skips elements that can't be a number before reading their text.
    if (!isCalledSo && children.length !== 1 && !/^t[dh]$/.test(element.tag)) return false
    if (!this.#isAtLineStart) return false
    const numbers = numbersIn(element)
    if (numbers === null) return false
    if (numbers.length > 1) return isCalledSo || element.tag === "td" || this.#parts.length === 0
    const text = element.children.every((child) => typeof child === "string")
      ? element.children.join("")
      : textOf(element, 10)
    this.#candidates.push({
      at: this.#parts.push(text) - 1,
      value: numbers[0]!,
      isCalledSo,
      isBox: isBlockTag(element.tag),
      isLiteral: !isCalledSo && LITERAL.test(element.get("class") ?? ""),
    })
    return true
  }

  #dropNumbers(): void {
    const all = this.#candidates
    const parts = this.#parts
    const called = all.filter(({ isCalledSo }) => isCalledSo)
    const found = called.length > 0 ? called : all
    const isRow = found.every(({ value }, i) => i === 0 || value === found[i - 1]!.value + 1)
    if (found.length === 0 || !isRow) return
    const written = (at: number) => {
      let text = ""
      for (let i = at + 1; i < parts.length && !text.includes("\n"); i++) text += parts[i]
      return text.split("\n", 1)[0]!
    }
    const rests = found.map(({ at }) => written(at))
    if (called.length === 0) {
      const lines = parts
        .join("")
        .split("\n")
        .filter((line) => line.trim() !== "").length
      const isData = found.some(({ isLiteral, isBox }, i) => isLiteral || (!isBox && /^\S/.test(rests[i]!)))
      if (isData || found.length < MIN_NUMBERED || found.length < lines) return
    }
    // If single spaces separate the numbers from the lines, the spaces are dropped too.
    const isApart =
      rests.every((rest) => /^[ \t\u00A0]|^$/.test(rest)) &&
      rests.some((rest) => /^[ \t\u00A0](?:\S|$)/.test(rest))
    for (const { at } of found) {
      parts[at] = parts[at]!.includes("\n") ? "\n" : ""
      const next = parts[at + 1]
      if (isApart && next !== undefined) parts[at + 1] = next.replace(/^[ \t\u00A0]/, "")
    }
  }
}
