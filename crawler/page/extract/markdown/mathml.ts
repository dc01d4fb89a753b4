import type { Element } from "../html/tree.ts"

/**
 * Turns presentation MathML (MathML Core) into readable TeX that is typeset in the same way. MathJax's own elements are
 * MathML under other names: `<mjx-mfrac>`, or `<g data-mml-node="mfrac">` in its drawings.
 */
export function mathmlToTex(math: Element): string {
  return joined(elementsOf(math).map(texOf))
}

const nameOf = (element: Element): string =>
  element.get("data-mml-node") ?? element.tag.replace(/^mjx-(?:assistive-)?/, "")

/** Boxes that MathJax puts around the parts of a formula, without a meaning of their own. */
const WRAPPERS = new Set(
  "mrow texatom math base box frac num den nstrut row dbox dtable table itable sqrt".split(" "),
)
const NOTHING = new Set(
  "spacer annotation annotation-xml mphantom none mprescripts malignmark maligngroup maction-hidden surd line strut nstrut dstrut script-space defs rect".split(
    " ",
  ),
)

function elementsOf(element: Element): Element[] {
  return element.children.filter(
    (child): child is Element => typeof child !== "string" && !NOTHING.has(nameOf(child)),
  )
}

function texOf(node: Element): string {
  const name = nameOf(node)
  const parts = () => partsOf(node)
  switch (name) {
    case "mi":
      return identifier(node)
    case "mn":
      return escaped(glyphs(node).trim())
    case "mo":
      return operator(glyphs(node))
    case "mtext":
    case "ms":
      return text(glyphs(node))
    case "mspace":
      return ""
    case "semantics":
      return elementsOf(node).slice(0, 1).map(texOf).join("")
    case "mfrac": {
      const [over = "", under = ""] = parts()
      // A fraction without its line is a binomial coefficient.
      if (node.get("linethickness")?.startsWith("0") === true) return `{${over} \\atop ${under}}`
      return `\\frac{${over}}{${under}}`
    }
    case "msqrt":
      return `\\sqrt{${joined(elementsOf(node).map(texOf))}}`
    case "mroot": {
      const [base = "", index = ""] = parts()
      return `\\sqrt[${index}]{${base}}`
    }
    case "msub":
    case "msup":
    case "msubsup":
      return scripted(name, parts())
    case "munder":
    case "mover":
    case "munderover":
      return limited(name, limitsOf(node) ?? parts())
    case "mfenced": {
      const inner = elementsOf(node).map(texOf).join(", ")
      return `${operator(node.get("open") ?? "(").trim()}${inner}${operator(node.get("close") ?? ")").trim()}`
    }
    case "mtable":
      if (rowsOf(node).length === 1 && !rowsOf(node)[0]!.includes(" & ")) return rowsOf(node)[0]!
      return `\\begin{matrix} ${rowsOf(node).join(" \\\\ ")} \\end{matrix}`
    default:
      return node.children.every((child) => typeof child === "string") && !WRAPPERS.has(name)
        ? escaped(glyphs(node))
        : joined(elementsOf(node).map(texOf))
  }
}

/** The arguments of a fraction, root or script element, including those inside MathJax's boxes. */
function partsOf(node: Element): string[] {
  const found: string[] = []
  const visit = (element: Element): void => {
    for (const child of elementsOf(element)) {
      const name = nameOf(child)
      if (/^(?:frac|dbox|dtable|sqrt|root-box)$/.test(name) || (name === "row" && element !== node))
        visit(child)
      // A single box contains both the subscript and the superscript of a base.
      else if (name === "script" && elementsOf(child).length > 1)
        for (const one of elementsOf(child).toReversed()) found.push(texOf(one))
      else found.push(texOf(child))
    }
  }
  visit(node)
  return found
}

/** The base, lower and upper limit from MathJax's boxes, which are named after them; null without such boxes. */
function limitsOf(node: Element): string[] | null {
  const found = new Map<string, string>()
  const visit = (element: Element): void => {
    for (const child of elementsOf(element)) {
      const name = nameOf(child)
      if (name === "over" || name === "under" || name === "base")
        found.set(name, joined(elementsOf(child).map(texOf)))
      else if (/^(?:box|row|munder|mover)$/.test(name)) visit(child)
    }
  }
  if (node.tag.startsWith("mjx-")) visit(node)
  if (!found.has("base")) return null
  return ["base", "under", "over"].flatMap((name) => found.get(name) ?? [])
}

function rowsOf(table: Element): string[] {
  const rows: string[] = []
  const visit = (element: Element): void => {
    for (const child of elementsOf(element))
      if (/^m(?:labeled)?tr$/.test(nameOf(child))) {
        const cells = elementsOf(child)
        const label = nameOf(child) === "mlabeledtr" ? glyphs(cells.shift()!).replace(/[()\s]/g, "") : ""
        const row = cells.map((cell) => joined(elementsOf(cell).map(texOf))).join(" & ")
        rows.push(label === "" ? row : `${row} \\tag{${escaped(label)}}`)
      } else visit(child)
  }
  visit(table)
  return rows
}

/** The letters of a token. MathJax's fonts name each by its code point, in a class or `data-c`. */
function glyphs(node: Element): string {
  let out = ""
  const visit = (element: Element): void => {
    const code =
      element.get("data-c") ?? /(?:^|\s)mjx-c([0-9A-F]{2,6})(?:\s|$)/.exec(element.get("class") ?? "")?.[1]
    const point = code === undefined || code === null ? Number.NaN : Number.parseInt(code, 16)
    // Elements with children contain the letter as text too.
    if (point > 0 && point <= 0x10ffff && element.children.length === 0) out += String.fromCodePoint(point)
    for (const child of element.children)
      if (typeof child === "string") out += child
      else visit(child)
  }
  visit(node)
  return out.replace(/[\u2061-\u2064\u200B\uFEFF\0]/g, "")
}

const VARIANTS = new Map([
  ["double-struck", "mathbb"],
  ["bold", "mathbf"],
  ["bold-italic", "mathbf"],
  ["script", "mathcal"],
  ["fraktur", "mathfrak"],
  ["normal", "mathrm"],
])
const DOUBLE_STRUCK = new Map("ℂ ℍ ℕ ℙ ℚ ℝ ℤ".split(" ").map((letter, i) => [letter, "CHNPQRZ".charAt(i)]))
const FUNCTIONS = new Set(
  "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr sec sin sinh sup tan tanh".split(
    " ",
  ),
)

function identifier(node: Element): string {
  const shown = glyphs(node).trim()
  const struck = DOUBLE_STRUCK.get(shown)
  if (struck !== undefined) return `\\mathbb{${struck}}`
  const name = shown.normalize("NFKC")
  if (FUNCTIONS.has(name)) return `\\${name}`
  const variant = VARIANTS.get(node.get("mathvariant") ?? "")
  const known = COMMANDS.get(name)
  if (known !== undefined) return known
  if (variant !== undefined && /^[A-Za-z]+$/.test(name)) return `\\${variant}{${name}}`
  return /^[A-Za-z]{2,}$/.test(name) ? `\\mathrm{${name}}` : escaped(name)
}

/** Puts spaces around an infix sign; {@link joined} removes them where the sign is unary. */
function operator(given: string): string {
  const sign = given.trim()
  const tex = COMMANDS.get(sign) ?? escaped(sign)
  return INFIX.has(sign) ? ` ${tex} ` : tex
}

const text = (given: string): string =>
  given.trim() === "" ? " " : `\\text{${escaped(given.replace(/\s+/g, " "))}}`

const escaped = (given: string): string =>
  given.replace(/[%#&_{}$]/g, "\\$&").replace(/\\(?![%#&_{}$])/g, "\\backslash ")

const ONE = /^(?:[^\\{}\s]|\\[A-Za-z]+)$/u

const group = (tex: string): string => {
  const inner = tex.trim()
  return ONE.test(inner) ? inner : `{${inner}}`
}

function scripted(name: string, [base = "", first = "", second = ""]: string[]): string {
  const primes = (tex: string) => (/^'+$/.test(tex.trim()) ? tex.trim() : `^${group(tex)}`)
  const low = name === "msup" ? "" : `_${group(first)}`
  const high = name === "msub" ? "" : primes(name === "msup" ? first : second)
  const bottom = base.trim()
  return `${ONE.test(bottom) || /^\\(?:mathrm|mathbb|mathbf|mathcal|text)\{[^{}]*\}$/.test(bottom) || /^[^\\{}]+[)\]]$/.test(bottom) ? bottom : group(bottom)}${low}${high}`
}

const ABOVE = new Map([
  ["¯", "bar"],
  ["‾", "overline"],
  ["―", "overline"],
  ["^", "hat"],
  ["ˆ", "hat"],
  ["~", "tilde"],
  ["˜", "tilde"],
  ["\\sim", "tilde"],
  ["\\to", "vec"],
  ["⃗", "vec"],
  ["˙", "dot"],
  ["¨", "ddot"],
  ["⏞", "overbrace"],
])
const BELOW = new Map([
  ["⏟", "underbrace"],
  ["_", "underline"],
  ["\\_", "underline"],
  ["‾", "underline"],
])
/** Commands whose limits TeX also sets below and above. */
const WITH_LIMITS =
  /^\\(?:sum|prod|coprod|int|iint|oint|bigcup|bigcap|bigoplus|bigotimes|bigvee|bigwedge|lim|limsup|liminf|max|min|sup|inf|det|gcd|Pr|underbrace|overbrace)\b/

function limited(name: string, [base = "", first = "", second = ""]: string[]): string {
  const bottom = base.trim()
  if (WITH_LIMITS.test(bottom))
    return name === "mover"
      ? `${bottom}^${group(first)}`
      : scripted(name === "munder" ? "msub" : "msubsup", [bottom, first, second])
  const under = (tex: string, below: string) => {
    const mark = BELOW.get(below.trim())
    return mark === undefined ? `\\underset{${below.trim()}}{${tex}}` : `\\${mark}{${tex}}`
  }
  const over = (tex: string, above: string) => {
    const mark = ABOVE.get(above.trim())
    return mark === undefined ? `\\overset{${above.trim()}}{${tex}}` : `\\${mark}{${tex}}`
  }
  if (name === "munder") return under(bottom, first)
  return name === "mover" ? over(bottom, first) : over(under(bottom, first), second)
}

/** Joins parts: one space around an infix sign, none after a unary sign, and one where two parts would merge into one command. */
function joined(parts: readonly string[]): string {
  let out = ""
  for (const part of parts) {
    if (part === "") continue
    const isInfix = part.startsWith(" ") && part.endsWith(" ") && part.length > 2
    const isUnary =
      isInfix && (out === "" || /[([{,=<>+\-&]\s*$|\\(?:le|ge|ne|pm|mp|in|to|cdot|times|approx)\s$/.test(out))
    const written = isUnary ? part.trim() : part
    const needsBlank =
      (/\\[A-Za-z]+$/.test(out) && /^[A-Za-z]/.test(written)) ||
      (/[_^][A-Za-z0-9]$/.test(out) && /^[A-Za-z\\]/.test(written))
    out += needsBlank ? ` ${written}` : written
    if (part === "," || part === ";") out += " "
  }
  return out.replace(/ {2,}/g, " ").trim()
}

const INFIX = new Set(
  "= < > + - ± ∓ − × ÷ · ⋅ ∗ ∘ ≤ ≥ ≠ ≈ ≡ ≅ ∼ ∝ ∈ ∉ ∋ ⊂ ⊃ ⊆ ⊇ ∪ ∩ ∧ ∨ → ← ↔ ⇒ ⇐ ⇔ ↦ ∥ ⊥ ∣ ⊕ ⊗ ≪ ≫ ≔ ∖ := == <= >=".split(
    " ",
  ),
)

/** Signs and letters, each followed by its TeX command. */
const COMMANDS = new Map(
  (
    "α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ϖ varpi " +
    "ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma " +
    "Υ Upsilon Φ Phi Ψ Psi Ω Omega ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∮ oint ⋃ bigcup ⋂ bigcap ⨁ bigoplus ⨂ bigotimes ∂ partial ∇ nabla ∞ infty " +
    "± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∗ ast ∘ circ ≤ le ≥ ge ≠ ne ≈ approx ≡ equiv ≅ cong ∼ sim ∝ propto ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset " +
    "⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∧ wedge ∨ vee ¬ neg ∀ forall ∃ exists ∅ emptyset → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow " +
    "⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ∥ parallel ⊥ perp ∣ mid ⊕ oplus ⊗ otimes ≪ ll ≫ gg ∖ setminus ℓ ell ℏ hbar ℜ Re ℑ Im ℵ aleph " +
    "… dots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ‖ Vert ° circ † dagger √ surd ∠ angle"
  )
    .split(" ")
    .reduce<[string, string][]>((pairs, word, i) => {
      if (i % 2 === 0) pairs.push([word, ""])
      else pairs.at(-1)![1] = `\\${word}`
      return pairs
    }, [])
    .concat([
      ["−", "-"],
      ["′", "'"],
      ["″", "''"],
      ["‴", "'''"],
    ]),
)
