import { isFragmentLink, isHeading, isLink } from "../html/anchors.ts"
import { type Element, elementsOf, firstElement, textOf } from "../html/tree.ts"
import { textLength, type TextMeasure } from "./text-measure.ts"
import { signsOf } from "./boilerplate.ts"

/** The minimum length of the text outside links and headings; less could be a menu entry. */
const LEAST_TEXT = 40
/** The largest share of link text in a box of text. */
const MOST_LINKS = 0.25
/** The maximum length of the text before the heading of a box, such as a date or a number. */
const MOST_BEFORE_HEADING = 60
/** Types of fields that don't ask for input: a checkbox can be an item of a task list, or open a part of the page without a script. */
const NO_FIELDS = new Set(["hidden", "checkbox", "radio"])

/** Whether an element asks readers to enter or do something. */
export const isField = (element: Element): boolean =>
  element.tag === "input"
    ? !NO_FIELDS.has(element.get("type") ?? "")
    : element.tag === "form" || element.tag === "textarea"

/**
 * Whether a box inside the main content is text whatever its class: it has its own heading, text below it and few
 * links. Boxes with a form or a button and threads of comments are not text.
 */
export function readsAsText(box: Element, own: TextMeasure | undefined): boolean {
  if (own === undefined || own.chars < LEAST_TEXT) return false
  if (own.linkChars > own.chars * MOST_LINKS) return false
  if (isQuotation(box)) return true
  let before = 0
  let heads = 0
  let linked = 0
  let below = 0
  let asks = false
  // Code often has a button to copy it.
  const hasCode = holdsCode(box)
  const look = (element: Element): void => {
    for (const child of element.children) {
      if (typeof child === "string") {
        const chars = textLength(child)
        if (heads === 0) before += chars
        else below += chars
      } else if (isHeading(child)) {
        if (textOf(child, 1) === "") continue
        heads++
        if (isLinked(child)) linked++
      } else if (isField(child)) asks = true
      else if (child.tag === "button") asks ||= !hasCode && (heads === 0 || !opens(child))
      else if (!SILENT.has(child.tag)) look(child)
      if (asks || (heads === 0 && before > MOST_BEFORE_HEADING)) return
    }
  }
  look(box)
  return !asks && heads > 0 && linked * 2 <= heads && below >= LEAST_TEXT && !holdsThread(box)
}

/** The least number of rows with a name and a fact. */
const LEAST_FACTS = 3
/** The maximum number of links for each fact; a box of links sorted by kind has more. */
const MOST_FACT_LINKS = 3

/** Whether an element is a table of names and facts, like the ones beside encyclopedia articles. */
export function isFactTable(element: Element): boolean {
  if (element.tag !== "table") return false
  let facts = 0
  let links = 0
  for (const below of elementsOf(element)) {
    if (isLink(below)) links++
    if (below.tag !== "tr") continue
    const [name, fact, more] = below.children.filter((child) => typeof child !== "string")
    if (name?.tag === "th" && fact?.tag === "td" && more === undefined) facts++
  }
  return facts >= LEAST_FACTS && links <= facts * MOST_FACT_LINKS
}

/** Whether a box is nothing but a quotation, as embedded posts are. */
function isQuotation(box: Element): boolean {
  let at: Element | undefined = box
  for (let step = 0; at !== undefined && step < 4; step++) {
    if (at.tag === "blockquote") return true
    const shown: (Element | string)[] = at.children.filter((child) =>
      typeof child === "string" ? child.trim() !== "" : !SILENT.has(child.tag),
    )
    at = shown.length === 1 && typeof shown[0] !== "string" ? shown[0] : undefined
  }
  return false
}

/** Whether a heading links to another page, as a teaser's does. */
function isLinked(heading: Element): boolean {
  for (let above = heading.parent, step = 0; above !== null && step < 4; above = above.parent, step++)
    if (isLink(above)) return true
  return firstElement(heading, (below) => isLink(below) && !isFragmentLink(below)) !== null
}

export const holdsCode = (element: Element): boolean =>
  firstElement(element, ({ tag }) => tag === "pre") !== null

const SILENT = new Set(["script", "style", "template", "noscript", "iframe", "svg"])

const opens = (button: Element): boolean => button.has("aria-expanded") || button.has("aria-controls")

function holdsThread(box: Element): boolean {
  const isThread = (element: Element) =>
    element !== box && signsOf(element).some(({ suspicion }) => suspicion === "discussion")
  return firstElement(box, isThread) !== null
}
