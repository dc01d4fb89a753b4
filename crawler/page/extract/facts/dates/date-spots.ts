import type { Element } from "../../html/tree.ts"
import { mayNameDay } from "./written-days.ts"

/** A text that might name the day on which its page was published, and where it is. */
export interface DateSpot {
  readonly element: Element
  /** The text, or an attribute that contains the date for programs. */
  readonly text: string
  readonly isAttribute: boolean
  /** Number of characters of text before this text in the document. */
  readonly at: number
}

export interface HeadingSpot {
  readonly element: Element
  readonly at: number
}

/** Maximum number of spots, more than a page has about itself; only lists and tables of dates exceed it. */
const MAX_SPOTS = 300
const MAX_HEADINGS = 300
/** Only the beginning of a text is searched: dates further in are prose. */
const BEGINNING_CHARS = 120
/** Attributes in which microdata, RDFa and microformats put a date. */
const DATE_ATTRIBUTES = new Set(["datetime", "content", "title"])
const MAY_CARRY_DATE = new Set(["time", "abbr", "span", "div", "p", "data"])
const HEADINGS = new Set(["h1", "h2", "h3", "h4"])
/** Elements whose text readers don't see. */
export const NO_TEXT: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "textarea",
  "title",
])

/** Collects the places that might name a document's day, during the walk that collects all its facts. */
export class DateSpots {
  readonly spots: DateSpot[] = []
  readonly headings: HeadingSpot[] = []
  #at = 0

  /** Must be called for each element before its children. */
  enter(element: Element): void {
    const { tag, attributes } = element
    if (HEADINGS.has(tag) && this.headings.length < MAX_HEADINGS)
      this.headings.push({ element, at: this.#at })
    if (attributes.length === 0 || !MAY_CARRY_DATE.has(tag)) return
    for (let i = 0; i < attributes.length; i += 2)
      if (DATE_ATTRIBUTES.has(attributes[i]!)) this.#add(element, attributes[i + 1]!, true)
  }

  text(parent: Element, text: string): void {
    const { length } = text.trim()
    if (length === 0 || NO_TEXT.has(parent.tag)) return
    if (length >= MIN_CHARS) this.#add(parent, text, false)
    this.#at += length
  }

  #add(element: Element, text: string, isAttribute: boolean): void {
    if (this.spots.length >= MAX_SPOTS) return
    const beginning = beginningOf(text)
    if (mayNameDay(beginning)) this.spots.push({ element, text: beginning, isAttribute, at: this.#at })
  }
}

/** The part of the text that is searched for a date. */
export const beginningOf = (text: string): string => text.trimStart().slice(0, BEGINNING_CHARS).trimEnd()

/** A year. */
const MIN_CHARS = 4
