import { formulaEnd } from "#engine/text/markdown/formulas.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { mathmlToTex } from "./mathml.ts"
import { collapse, type Element, firstElement, parseTree, textOf } from "../html/tree.ts"

/** A formula of a page in TeX, whatever it was written in. */
export interface Formula {
  readonly tex: string
  /** Whether it has a line of its own. */
  readonly isDisplay: boolean
}

/** Formulas for MathJax 2, which its script sets. */
export function isFormulaScript(element: Element): boolean {
  return element.tag === "script" && FORMULA_TYPE.test(element.get("type") ?? "")
}

const FORMULA_TYPE = /^\s*math\/(?:tex|asciimath|mml)\b/i
/** What the tools that set formulas call the elements around them. */
const SET =
  /(?:^|\s)(?:katex(?:-display)?|MathJax\w*|mjx-\w+|math(?:-\w+|ml)?|tex\w*|latex\w*|formula|equation)(?:\s|$)/i
/** Images of formulas, by their class or by where they come from. */
const PICTURED = /(?:^|[\s/._-])(?:mwe-math|latex|codecogs|mathtex|mathjax|math\/render)/i
const SOURCES = ["data-latex", "data-tex", "data-math"]
/** Longer ones are read by no one. */
const MAX_TEX_CHARS = 10_000

/** The formula that an element shows as a whole; null when it is none, or when nothing says what it is in TeX. */
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

/** TeX that an element or one below it carries, as an attribute or in MathML. */
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
  if (!PICTURED.test(`${image.get("class") ?? ""} ${src}`)) return null
  const alt = image.get("alt") ?? ""
  if (isTex(alt)) return alt
  // Services that draw formulas have them in the address.
  const plain = /[?&](?:latex|chl|tex)=/.test(src) ? src.replaceAll("+", " ") : src
  const query = /[?&](?:latex=|chl=|tex=)?([^&=]*\\[^&]*|(?:latex|chl|tex)=[^&]+)/.exec(decoded(plain))?.[1]
  return query === undefined
    ? null
    : query.replace(/^(?:latex|chl|tex)=/, "").replace(/\\(?:dpi|bg|fn_\w+)\s*\{[^{}]*\}/g, "")
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Whether a text is TeX rather than words: has a command, a script, an equation or a lone letter. */
const isTex = (text: string): boolean => /[\\^_=<>{}+]|^\s*\p{L}\s*$/u.test(text)

/** A formula of this TeX; null when it is none, or too long for a reader. */
export function formula(source: string | null, isDisplay: boolean): Formula | null {
  if (source === null || source.length > MAX_TEX_CHARS || holdsModelOrder(source)) return null
  const tidy = tidied(source)
  const tex = tidy.replace(/^\\displaystyle\b\s*/, "")
  return tex === "" ? null : { tex, isDisplay: isDisplay || tex !== tidy }
}

/** On one line, without comments and delimiters, and with no `$` of its own. */
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

// Whether a paragraph has formulas is known at its end, and so is what to do with its other dollars. A character that is none marks
// formulas until then (Unicode §23.7).
const MARK = "\uFDD2"

/** Dollars of a formula that is still to be {@link settled} among the text around it. */
export const formulaText = ({ tex, isDisplay }: Formula): string =>
  isDisplay ? `${MARK}$${tex}$${MARK}` : MARK + tex + MARK

/** What has dollars: formulas, and code and addresses, which keep theirs. */
const DOLLARS = /\uFDD2([^\uFDD2]*)\uFDD2|`[^`\n]+`|\]\([^()\s]*\)|(?<!\\)\$/g

/** Text with its formulas, and dollars that are money escaped where they could be taken for a formula's. */
export function settled(text: string): string {
  const hasFormula = text.includes(MARK)
  if (!hasFormula && !text.includes("$")) return text
  return text.replace(DOLLARS, (found, tex: string | undefined, at: number) => {
    if (tex !== undefined) return `$${tex}$`
    return found === "$" && (hasFormula || formulaEnd(text, at) !== -1) ? "\\$" : found
  })
}

/** TeX between delimiters, as authors write it for a script to set. */
const DELIMITED =
  /\\\(((?:[^\\]|\\[^()])+?)\\\)|\\\[((?:[^\\]|\\[^[\]])+?)\\\]|(?<![\\$])\$\$((?:[^$\\]|\\[^])+)\$\$|(\\begin\{(equation|align|gather|multline|eqnarray)\*?\}(?:[^\\]|\\(?!(?:begin|end)\{\5))+\\end\{\5\*?\})/g

/** The parts of a text that a script will set as formulas, in turn with those between them; null when there are none. */
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
