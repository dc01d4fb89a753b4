import type { Style } from "./cascade.ts"

/** Custom properties of an element, both its own and the inherited ones (CSS Custom Properties 1). */
export type Variables = ReadonlyMap<string, string>

export const NO_VARIABLES: Variables = new Map()

/** How deeply `var()` can be nested. */
const MAX_DEPTH = 8
const MAX_CHARS = 1000
/** The innermost `var()`, whose fallback contains only balanced parentheses. */
const VAR = /var\(\s*(--[^\s,()]+)\s*(?:,((?:[^()]|\((?:[^()]|\([^()]*\))*\))*))?\)/g

const merged = new WeakMap<Variables, WeakMap<Style, Variables>>()
const hasVar = new WeakMap<Style, boolean>()

/**
 * The variables that an element with this style passes on. Elements that declare nothing new share those of their
 * parent.
 */
export function variablesOf(style: Style, above: Variables): Variables {
  if (style.size === 0) return above
  let known = merged.get(above)
  if (known === undefined) merged.set(above, (known = new WeakMap()))
  let own = known.get(style)
  if (own === undefined) {
    own = above
    for (const [name, value] of style)
      if (name.startsWith("--") && above.get(name) !== value) {
        if (own === above) own = new Map(above)
        ;(own as Map<string, string>).set(name, value)
      }
    known.set(style, own)
  }
  return own
}

/** A style with its variables replaced by their values. A declaration whose variable is missing is left out. */
export function withoutVariables(style: Style, variables: Variables): Style {
  let isVaried = hasVar.get(style)
  if (isVaried === undefined) {
    isVaried = [...style].some(([name, value]) => !name.startsWith("--") && value.includes("var("))
    hasVar.set(style, isVaried)
  }
  if (!isVaried) return style
  const plain = new Map<string, string>()
  for (const [name, value] of style) {
    const known = name.startsWith("--") || !value.includes("var(") ? value : valueOf(value, variables)
    if (known !== null) plain.set(name, known)
  }
  return plain
}

function valueOf(value: string, variables: Variables): string | null {
  let text = value
  for (let depth = 0; depth < MAX_DEPTH && text.includes("var("); depth++) {
    let isKnown = true
    text = text.replace(VAR, (_, name: string, fallback: string | undefined) => {
      const found = variables.get(name) ?? fallback?.trim()
      if (found === undefined) isKnown = false
      return found ?? ""
    })
    if (!isKnown || text.length > MAX_CHARS) return null
  }
  return text.includes("var(") ? null : text.trim()
}
