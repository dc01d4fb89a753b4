import type { PageImage } from "#engine"
import type { MainContent } from "./main-content.ts"
import { imageAddress, isTinyImage } from "./markdown.ts"
import { collapse, type Element, firstElement, textOf, walk } from "./tree.ts"

const MAX_IMAGES = 200

/** The images of the main content in reading order, each once, with alternative text or caption. */
export function contentImages(content: MainContent, baseUrl: string): PageImage[] {
  const images = new Map<string, PageImage>()
  walk(content.root, (element) => {
    if (content.skipped.has(element) || images.size >= MAX_IMAGES) return false
    if (element.tag !== "img" || isTinyImage(element)) return undefined
    const url = imageAddress(element, baseUrl)
    if (url === null) return undefined
    const description = describe(element)
    if (!images.has(url) || (images.get(url)!.description === null && description !== null))
      images.set(url, { url, description })
    return undefined
  })
  return [...images.values()]
}

function describe(image: Element): string | null {
  const alt = collapse(image.get("alt") ?? "")
  if (alt !== "") return alt
  for (let above = image.parent, steps = 0; above && steps < 4; above = above.parent, steps++) {
    if (above.tag !== "figure") continue
    const caption = firstElement(above, (element) => element.tag === "figcaption")
    const text = caption ? textOf(caption, 500) : ""
    if (text !== "") return text
  }
  return collapse(image.get("title") ?? "") || null
}
