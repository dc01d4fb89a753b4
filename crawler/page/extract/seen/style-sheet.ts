import { Lru } from "#base/flow/memory/lru.ts"
import { type Declarations, readDeclarations, unescaped, withoutComments } from "./declarations.ts"
import { HOST } from "../html/shadow-roots.ts"
import { matchesMedia } from "./media-queries.ts"
import { type Complex, readSelectors } from "./selectors.ts"

/** A rule of a page's own style sheet that says something of whether text is on show. */
export interface Rule {
  readonly selector: Complex
  readonly declarations: Declarations
  /** Windows it is for, as widths in pixels. */
  readonly widths: readonly number[]
  /** Place among the rules; of two that are as specific the later one counts. */
  readonly order: number
  /** As an element's. */
  readonly scope: number
}

/** Widths of the windows in which a page is looked at: a desk's and a phone's. */
export const WIDTHS: readonly number[] = [1280, 390]

/** Of all style sheets of a page; the largest that pages write into themselves have a few hundred kilobytes. */
const MAX_CHARS = 2_000_000
const MAX_RULES = 5000
const MAX_DEPTH = 8

/** The rules of a page's `<style>` elements, in order. Linear in their length; never throws. */
export function readStyleSheets(
  sheets: readonly { readonly css: string; readonly media: string; readonly scope: number }[],
): Rule[] {
  const rules: Rule[] = []
  let left = MAX_CHARS
  for (const { css, media, scope } of sheets) {
    const widths = WIDTHS.filter((width) => matchesMedia(media, width))
    if (widths.length > 0 && left > 0)
      for (const rule of rulesOf(css.slice(0, left), widths)) {
        if (rules.length >= MAX_RULES) return rules
        rules.push({ ...rule, order: rules.length, scope })
      }
    left -= css.length
  }
  return rules
}

type Read = Omit<Rule, "order" | "scope">

// The pages of a site have the same sheets.
const read = new Lru<string, readonly Read[]>(20)
const MAX_REMEMBERED_CHARS = 100_000

function rulesOf(css: string, widths: readonly number[]): readonly Read[] {
  const name = `${widths.join()} ${css}`
  const known = read.get(name)
  if (known !== undefined) return known
  const rules: Read[] = []
  readBlock(withoutComments(css), widths, rules, 0)
  if (css.length <= MAX_REMEMBERED_CHARS) read.set(name, rules)
  return rules
}

function readBlock(css: string, widths: readonly number[], rules: Read[], depth: number, above = ""): void {
  let at = 0
  while (at < css.length && rules.length < MAX_RULES) {
    const open = css.indexOf("{", at)
    if (open === -1) return
    const close = closingBrace(css, open)
    const prelude = css.slice(Math.max(at, css.lastIndexOf(";", open) + 1), open).trim()
    const body = css.slice(open + 1, close)
    at = close + 1
    if (prelude.startsWith("@")) {
      const [, name = "", condition = ""] = /^@([a-z-]+)\s*([^]*)$/i.exec(prelude) ?? []
      if (/^property$/i.test(name) && condition.startsWith("--")) {
        const value = /(?:^|[;\s])initial-value\s*:([^;]*)/i.exec(body)?.[1]
        if (value !== undefined) addRules("html", `${condition}:${value}`, widths, rules)
        continue
      }
      // A box is as wide as the window at most, and is taken to be so.
      const inside = /^(?:media|container)$/i.test(name)
        ? widths.filter((width) => matchesMedia(condition.replace(/^[\w-]+\s+(?=\()/, ""), width))
        : widths
      const isHeld =
        /^(?:media|layer|scope)$/i.test(name) ||
        (/^container$/i.test(name) && !/\b(?:style|scroll-state)\(/i.test(condition)) ||
        (/^supports$/i.test(name) && !/^not\b/i.test(condition))
      if (depth >= MAX_DEPTH || inside.length === 0 || !isHeld) continue
      // In a rule it is for what that rule is for.
      const isNested = above !== "" && !/^scope$/i.test(name)
      if (isNested) addRules(above, own(body), inside, rules)
      readBlock(body, inside, rules, depth + 1, above)
      continue
    }
    if (prelude.length > MAX_PRELUDE) continue
    const selector = above === "" ? prelude : nested(prelude, above)
    const isNesting = body.includes("{")
    addRules(selector, isNesting ? own(body) : body, widths, rules)
    if (isNesting && depth < MAX_DEPTH && selector.length <= MAX_PRELUDE)
      readBlock(body, widths, rules, depth + 1, selector)
  }
}

const MAX_PRELUDE = 20_000

/** A selector inside of a rule (CSS Nesting 1), as it would stand alone. */
const nested = (inner: string, above: string): string =>
  inner
    .split(/,(?![^(]*\))/)
    .map((one) => {
      const outer = /[,]/.test(above) ? `:is(${above})` : above
      return one.includes("&") ? one.replaceAll("&", outer).trim() : `${outer} ${one.trim()}`
    })
    .join(",")

/** The declarations of a block without the rules inside of it. */
function own(body: string): string {
  let out = ""
  let at = 0
  for (let open = body.indexOf("{"); open !== -1; open = body.indexOf("{", at)) {
    const start = Math.max(at, body.lastIndexOf(";", open) + 1)
    out += body.slice(at, Math.max(at, start))
    at = closingBrace(body, open) + 1
  }
  return out + body.slice(at)
}

function addRules(prelude: string, body: string, widths: readonly number[], rules: Read[]): void {
  const declarations = readDeclarations(body)
  if (declarations.size === 0) return
  for (const selector of readSelectors(withHost(unescaped(prelude))))
    if (rules.length < MAX_RULES) rules.push({ selector, declarations, widths })
}

/** The element that has a shadow root is known by an attribute of ours. */
const withHost = (prelude: string): string =>
  prelude.includes(":host")
    ? prelude.replace(/:host(?:\(([^()]*)\))?(?![\w(-])/g, (_, given = "") => `${given}[${HOST}]`)
    : prelude

/** Where the block that opens at `open` ends; the end of the text when nothing ends it. */
function closingBrace(css: string, open: number): number {
  BRACES.lastIndex = open
  let depth = 0
  for (let found = BRACES.exec(css); found !== null; found = BRACES.exec(css)) {
    if (found[0] === "{") depth += 1
    else if (found[0] === "}" && (depth -= 1) === 0) return found.index
  }
  return css.length
}

/** Braces, and texts in quotes, which may hold some. */
const BRACES = /[{}]|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/g
