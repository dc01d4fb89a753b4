import type { PageImage } from "#engine"
import type { MainContent } from "./main-content.ts"
import { imageAddress, imageDescription, isTinyImage } from "./markdown.ts"
import { walk } from "./tree.ts"

const MAX_IMAGES = 200

/** The images of the main content in reading order, each once, with alternative text or caption. */
export function contentImages(content: MainContent, baseUrl: string): PageImage[] {
  const images = new Map<string, PageImage>()
  walk(content.root, (element) => {
    if (content.skipped.has(element) || images.size >= MAX_IMAGES) return false
    if (element.tag !== "img" || isTinyImage(element)) return undefined
    const url = imageAddress(element, baseUrl)
    if (url === null) return undefined
    const description = imageDescription(element)
    if (!images.has(url) || (images.get(url)!.description === null && description !== null))
      images.set(url, { url, description })
    return undefined
  })
  return [...images.values()]
}
