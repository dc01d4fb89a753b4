import { Lru } from "#base/flow/memory/lru.ts"
import { readBlocks, type Visitor } from "./blocks.ts"
import { partsOf } from "./colors.ts"
import { type Declarations, readDeclarations, withoutComments } from "./declarations.ts"
import { HOST } from "../html/shadow-roots.ts"
import { matchesMedia } from "./media-queries.ts"
import { type Complex, readSelectors } from "./selectors.ts"

/** A rule in a page's own style sheet that affects whether text is visible. */
export interface Rule {
  readonly selector: Complex
  readonly declarations: Declarations
  /** The windows that the rule applies to, as widths in pixels. */
  readonly widths: readonly number[]
  /** The position among the rules; of two rules with equal specificity, the later one wins. */
  readonly order: number
  /** The scope of the rule's style sheet: see the `scope` of an element. */
  readonly scope: number
}

/** The window widths at which a page is examined: a desktop's and a phone's. */
export const WIDTHS: readonly number[] = [1280, 390]

/** The size limit for all style sheets of a page together; the largest embedded sheets are a few hundred kilobytes. */
const MAX_CHARS = 2_000_000
const MAX_RULES = 5000
const MAX_DEPTH = 8

/** The rules of a page's `<style>` elements, in order. Takes linear time; never throws. */
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

// Pages of the same site often share their sheets.
const read = new Lru<string, readonly Read[]>(20)
const MAX_REMEMBERED_CHARS = 100_000

function rulesOf(css: string, widths: readonly number[]): readonly Read[] {
  const name = `${widths.join()} ${css}`
  const known = read.get(name)
  if (known !== undefined) return known
  const sheet = new SheetReader(widths)
  readBlocks(css, sheet)
  if (css.length <= MAX_REMEMBERED_CHARS) read.set(name, sheet.rules)
  return sheet.rules
}

/** A block being read. */
interface Block {
  /** The selectors of the block's rule; "" outside of any rule. */
  readonly selector: string
  /** The custom property whose initial value the block sets. */
  readonly property?: string
  readonly widths: readonly number[]
  readonly declared: string[]
}

/** Turns the blocks of a sheet into rules (CSS Conditional Rules 3, CSS Nesting 1). */
class SheetReader implements Visitor {
  readonly rules: Read[] = []
  readonly #blocks: Block[]

  constructor(widths: readonly number[]) {
    this.#blocks = [{ selector: "", widths, declared: [] }]
  }

  readonly declaration = (text: string): void => {
    const { property, declared, widths } = this.#top
    if (property === undefined) declared.push(text)
    else if (/^\s*initial-value\s*:/i.test(text))
      this.#add("html", [text.replace(/initial-value/i, property)], widths)
  }

  readonly open = (prelude: string): boolean => {
    const block = this.#blocks.length > MAX_DEPTH ? null : this.#blockOf(withoutComments(prelude).trim())
    if (block === null) return false
    // Nested rules come after the declarations before them.
    this.#flush()
    this.#blocks.push(block)
    return true
  }

  readonly close = (): void => {
    this.#flush()
    this.#blocks.pop()
  }

  get #top(): Block {
    return this.#blocks.at(-1)!
  }

  #blockOf(prelude: string): Block | null {
    const { selector, widths } = this.#top
    if (this.rules.length >= MAX_RULES || prelude.length > MAX_PRELUDE) return null
    if (!prelude.startsWith("@")) {
      const inner = selector === "" ? prelude : nested(prelude, selector)
      return inner.length > MAX_PRELUDE ? null : { selector: inner, widths, declared: [] }
    }
    const [, written = "", condition = ""] = /^@([a-z-]+)\s*([^]*)$/i.exec(prelude) ?? []
    const name = written.toLowerCase()
    if (name === "property")
      return condition.startsWith("--") ? { selector, property: condition, widths, declared: [] } : null
    // A box is at most as wide as the window, and is assumed to be that wide.
    const inside = /^(?:media|container)$/.test(name)
      ? widths.filter((width) => matchesMedia(condition.replace(/^[\w-]+\s+(?=\()/, ""), width))
      : widths
    const isHeld =
      /^(?:media|layer|scope)$/.test(name) ||
      (name === "container" && !/\b(?:style|scroll-state)\(/i.test(condition)) ||
      (name === "supports" && !/^not\b/i.test(condition))
    if (inside.length === 0 || !isHeld) return null
    return { selector, widths: inside, declared: [] }
  }

  #flush(): void {
    const { selector, declared, widths } = this.#top
    if (selector !== "" && declared.length > 0) this.#add(selector, declared, widths)
    declared.length = 0
  }

  #add(prelude: string, declared: readonly string[], widths: readonly number[]): void {
    const declarations = readDeclarations(declared)
    if (declarations.size === 0) return
    for (const selector of readSelectors(withHost(prelude)))
      if (this.rules.length < MAX_RULES) this.rules.push({ selector, declarations, widths })
  }
}

const MAX_PRELUDE = 20_000

/** A selector inside a rule (CSS Nesting 1), as it would be written on its own. */
function nested(inner: string, above: string): string {
  const outer = above.includes(",") ? `:is(${above})` : above
  // The outer selector is repeated for each selector of the list and each `&`.
  if (inner.split(/[&,]/).length * outer.length > MAX_PRELUDE) return ":not(*)"
  return partsOf(inner, ",")
    .map((one) => (one.includes("&") ? one.replaceAll("&", () => outer) : `${outer} ${one}`))
    .join(",")
}

/** The host of a shadow root is identified by our own attribute. */
const withHost = (prelude: string): string =>
  prelude.includes(":host")
    ? prelude.replace(/:host(?:\(([^()]*)\))?(?![\w(-])/g, (_, given = "") => `${given}[${HOST}]`)
    : prelude
