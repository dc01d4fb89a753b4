/** An element of a parsed document. Text is kept as plain strings among the children. */
export class Element {
  readonly tag: string
  parent: Element | null
  readonly children: (Element | string)[] = []
  /** Alternating names and values; only the attributes that a later pass needs. */
  attributes: readonly string[] = NO_ATTRIBUTES
  /** Whether any descendant is a block, so that an inline tag around it must be written as one. */
  containsBlock = false
  /** Set on an element that a later pass found to be used in place of a block. */
  asBlock = false
  /** The control that serves as its heading, such as the button of an accordion or a tab; set by a later pass. */
  head: Element | null = null
  /** The scope whose style sheets apply: 0 for the page, and a separate number for each shadow root. */
  scope: number

  constructor(tag: string, parent: Element | null) {
    this.tag = tag
    this.parent = parent
    this.scope = parent === null ? 0 : parent.scope
  }

  /** The value of an attribute, decoded; null when it is absent. */
  get(name: string): string | null {
    const { attributes } = this
    for (let i = 0; i < attributes.length; i += 2) if (attributes[i] === name) return attributes[i + 1]!
    return null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }
}

const NO_ATTRIBUTES: readonly string[] = []

// Inline end tags never close one of these; `</b>` after `<b><div>` leaves the div open (WHATWG HTML §13.2.6.4.7).
export const SPECIAL = new Set(
  (
    "address applet article aside blockquote body button caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html li listing main marquee menu " +
    "nav object ol p pre search section select summary table tbody td template tfoot th thead tr ul"
  ).split(" "),
)

export function isBlockTag(tag: string): boolean {
  return tag === "hr" || (SPECIAL.has(tag) && tag !== "button" && tag !== "object")
}
