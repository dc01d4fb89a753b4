import { formulaEnd } from "#engine/text/markdown/formula-end.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { mathmlToTex } from "./mathml.ts"
import { collapse, type Element, firstElement, parseTree, textOf } from "../html/tree.ts"

/** A formula in TeX, regardless of how the page wrote it. */
export interface Formula {
  readonly tex: string
  /** Whether the formula is on a line of its own. */
  readonly isDisplay: boolean
}

/** Whether an element is a formula's source for MathJax 2. */
export function isFormulaScript(element: Element): boolean {
  return element.tag === "script" && FORMULA_TYPE.test(element.get("type") ?? "")
}

const FORMULA_TYPE = /^\s*math\/(?:tex|asciimath|mml)\b/i
/** Class names that typesetting tools use for the elements around formulas. */
const SET =
  /(?:^|\s)(?:katex(?:-display)?|MathJax\w*|mjx-\w+|math(?:-\w+|ml)?|tex\w*|latex\w*|formula|equation)(?:\s|$)/i
/** Matches images of formulas by class or address. */
const PICTURED = /(?:^|[\s/._-])(?:mwe-math|latex|codecogs|mathtex|mathjax|math\/render)/i
const SOURCES = ["data-latex", "data-tex", "data-math"]
/** TeX longer than this isn't written, because no reader could follow it. */
const MAX_TEX_CHARS = 10_000

/** The formula that an element represents; null when it isn't a formula, or when its TeX is unknown. */
export function formulaOf(element: Element): Formula | null {
  switch (element.tag) {
    case "script":
      return isFormulaScript(element) ? ofScript(element) : null
    case "math":
      return formula(texOfMath(element), isDisplayed(element))
    case "mjx-container":
      return formula(texInside(element) ?? mathmlToTex(element), element.get("display") === "true")
    case "img":
      return formula(texOfImage(element), false)
    case "span":
    case "div":
      return SET.test(element.get("class") ?? "") ? formula(texInside(element), isDisplayed(element)) : null
    default:
      return null
  }
}

function isDisplayed(element: Element): boolean {
  const math = element.tag === "math" ? element : firstElement(element, ({ tag }) => tag === "math")
  return (
    math?.get("display") === "block" ||
    /(?:^|[\s_-])(?:tml-|katex-)?(?:display|block)(?:$|\s)/i.test(element.get("class") ?? "") ||
    element.get("data-display") === "true"
  )
}

function ofScript(script: Element): Formula | null {
  const type = script.get("type")!
  const source = script.children.filter((child) => typeof child === "string").join("")
  const tex = /mml/i.test(type) ? mathmlToTex(parseTree(source)) : source
  return formula(tex, /mode\s*=\s*display/i.test(type))
}

/** The TeX of an element or one below it, from an attribute or MathML. */
function texInside(element: Element): string | null {
  for (const name of SOURCES) {
    const written = element.get(name)
    if (written !== null && isTex(written)) return written
  }
  const carrier = firstElement(
    element,
    (below) => below.tag === "math" || below.has("data-latex") || below.has("data-mathml"),
  )
  if (carrier === null) return null
  const latex = carrier.get("data-latex")
  if (latex !== null && latex.trim() !== "") return latex
  if (carrier.tag === "math") return texOfMath(carrier)
  const math = firstElement(parseTree(carrier.get("data-mathml")!), ({ tag }) => tag === "math")
  return math === null ? null : texOfMath(math)
}

function texOfMath(math: Element): string {
  const annotation = firstElement(
    math,
    (node) => node.tag === "annotation" && /(?:^|[/-])(?:la)?tex$/i.test(node.get("encoding") ?? ""),
  )
  const written = [
    annotation === null ? "" : textOf(annotation),
    math.get("data-latex") ?? "",
    math.get("alttext") ?? "",
  ]
  const found = written.find((tex) => tex.trim() !== "" && !holdsModelOrder(tex))
  return found ?? mathmlToTex(math)
}

function texOfImage(image: Element): string | null {
  const src = image.get("src") ?? ""
  const alt = image.get("alt") ?? ""
  if (COMMAND.test(alt)) return alt
  if (ENCODED_COMMAND.test(src)) return texOfAddress(src)
  if (!PICTURED.test(`${image.get("class") ?? ""} ${src}`)) return null
  return isTex(alt) ? alt : texOfAddress(src)
}

/** A TeX command with its argument, which doesn't occur in ordinary text. */
const COMMAND = /\\[a-z]+\s*\{/i
const ENCODED_COMMAND = /%5C[a-z]+(?:%7B|%5E|%2B|[{^_])/i

function texOfAddress(src: string): string | null {
  // Services that draw formulas receive the TeX as part of the address.
  const plain = /[?&](?:latex|chl|tex)=/.test(src) ? src.replaceAll("+", " ") : src
  const query = /[?&](?:latex=|chl=|tex=)?([^&=]*\\[^&]*|(?:latex|chl|tex)=[^&]+)/.exec(decoded(plain))?.[1]
  if (query === undefined) {
    const last = decoded(src.slice(src.lastIndexOf("/") + 1))
    return COMMAND.test(last) ? last : null
  }
  return query.replace(/^(?:latex|chl|tex)=/, "").replace(/\\(?:dpi|bg|fn_\w+)\s*\{[^{}]*\}/g, "")
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Whether text is TeX rather than words: a command, a sub- or superscript, an equation or a lone letter. */
const isTex = (text: string): boolean => /[\\^_=<>{}+]|^\s*\p{L}\s*$/u.test(text)

/** Turns TeX into a formula; null if the TeX is empty, too long, or contains instructions to language models. */
export function formula(source: string | null, isDisplay: boolean): Formula | null {
  if (source === null || source.length > MAX_TEX_CHARS || holdsModelOrder(source)) return null
  const tidy = tidied(source)
  const tex = tidy.replace(/^\\displaystyle\b\s*/, "")
  return tex === "" ? null : { tex, isDisplay: isDisplay || tex !== tidy }
}

/** Puts TeX on one line, without comments or delimiters, and replaces or escapes each `$` in it. */
function tidied(source: string): string {
  let tex = collapse(source.replace(/(?<!\\)%.*$/gm, "").replace(/<!\[CDATA\[|\]\]>/g, ""))
  const inner = /^(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$)$/.exec(tex)
  if (inner !== null)
    tex = inner
      .slice(1)
      .find((part) => part !== undefined)!
      .trim()
  const styled = /^\{\\(?:display|text)style\s(.*)\}$/.exec(tex)?.[1]
  if (styled !== undefined && isBalanced(styled)) tex = styled.trim()
  return tex
    .replace(/(?<!\\)\$([^$]*)(?<!\\)\$/g, "\\($1\\)")
    .replace(/(?<!\\)\$/g, "\\$")
    .replace(/\\\|/g, "\\Vert ")
    .replace(/\\$/, "")
    .trim()
}

function isBalanced(tex: string): boolean {
  let depth = 0
  for (const [brace] of tex.matchAll(/(?<!\\)[{}]/g)) if ((depth += brace === "{" ? 1 : -1) < 0) return false
  return depth === 0
}

// If a paragraph has formulas, its other dollar signs are written differently, but only its end shows whether it has
// any. Until then, a noncharacter (Unicode §23.7) marks formulas.
const MARK = "\uFDD2"

/** Wraps a formula in marks that {@link settled} turns into dollar signs. */
export const formulaText = ({ tex, isDisplay }: Formula): string =>
  isDisplay ? `${MARK}$${tex}$${MARK}` : MARK + tex + MARK

/** Matches formulas, code and addresses, which can contain dollar signs, and single dollar signs. Code and addresses are kept unchanged. */
const DOLLARS = /\uFDD2([^\uFDD2]*)\uFDD2|`[^`\n]+`|\]\([^()\s]*\)|(?<!\\)\$/g

/** Writes the formulas of a text, and escapes other dollar signs that could be read as formula delimiters. */
export function settled(text: string): string {
  const hasFormula = text.includes(MARK)
  if (!hasFormula && !text.includes("$")) return text
  return text.replace(DOLLARS, (found, tex: string | undefined, at: number) => {
    if (tex !== undefined) return `$${tex}$`
    return found === "$" && (hasFormula || formulaEnd(text, at) !== -1) ? "\\$" : found
  })
}

/** TeX between delimiters, as authors write it for a script to typeset. */
const DELIMITED =
  /\\\(((?:[^\\]|\\[^()])+?)\\\)|\\\[((?:[^\\]|\\[^[\]])+?)\\\]|(?<![\\$])\$\$((?:[^$\\]|\\[^])+)\$\$|(\\begin\{(equation|align|gather|multline|eqnarray)\*?\}(?:[^\\]|\\(?!(?:begin|end)\{\5))+\\end\{\5\*?\})/g

/** Splits a text into the formulas that a script will typeset and the text between them; null when it has none. */
export function formulasInText(text: string): (string | Formula)[] | null {
  if (!/\\[([b]|\$/.test(text)) return null
  const parts: (string | Formula)[] = []
  let from = 0
  const take = (at: number, length: number, found: Formula | null) => {
    if (found === null) return
    parts.push(text.slice(from, at), found)
    from = at + length
  }
  for (const match of text.matchAll(DELIMITED)) {
    const [all, inline, display, dollars, block] = match
    take(match.index, all.length, formula(inline ?? display ?? dollars ?? block!, inline === undefined))
  }
  if (parts.length === 0) return singleDollars(text)
  parts.push(text.slice(from))
  return parts.flatMap((part) => (typeof part === "string" ? (singleDollars(part) ?? [part]) : [part]))
}

function singleDollars(text: string): (string | Formula)[] | null {
  const parts: (string | Formula)[] = []
  let from = 0
  for (let at = text.indexOf("$"); at !== -1; at = text.indexOf("$", at)) {
    const end = text[at - 1] === "\\" ? -1 : formulaEnd(text, at)
    const found = end === -1 ? null : formula(text.slice(at + 1, end - 1), false)
    if (found === null) at++
    else {
      parts.push(text.slice(from, at), found)
      at = from = end
    }
  }
  return parts.length === 0 ? null : [...parts, text.slice(from)]
}
