import { imageAddress, isTinyImage } from "./image-elements.ts"
import { closest, type Element, firstElement, textOf } from "./tree.ts"
import { textLength } from "../main/text-measure.ts"

/** Maximum length of the text between an image and its caption, such as "Image", "Photo" or "1 of 12". */
const MOST_BETWEEN = 20
const MAX_CAPTION_CHARS = 500

/**
 * Moves each caption that is left out of the text into the description of the image next to it. If a box with the class
 * of a caption contains the image too, the image is still displayed; the caption of code or a table goes back to the
 * text.
 */
export function captionsOfImages(
  body: Element,
  captions: readonly Element[],
  skipped: Set<Element>,
  baseUrl: string,
): ReadonlyMap<Element, string> {
  const described = new Map<Element, string>()
  if (captions.length === 0) return described
  const isShown = (element: Element): boolean =>
    element.tag === "img" && !isTinyImage(element) && imageAddress(element, baseUrl) !== null
  const give = (text: string, to: Element): void => {
    const before = described.get(to)
    if (text !== "")
      described.set(to, (before === undefined ? text : `${before} ${text}`).slice(0, MAX_CAPTION_CHARS))
  }
  const left = new Set(captions)
  let image: Element | null = null
  /** A caption that may belong to the image below it. */
  let above: Element | null = null
  let between = 0
  const figures = new Map<Element, boolean>()
  /** Whether a caption belongs to code or a table. */
  const isOfText = (caption: Element): boolean => {
    const figure = closest(caption, ({ tag }) => tag === "figure")
    if (figure === null) return false
    let isText = figures.get(figure)
    if (isText === undefined) figures.set(figure, (isText = firstElement(figure, isCodeOrTable) !== null))
    return isText
  }
  const pass = (shown: Element): void => {
    image = shown
    above = null
    between = 0
  }
  const readCaption = (caption: Element): void => {
    const inside = firstElement(caption, isShown)
    if (inside !== null) {
      give(textOf(caption, MAX_CAPTION_CHARS), inside)
      skipped.delete(caption)
      keepImages(caption, skipped)
      pass(inside)
    } else if (isOfText(caption)) skipped.delete(caption)
    else if (image !== null && between <= MOST_BETWEEN) give(textOf(caption, MAX_CAPTION_CHARS), image)
    else {
      above = caption
      between = 0
    }
  }
  const read = (parent: Element): void => {
    for (const child of parent.children) {
      if (typeof child === "string") {
        if (between <= MOST_BETWEEN) between += textLength(child)
      } else if (left.has(child)) readCaption(child)
      else if (skipped.has(child)) continue
      else if (!isShown(child)) read(child)
      else {
        if (above !== null && between <= MOST_BETWEEN) give(textOf(above, MAX_CAPTION_CHARS), child)
        pass(child)
      }
    }
  }
  read(body)
  return described
}

const isCodeOrTable = ({ tag }: Element): boolean => tag === "pre" || tag === "table"

/** Leaves out everything in an element except its images and the boxes around them. */
function keepImages(box: Element, skipped: Set<Element>): boolean {
  let holds = box.tag === "img"
  for (const child of box.children) if (typeof child !== "string" && keepImages(child, skipped)) holds = true
  if (!holds) skipped.add(box)
  return holds
}
