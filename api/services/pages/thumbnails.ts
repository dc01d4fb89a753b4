import type { ImageFacts } from "#crawler/upkeep/images/image-store.ts"
import type { PageUrl } from "#engine"

import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { findPage } from "../../core/read/find-page.ts"
import type { PageKnowledge } from "./page-knowledge.ts"

/** The images of pages, as they were when crawled. */
export interface Thumbnails {
  facts(urls: readonly string[], pageUrl: string): Promise<ReadonlyMap<string, ImageFacts>>
  /** The image with this id; null when it is missing or damaged. */
  thumbnail(id: number): Promise<Buffer | null>
}

/**
 * An image of a page as it was when crawled, in WebP. A caller that may see the page may see its images, and no others.
 * @returns null if the caller may see no such image, or if the folder of thumbnails was deleted: images are made again
 * later
 */
export async function thumbnailOf(
  image: string,
  url: PageUrl,
  parts: { readonly reach: Reach; readonly knowledge: PageKnowledge; readonly images: Thumbnails },
): Promise<Buffer | null> {
  const page = await findPage(url, parts)
  if (page?.images.some((one) => one.url === image) !== true) return null
  const facts = (await parts.images.facts([image], page.url)).get(image)
  return facts?.state === "read" ? await parts.images.thumbnail(facts.id) : null
}
