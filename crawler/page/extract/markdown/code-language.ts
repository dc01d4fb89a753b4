import { type Element, textOf } from "../html/tree.ts"

/** Words that don't name a language. */
const NONE = /^(?:none|text|plain|plain ?text|txt|default|source|wrapper|notranslate|code|table|false|true)$/
const WORD = "[\\p{L}\\p{N}_+#.-]{1,20}"
const NAMED = new RegExp(`^${WORD}$`, "u")
/** `language-x`, `lang-x`, `highlight-source-x`, `highlight-x`, `mw-highlight-lang-x`, `src-x`, `brush: x`. */
const IN_CLASS = new RegExp(
  `(?:^|\\s)(?:language|(?:mw-highlight-)?lang|highlight-source|highlight|src|brush)(?:-|:\\s*|\\s+(?=brush))(${WORD})`,
  "iu",
)
/** Class names of code blocks that name the language in a separate class. */
const CODE_CLASS =
  /(?:^|\s)(?:hljs|highlight|sourceCode|src|code|prettyprint|syntaxhighlighter|listing|codehilite|prism)(?:\s|$)/i
const ATTRIBUTES = ["data-lang", "data-language", "data-mode", "lang"]
/** Language names as pages write them beside code, in lower case. */
const LANGUAGES = new Set(
  (
    "ada apache asm assembly awk bash basic batch c c# c++ cc cfg clojure cmake cmd cobol coffeescript console cpp crystal cs csharp css csv cuda " +
    "cypher d dart delphi diff dockerfile docker elisp elixir elm emacs-lisp erlang f# fish fortran fsharp glsl go golang gradle graphql groovy haskell " +
    "haml hcl hlsl html http ini java javascript jinja js json json5 jsonc jsx julia kotlin latex less liquid lisp lua makefile markdown matlab md " +
    "mermaid nginx nim nix objc objective-c ocaml pascal perl php plsql postgresql powershell prolog proto protobuf ps1 pug py python r racket rb " +
    "react reason rs ruby rust sass scala scheme scss sh shell shell-session solidity sparql sql svelte swift tcl terraform tex toml ts tsx " +
    "typescript vb vba verilog vhdl vim vue wasm xml xquery yaml yml zig zsh"
  ).split(" "),
)
/** Maximum number of elements around code that can name its language: parts of a table, a figure, a box. */
const MAX_AROUND = 8
const AROUND = new Set("code pre td tr tbody table div figure section span".split(" "))
/** The number of siblings checked before and after the code. */
const MAX_BESIDE = 3
/** If there are more siblings, finding the code's place among them each time would take quadratic time. */
const MAX_SIBLINGS = 500
/** How many characters of a label are read, including the spaces between boxes. */
const MAX_LABEL_CHARS = 100

/** The language of a code block, as marked on the block, inside it, around it or beside it; empty if it is not marked. */
export function codeLanguage(block: Element): string {
  const inner = block.children.find(
    (child): child is Element => typeof child !== "string" && child.tag === "code",
  )
  if (inner !== undefined) {
    const own = markedOn(inner, true)
    if (own !== "") return own
  }
  let at: Element | null = block
  for (let steps = 0; at !== null && steps < MAX_AROUND && AROUND.has(at.tag); at = at.parent, steps++) {
    const own = markedOn(at, steps === 0)
    if (own !== "") return own
    for (const label of besideOf(at).filter(isLanguageLabel)) {
      const name = labelText(label).toLowerCase()
      if (!NONE.test(name)) return name
    }
  }
  return ""
}

function markedOn(element: Element, isCode: boolean): string {
  for (const name of ATTRIBUTES) {
    const value = element.get(name)?.toLowerCase()
    if (value === undefined || !NAMED.test(value) || NONE.test(value)) continue
    // `lang` also names human languages.
    if (name !== "lang" || LANGUAGES.has(value)) return value
  }
  const named = element.get("class") ?? ""
  const fromClass = IN_CLASS.exec(named)?.[1]?.toLowerCase()
  if (fromClass !== undefined && !NONE.test(fromClass)) return fromClass
  if (!isCode && !CODE_CLASS.test(named)) return ""
  return (
    named
      .toLowerCase()
      .split(/\s+/, 10)
      .find((word) => LANGUAGES.has(word)) ?? ""
  )
}

/** Whether a box contains only the name of a language, apart from buttons. */
export function isLanguageLabel(element: Element): boolean {
  if (!/^(?:div|span|figcaption|header|small|strong|b|em)$/.test(element.tag)) return false
  const name = labelText(element).toLowerCase()
  return LANGUAGES.has(name) || (name !== "" && NONE.test(name))
}

/** A box's text without its buttons. */
export const labelText = (element: Element): string =>
  textOf(element, MAX_LABEL_CHARS, (one) => one.tag === "button" || one.get("role") === "button")

/** The nearest siblings of an element on each side, up to the next text. */
export function besideOf(element: Element): Element[] {
  const siblings = element.parent?.children ?? []
  if (siblings.length > MAX_SIBLINGS) return []
  const at = siblings.indexOf(element)
  const found: Element[] = []
  for (const step of [-1, 1])
    for (let i = at + step, left = MAX_BESIDE; i >= 0 && i < siblings.length && left > 0; i += step) {
      const one = siblings[i]!
      if (typeof one === "string") {
        if (one.trim() !== "") break
        continue
      }
      found.push(one)
      left--
    }
  return found
}
