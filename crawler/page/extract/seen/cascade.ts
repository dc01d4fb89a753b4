import { type Declarations, type Declared, readInline } from "./declarations.ts"
import { type Complex, matches, namesOf, type Steps } from "./selectors.ts"
import { readStyleSheets, type Rule } from "./style-sheet.ts"
import { HOST } from "../html/shadow-roots.ts"
import type { Element } from "../html/tree.ts"

/** The declarations for an element in a page's own style sheets and `style` attributes, by property. */
export type Style = ReadonlyMap<string, string>

/** The maximum number of elements examined for all selectors of a page together: a second of work. */
const MAX_STEPS = 5_000_000
const NOTHING: Style = new Map()
const NO_RULES: readonly Rule[] = []

/** The part of the cascade (CSS Cascade 5) that can be determined without fetching style sheets, from those in the page itself. */
export class Cascade {
  /** Whether any rule applies to some window widths but not others. */
  readonly dependsOnWidth: boolean
  readonly #rules: readonly Rule[]
  readonly #byKey = new Map<string, Rule[]>()
  readonly #styles = new Map<string, Style>()
  readonly #found = new Map<string, readonly Rule[]>()
  readonly #steps: Steps = { left: MAX_STEPS }
  /** For each name, the number of the current element's ancestors that have it. */
  readonly #above = new Map<string, number>()

  constructor(elements: readonly Element[]) {
    const sheets: { css: string; media: string; scope: number }[] = []
    for (const element of elements) {
      if (element.tag !== "style") continue
      const css = element.children.filter((child) => typeof child === "string").join("")
      sheets.push({ css, media: element.get("media") ?? "", scope: element.scope })
    }
    this.#rules = readStyleSheets(sheets)
    for (const rule of this.#rules) {
      const key = keyOf(rule.selector)
      const known = this.#byKey.get(key)
      if (known) known.push(rule)
      else this.#byKey.set(key, [rule])
    }
    const [first] = this.#rules
    this.dependsOnWidth = this.#rules.some(({ widths }) => widths.length !== first?.widths.length)
  }

  /** Records that the walk has entered an element, on the way down. */
  enter(element: Element): void {
    if (this.#rules.length === 0) return
    for (const name of namesOf(element)) this.#above.set(name, (this.#above.get(name) ?? 0) + 1)
  }

  /** Records that the walk has left an element, on the way up. */
  leave(element: Element): void {
    if (this.#rules.length === 0) return
    for (const name of namesOf(element)) {
      const left = this.#above.get(name)! - 1
      if (left === 0) this.#above.delete(name)
      else this.#above.set(name, left)
    }
  }

  /** The element's style in a window of this width. The element's ancestors must have been entered. */
  styleOf(element: Element, width: number): Style {
    const own = element.get("style")
    const fitting = this.#fitting(element)
    if (fitting.length === 0 && own === null) return NOTHING
    const found: Rule[] = []
    for (const rule of fitting)
      if (
        isInScope(rule, element) &&
        rule.widths.includes(width) &&
        this.#hasAbove(rule.selector.above) &&
        matches(element, rule.selector, this.#steps)
      )
        found.push(rule)
    if (own !== null) return styleFrom(found, own)
    if (found.length === 0) return NOTHING
    // Elements that match the same rules have the same style.
    let key = ""
    for (const { order } of found) key += `${order} `
    let style = this.#styles.get(key)
    if (style === undefined) this.#styles.set(key, (style = styleFrom(found, null)))
    return style
  }

  /**
   * Declarations that do not apply to an element now but could: in another state, or with a class that a script might
   * set.
   */
  styleInOtherStates(element: Element, isScripted: boolean): readonly Declarations[] {
    const fitting = new Set(this.#fitting(element))
    const names = namesOf(element)
    const near = names.flatMap((name) => this.#byKey.get(name) ?? NO_RULES)
    this.#steps.left -= near.length
    if (this.#steps.left < 0) return []
    return near
      .filter(
        (rule) =>
          (rule.selector.isOfState || isScripted) &&
          isInScope(rule, element) &&
          rule.selector.own.every((name) => !name.startsWith("<") || name === names[0]) &&
          !(fitting.has(rule) && matches(element, rule.selector, this.#steps)),
      )
      .map(({ declarations }) => declarations)
  }

  #hasAbove(names: readonly string[]): boolean {
    for (const name of names) if (!this.#above.has(name)) return false
    return true
  }

  /** Rules whose only conditions on the element itself are its name, id and classes. */
  #fitting(element: Element): readonly Rule[] {
    if (this.#rules.length === 0) return NO_RULES
    const named = `${element.tag}#${element.get("id") ?? ""}.${element.get("class") ?? ""}`
    let found = this.#found.get(named)
    if (found === undefined) {
      const names = new Set(["*", ...namesOf(element)])
      found = [...names]
        .flatMap((name) => this.#byKey.get(name) ?? NO_RULES)
        .filter(({ selector: { own } }) => own.length < 2 || own.every((name) => names.has(name)))
      if (named.length < MAX_NAME_CHARS) this.#found.set(named, found)
    }
    this.#steps.left -= found.length
    return this.#steps.left > 0 ? found : NO_RULES
  }
}

/** The sheets of a shadow root apply to its contents and, through `:host`, to its host element. */
const isInScope = ({ scope }: Rule, element: Element): boolean =>
  scope === element.scope || (scope !== 0 && element.get(HOST) === String(scope))

/** Values longer than this are not cached. */
const MAX_NAME_CHARS = 300

function styleFrom(rules: Rule[], own: string | null): Style {
  rules.sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order)
  const style = new Map<string, Declared>()
  for (const { declarations } of rules) lay(style, declarations)
  if (own !== null) lay(style, readInline(own))
  return new Map([...style].map(([name, { value }]) => [name, value]))
}

/** Later declarations override earlier ones, unless the earlier ones are `!important`. */
function lay(style: Map<string, Declared>, declarations: Declarations): void {
  for (const [name, declared] of declarations)
    if (declared.important || style.get(name)?.important !== true) style.set(name, declared)
}

/** The name under which a rule is filed: the rarest among those it requires. */
const keyOf = ({ own }: Complex): string =>
  ["#", ".", "<"]
    .map((mark) => own.find((name) => name.startsWith(mark)))
    .find((name) => name !== undefined) ?? "*"
