import { compile } from "css-select"
import { AttributeAction, isTraversal, parse, type Selector, SelectorType } from "css-what"
import type { Element } from "../html/tree.ts"

/** A selector without commas. */
export interface Complex {
  /** Names that the element itself must have, as returned by {@link namesOf}. */
  readonly own: readonly string[]
  /** The specificity (ids, then classes, attributes and states, then elements) as one number. */
  readonly specificity: number
  /** Names that an ancestor must have. If no ancestor has one of them, the selector need not be matched. */
  readonly above: readonly string[]
  /** Whether the selector is for a state that a reader causes, such as hovering or ticking a box. */
  readonly isOfState: boolean
  /** The conditions other than the {@link own} names. */
  readonly rest: Selector[]
  /** The conditions, compiled when first matched. */
  test?: Test
}

type Test = (element: Element) => boolean

/** The number of elements that may still be examined for all selectors of a page: combinators can require very many attempts. */
export interface Steps {
  left: number
}

const MAX_SELECTORS = 200
const MAX_TOKENS = 40
const MAX_NESTED = 3
/** States caused by a reader or a script. A page is in none of them when it is opened. */
const STATES = (
  "hover focus focus-within focus-visible active target target-within checked open popover-open visited valid invalid " +
  "autofill fullscreen modal user-invalid user-valid placeholder-shown indeterminate"
).split(" ")
/** Other states that are matched; css-select also knows some that no browser does. */
const KNOWN = new Set([
  ...STATES,
  ...(
    "is where not has root empty link any-link first-child last-child only-child first-of-type last-of-type only-of-type " +
    "nth-child nth-last-child nth-of-type nth-last-of-type"
  ).split(" "),
])

/** The selectors of a rule (Selectors 4). Unknown ones match nothing and are left out. */
export function readSelectors(text: string): Complex[] {
  let all: Selector[][]
  try {
    all = parse(text)
  } catch {
    return []
  }
  return all.slice(0, MAX_SELECTORS).flatMap((tokens) => (isKnown(tokens, 0) ? [complexOf(tokens)] : []))
}

const isKnown = (tokens: readonly Selector[], depth: number): boolean =>
  tokens.length <= MAX_TOKENS &&
  tokens.every((token) => {
    switch (token.type) {
      case SelectorType.Pseudo:
        return (
          KNOWN.has(token.name) &&
          (!Array.isArray(token.data) ||
            (depth < MAX_NESTED && token.data.every((inner) => isKnown(inner, depth + 1))))
        )
      case SelectorType.Attribute:
        return token.action !== AttributeAction.Not
      default:
        return (
          token.type !== SelectorType.PseudoElement &&
          token.type !== SelectorType.Parent &&
          token.type !== SelectorType.ColumnCombinator
        )
    }
  })

function complexOf(tokens: Selector[]): Complex {
  const above: string[] = []
  let own: string[] = []
  let rest: Selector[] = []
  for (const [at, token] of tokens.entries()) {
    const name = nameOf(token)
    if (name !== null) own.push(name)
    else if (isTraversal(token)) {
      // Siblings are not ancestors, so names before sibling combinators are left out.
      if (token.type === SelectorType.Descendant || token.type === SelectorType.Child) above.push(...own)
      own = []
      rest = tokens.slice(0, at + 1)
    } else rest.push(token)
  }
  const isOfState = tokens.some((token) => token.type === SelectorType.Pseudo && STATES.includes(token.name))
  return { own, rest, above, specificity: specificityOf(tokens), isOfState }
}

/** The name, as in {@link namesOf}, of an element name, class or id selector; null for others, such as `[class^=x]`. */
function nameOf(token: Selector): string | null {
  if (token.type === SelectorType.Tag) return `<${token.name.toLowerCase()}`
  if (token.type !== SelectorType.Attribute || token.ignoreCase !== "quirks") return null
  return token.name === "id" ? `#${token.value}` : `.${token.value}`
}

function specificityOf(tokens: readonly Selector[]): number {
  let sum = 0
  for (const token of tokens)
    if (token.type === SelectorType.Tag) sum += 1
    else if (token.type === SelectorType.Attribute)
      sum += token.name === "id" && token.ignoreCase === "quirks" ? 10_000 : 100
    else if (token.type === SelectorType.Pseudo && token.name !== "where")
      sum += Array.isArray(token.data) ? Math.max(0, ...token.data.map(specificityOf)) : 100
  return sum
}

/** Element name, id and classes, each prefixed with a mark for its kind. */
export function namesOf(element: Element): string[] {
  const names = [`<${element.tag}`]
  const id = element.get("id")
  if (id !== null) names.push(`#${id}`)
  for (const name of classesOf(element)) names.push(`.${name}`)
  return names
}

/** The remaining steps for the page whose elements are being matched. */
let steps: Steps = { left: 0 }

class NoStepsLeft extends Error {}

function step(cost = 1): void {
  if ((steps.left -= cost) < 0) throw new NoStepsLeft()
}

type Node = Element | string

const isElement = (node: Node): node is Element => typeof node !== "string" && node.parent !== null

const adapter = {
  isTag: isElement,
  getName(element: Element): string {
    step()
    return element.tag
  },
  getAttributeValue(element: Element, name: string): string | undefined {
    step()
    return element.get(name) ?? undefined
  },
  hasAttrib: (element: Element, name: string): boolean => element.has(name),
  getParent(node: Node): Element | null {
    step()
    return typeof node === "string" ? null : node.parent
  },
  getChildren: (node: Node): Node[] => (typeof node === "string" ? [] : node.children),
  getSiblings(node: Node): Node[] {
    const siblings = (typeof node !== "string" && node.parent?.children) || []
    step(siblings.length)
    return siblings
  },
  getText: (node: Node): string => (typeof node === "string" ? node : "."),
  existsOne: (test: (element: Element) => boolean, nodes: Node[]): boolean =>
    nodes.some((node) => {
      step()
      return isElement(node) && (test(node) || adapter.existsOne(test, node.children))
    }),
  // Only needed to search for elements, which isn't done here.
  findAll: (): Element[] => [],
  findOne: (): null => null,
  removeSubsets: (nodes: Node[]): Node[] => nodes,
}

const OPTIONS = {
  adapter,
  pseudos: {
    ...Object.fromEntries(STATES.map((state) => [state, ":not(*)"])),
    class: (element: Element, name?: string | null): boolean => {
      step()
      return classesOf(element).includes(name!)
    },
  },
}

/** Turns classes into our own pseudo-classes, because css-select would build and run a regular expression for each class. */
function withClasses(tokens: readonly Selector[]): Selector[] {
  return tokens.map((token) => {
    if (token.type === SelectorType.Pseudo && Array.isArray(token.data))
      return { ...token, data: token.data.map(withClasses) }
    return nameOf(token)?.startsWith(".") === true && token.type === SelectorType.Attribute
      ? { type: SelectorType.Pseudo, name: "class", data: token.value }
      : token
  })
}

/** Whether a selector matches an element that has its {@link own} names; false if no steps are left. */
export function matches(element: Element, selector: Complex, left: Steps): boolean {
  if (selector.rest.length === 0) return true
  steps = left
  try {
    return (selector.test ??= compiled(selector.rest))(element)
  } catch (error) {
    if (error instanceof NoStepsLeft) return false
    throw error
  }
}

function compiled(tokens: Selector[]): Test {
  try {
    return compile<Node, Element>([withClasses(tokens)], OPTIONS)
  } catch {
    // An invalid position, such as `:nth-child(x)`.
    return () => false
  }
}

/** The classes of an element. */
function classesOf(element: Element): readonly string[] {
  const written = element.get("class")
  if (written === null) return NO_CLASSES
  let classes = remembered.get(written)
  if (classes === undefined) {
    classes = written.split(/\s+/, MAX_CLASSES)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(written, classes)
  }
  return classes
}

const NO_CLASSES: readonly string[] = []
const MAX_CLASSES = 100
// Class values are repeated throughout a page, and across the pages of a site.
const remembered = new Map<string, readonly string[]>()
const MAX_REMEMBERED = 5000
