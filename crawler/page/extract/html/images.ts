import type { PageImage } from "#engine"
import type { MainContent } from "../main/main-content.ts"
import { imageAddress, imageDescription, isTinyImage } from "./image-elements.ts"
import { type Element, elementsOf } from "./tree.ts"

const MAX_IMAGES = 200
/** An image declared smaller than this in both directions is an icon, or a portrait beside the text. */
const ICON_SIDE = 40

/** The images of the main content in reading order, each once, with alternative text or caption. */
export function contentImages(content: MainContent, baseUrl: string): PageImage[] {
  const images = new Map<string, PageImage>()
  for (const element of elementsOf(content.root, content.skipped)) {
    if (images.size >= MAX_IMAGES) break
    if (element.tag !== "img" || isTinyImage(element) || isIcon(element)) continue
    const url = imageAddress(element, baseUrl)
    if (url !== null && (images.get(url)?.description ?? null) === null)
      images.set(url, { url, description: imageDescription(element, content.captions) })
  }
  return [...images.values()]
}

const STYLE = {
  width: /(?:^|;)\s*width\s*:\s*(\d+(?:\.\d+)?)px/i,
  height: /(?:^|;)\s*height\s*:\s*(\d+(?:\.\d+)?)px/i,
}

function isIcon(image: Element): boolean {
  return declared(image, "width") < ICON_SIDE && declared(image, "height") < ICON_SIDE
}

/** The size in pixels, from attributes or style; infinite when neither is in pixels. */
function declared(image: Element, side: "width" | "height"): number {
  const attribute = /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/.exec(image.get(side) ?? "")?.[1]
  const style = STYLE[side].exec(image.get("style") ?? "")?.[1]
  return Number(style ?? attribute ?? Number.POSITIVE_INFINITY)
}
