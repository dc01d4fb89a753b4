import type { Element } from "../html/tree.ts"

/** A selector without commas: compounds from the left, each with what ties it to the one before. */
export interface Complex {
  readonly parts: readonly { readonly compound: Compound; readonly tie: Tie }[]
  /** Ids, then classes, attributes and states, then elements, as one number. */
  readonly specificity: number
  /** Names of which each must stand on some element above, as {@link namesOf} gives them: who lacks one need not be matched. */
  readonly above: readonly string[]
  /** Whether it is for a state that a reader makes: a pointer over it, a box that is ticked. */
  readonly isOfState: boolean
}

type Tie = "" | " " | ">" | "+" | "~"

interface Compound {
  readonly tag: string | null
  readonly id: string | null
  readonly classes: readonly string[]
  readonly tests: readonly Test[]
}

type Test = (element: Element, steps: Steps) => boolean

/** Elements that may still be looked at for all selectors of a page: ties to elements above may be tried in very many ways. */
export interface Steps {
  left: number
}

const MAX_SELECTORS = 200
const MAX_PARTS = 12
const MAX_NESTED = 3
/** States that a reader or a script makes, none of which a page is in when it is opened. */
const STATES =
  /^(?:hover|focus|focus-within|focus-visible|active|target|target-within|checked|open|popover-open|visited|valid|invalid|autofill|fullscreen|modal|user-invalid|user-valid|placeholder-shown|indeterminate)$/

/** The selectors of a rule (Selectors 4). What is not known here matches nothing and is left out. */
export function readSelectors(text: string, depth = 0): Complex[] {
  return parted(text.toLowerCase() === text ? text : lowerNames(text))
    .slice(0, MAX_SELECTORS)
    .flatMap((one) => readComplex(one.trim(), depth) ?? [])
}

/** Element and state names are the same in any case; ids and classes are not. */
const lowerNames = (text: string): string =>
  text.replace(
    /(^|[\s>+~,(])([A-Z][\w-]*)/g,
    (_, before: string, name: string) => before + name.toLowerCase(),
  )

function parted(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === "(" || char === "[") depth += 1
    else if (char === ")" || char === "]") depth -= 1
    else if (char === "," && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

const TOKEN =
  /\s*([>+~])\s*|(\s+)|(\*|[a-z][\w-]*)|#((?:[\w-]|[^\0-\x7F])+)|\.((?:[\w-]|[^\0-\x7F])+)|\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*("[^"]*"|'[^']*'|[^\]\s]+)\s*[is]?\s*)?\]|(::?)([\w-]+)(?:\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\))?/gy

function readComplex(text: string, depth: number): Complex | null {
  const parts: { compound: MutableCompound; tie: Tie }[] = [{ compound: empty(), tie: "" }]
  let specificity = 0
  let isOfState = false
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)
    if (found === null) return null
    const [, combinator, space, tag, id, name, attribute, operator, value, colons, state, given] = found
    const last = parts.at(-1)!.compound
    const kept = TOKEN.lastIndex
    if (combinator !== undefined || space !== undefined) {
      if (parts.length >= MAX_PARTS) return null
      parts.push({ compound: empty(), tie: (combinator ?? " ") as Tie })
    } else if (tag !== undefined) {
      if (tag !== "*") {
        last.tag = tag
        specificity += 1
      }
    } else if (id !== undefined) {
      last.id = id
      specificity += 10_000
    } else if (name !== undefined) {
      last.classes.push(name)
      specificity += 100
    } else if (attribute !== undefined) {
      last.tests.push(attributeTest(attribute.toLowerCase(), operator, value))
      specificity += 100
    } else if (state !== undefined) {
      if (
        colons === "::" ||
        /^(?:before|after|first-line|first-letter|selection|marker|placeholder)$/.test(state)
      )
        return null
      if (STATES.test(state)) {
        isOfState = true
        last.tests.push(() => false)
      } else {
        const test = depth >= MAX_NESTED ? null : stateTest(state, given, depth)
        if (test === null) return null
        last.tests.push(test)
      }
      specificity += state === "where" ? 0 : 100
    }
    TOKEN.lastIndex = kept
  }
  return { parts, specificity, above: namesAbove(parts), isOfState }
}

/** Elements beside one another have the same above them, so ties between those do not count. */
const namesAbove = (parts: Complex["parts"]): string[] =>
  parts.flatMap(({ compound: { tag, id, classes } }, at) => {
    const tie = parts[at + 1]?.tie
    if (tie !== " " && tie !== ">") return []
    const names = classes.map((name) => `.${name}`)
    if (id !== null) names.push(`#${id}`)
    if (tag !== null) names.push(`<${tag}`)
    return names
  })

/** Element name, id and classes, each with a mark of its kind. */
export function namesOf(element: Element): string[] {
  const names = [`<${element.tag}`]
  const id = element.get("id")
  if (id !== null) names.push(`#${id}`)
  for (const name of classesOf(element)) names.push(`.${name}`)
  return names
}

interface MutableCompound extends Compound {
  tag: string | null
  id: string | null
  readonly classes: string[]
  readonly tests: Test[]
}

const empty = (): MutableCompound => ({ tag: null, id: null, classes: [], tests: [] })

function attributeTest(name: string, operator: string | undefined, quoted = ""): Test {
  const value = quoted.replace(/^(["'])([^]*)\1$/, "$2")
  return (element) => {
    const own = element.get(name)
    if (own === null) return false
    switch (operator) {
      case undefined:
        return true
      case "=":
        return own === value
      case "~=":
        return own.split(/\s+/).includes(value)
      case "|=":
        return own === value || own.startsWith(`${value}-`)
      case "^=":
        return value !== "" && own.startsWith(value)
      case "$=":
        return value !== "" && own.endsWith(value)
      default:
        return value !== "" && own.includes(value)
    }
  }
}

function stateTest(state: string, given: string | undefined, depth: number): Test | null {
  switch (state) {
    case "root":
      return (element) => element.tag === "html"
    case "is":
    case "where":
    case "not": {
      if (given === undefined) return null
      const selectors = readSelectors(given, depth + 1)
      const any: Test = (element, steps) => selectors.some((one) => matches(element, one, steps))
      return state === "not" ? (element, steps) => !any(element, steps) : any
    }
    case "has": {
      if (given === undefined || /^\s*[+~]/.test(given)) return null
      const selectors = readSelectors(given.replace(/^\s*>/, ""), depth + 1)
      const isChild = /^\s*>/.test(given)
      return (element, steps) => holds(element, selectors, steps, isChild)
    }
    case "empty":
      return ({ children }) => children.length === 0
    case "link":
    case "any-link":
      return (element) => element.tag === "a" && element.has("href")
    case "first-child":
      return (element, steps) => placeOf(element, steps, false)[0] === 1
    case "last-child":
      return (element, steps) => placeOf(element, steps, false)[1] === 1
    case "only-child":
      return (element, steps) => placeOf(element, steps, false).every((place) => place === 1)
    case "first-of-type":
      return (element, steps) => placeOf(element, steps, true)[0] === 1
    case "last-of-type":
      return (element, steps) => placeOf(element, steps, true)[1] === 1
    case "nth-child":
    case "nth-of-type":
    case "nth-last-child":
    case "nth-last-of-type": {
      const every = placesOf(given ?? "")
      const end = state.includes("last") ? 1 : 0
      return every && ((element, steps) => every(placeOf(element, steps, state.endsWith("type"))[end]))
    }
    default:
      return null
  }
}

function holds(element: Element, selectors: readonly Complex[], steps: Steps, isChild: boolean): boolean {
  for (const child of element.children) {
    if (typeof child === "string" || (steps.left -= 1) < 0) continue
    if (selectors.some((one) => matches(child, one, steps))) return true
    if (!isChild && holds(child, selectors, steps, false)) return true
  }
  return false
}

/** Places from the first and from the last among the elements beside it, or those of its name, from 1. */
function placeOf(element: Element, steps: Steps, sameTag: boolean): [first: number, last: number] {
  steps.left -= element.parent?.children.length ?? 0
  let before = 0
  let after = 0
  let isBehind = false
  for (const child of element.parent?.children ?? []) {
    if (typeof child === "string" || (sameTag && child.tag !== element.tag)) continue
    if (child === element) isBehind = true
    else if (isBehind) after += 1
    else before += 1
  }
  return [before + 1, after + 1]
}

/** `odd`, `even`, `3`, `2n+1`. */
function placesOf(text: string): ((place: number) => boolean) | null {
  const given = text.trim().toLowerCase().replace(/\s+/g, "")
  const named = given === "odd" ? "2n+1" : given === "even" ? "2n" : given
  const [, step, start] = /^(?:([+-]?\d*)n)?([+-]?\d+)?$/.exec(named) ?? []
  if (named === "" || (step === undefined && start === undefined)) return null
  const a = step === undefined ? 0 : step === "" || step === "+" ? 1 : step === "-" ? -1 : Number(step)
  const b = Number(start ?? 0)
  return (place) => (a === 0 ? place === b : (place - b) / a >= 0 && (place - b) % a === 0)
}

/** Whether an element is what a selector is for; false when the steps are spent. */
export function matches(element: Element, { parts }: Complex, steps: Steps): boolean {
  return fits(element, parts, parts.length - 1, steps)
}

function fits(element: Element, parts: Complex["parts"], at: number, steps: Steps): boolean {
  const { compound, tie } = parts[at]!
  if ((steps.left -= 1) < 0 || !isCompound(element, compound, steps)) return false
  switch (tie) {
    case "":
      return true
    case ">":
      return element.parent !== null && fits(element.parent, parts, at - 1, steps)
    case " ":
      for (let above = element.parent; above !== null && steps.left > 0; above = above.parent)
        if (fits(above, parts, at - 1, steps)) return true
      return false
    default: {
      const siblings = element.parent?.children ?? []
      steps.left -= siblings.length
      for (let before = siblings.indexOf(element) - 1; before >= 0 && steps.left > 0; before--) {
        const sibling = siblings[before]!
        if (typeof sibling === "string") continue
        if (fits(sibling, parts, at - 1, steps)) return true
        if (tie === "+") return false
      }
      return false
    }
  }
}

/** Whether its last compound alone fits: what an element may come to be when a state changes. */
export function mayComeToMatch(element: Element, { parts }: Complex): boolean {
  const { tag, id, classes } = parts.at(-1)!.compound
  if (tag !== null && tag !== element.tag) return false
  if (id !== null) return element.get("id") === id
  return classes.some((name) => classesOf(element).includes(name)) || (tag !== null && classes.length === 0)
}

function isCompound(element: Element, { tag, id, classes, tests }: Compound, steps: Steps): boolean {
  if (tag !== null && tag !== element.tag) return false
  if (id !== null && element.get("id") !== id) return false
  if (classes.length > 0) {
    const own = classesOf(element)
    if (!classes.every((name) => own.includes(name))) return false
  }
  return tests.every((test) => test(element, steps))
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
// Class values repeat all over a page, and from page to page of a site.
const remembered = new Map<string, readonly string[]>()
const MAX_REMEMBERED = 5000
