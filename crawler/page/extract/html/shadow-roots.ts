import { type Element, isBlockTag } from "./element.ts"

/** Attribute of an element with a shadow root: the scope of its style sheets. */
export const HOST = "data-fossick-host"

/** Besides custom elements, these may have a shadow root (WHATWG DOM, "valid shadow host name"). */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
)

interface Root {
  readonly host: Element
  readonly template: Element
  readonly slots: Element[]
  /** How much deeper the root's elements are in the tree than in the source. */
  lift: number
}

/**
 * Handles declarative shadow roots (WHATWG HTML §4.12.3): replaces the content of a host with that of its `<template
 * shadowrootmode>` and puts the host's own content into the slots, as a browser displays it. The parser calls this
 * class as elements open and close, so that it needs no walk of its own.
 */
export class ShadowRoots {
  readonly #maxDepth: number
  readonly #roots = new Map<Element, Root>()
  /** Open templates; null for one that isn't a shadow root. */
  readonly #open: (Root | null)[] = []
  /** For open elements whose content is deeper in the tree than in the source: how much deeper it is. */
  readonly #lifts = new Map<Element, number>()
  #scopes = 0

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  opened(element: Element): void {
    if (element.tag === "slot") this.#open.at(-1)?.slots.push(element)
    if (element.tag === "template") this.#open.push(this.#rootOf(element))
  }

  #rootOf(template: Element): Root | null {
    const mode = template.get("shadowrootmode") ?? template.get("shadowroot")
    const host = template.parent
    if (mode === null || !/^(?:open|closed)$/i.test(mode) || host === null || this.#roots.has(host))
      return null
    if (!HOSTS.has(host.tag) && !host.tag.includes("-")) return null
    template.scope = ++this.#scopes
    const root = { host, template, slots: [], lift: 0 }
    this.#roots.set(host, root)
    return root
  }

  closed(element: Element): void {
    if (this.#roots.size === 0 && this.#lifts.size === 0 && element.tag !== "template") return
    const lift = this.#lifts.get(element) ?? 0
    if (element.tag === "template") {
      const root = this.#open.pop()
      if (root != null) root.lift = lift
    }
    const root = this.#roots.get(element)
    const own = root === undefined ? lift : this.#compose(root, lift)
    this.#roots.delete(element)
    this.#lifts.delete(element)
    if (own > 0 && element.parent !== null && element.tag !== "template")
      this.#lifts.set(element.parent, Math.max(own, this.#lifts.get(element.parent) ?? 0))
  }

  /** @returns how much deeper the host's deepest content now is in the tree than in the source */
  #compose({ host, template, slots, lift }: Root, inside: number): number {
    const named = new Map<string, (Element | string)[]>()
    for (const child of host.children) {
      if (child === template) continue
      const name = typeof child === "string" ? "" : (child.get("slot") ?? "")
      const known = named.get(name)
      if (known) known.push(child)
      else named.set(name, [child])
    }
    host.children.length = 0
    for (const child of template.children) append(host, child)
    host.attributes = [...host.attributes, HOST, String(template.scope)]
    let deepest = lift
    for (const slot of slots) {
      const name = slot.get("name") ?? ""
      const assigned = named.get(name)
      if (assigned === undefined) continue
      const depth = inside + depthOf(slot, host)
      // Content that would make the tree too deep for later passes is not put into its slot.
      if (depth > this.#maxDepth) continue
      named.delete(name)
      deepest = Math.max(deepest, depth)
      slot.children.length = 0
      for (const child of assigned) append(slot, child)
    }
    return deepest
  }
}

function append(parent: Element, child: Element | string): void {
  parent.children.push(child)
  if (typeof child === "string") return
  child.parent = parent
  if (isBlockTag(child.tag) || child.containsBlock)
    for (let above: Element | null = parent; above && !above.containsBlock; above = above.parent)
      above.containsBlock = true
}

function depthOf(element: Element, host: Element): number {
  let depth = 0
  for (let at: Element | null = element; at !== null && at !== host; at = at.parent) depth++
  return depth
}
