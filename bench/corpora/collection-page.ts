import type { Page, PageUrl } from "#engine"
import type { Collection } from "./collection.ts"

/** The address under which a collection's nth document is indexed. */
export const urlOfDocument = (position: number): PageUrl => `https://bench.test/${position}` as PageUrl

/** A collection's nth document as a page. */
export function toPage(
  position: number,
  { title, text }: Collection["documents"][number],
  language = "en",
): Page {
  return {
    url: urlOfDocument(position),
    title,
    markdown: text,
    description: null,
    language,
    author: null,
    publishedAt: null,
    topic: null,
    country: null,
    unsafe: false,
    images: [],
    favicon: null,
    source: "bench",
    fetchedAt: new Date(0),
  }
}
