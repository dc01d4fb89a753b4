import { hash } from "node:crypto"
import type { Page } from "#engine"
import { normalReaders } from "#engine/index/page/readers.ts"

/**
 * Changes when any part of the page that search shows or finds has changed. The time of the visit is left out, and so
 * are the anchors of headings on web pages: some sites rename them on every visit, and they are stored with the next
 * change. Only those readers of the page that its own source names are included.
 */
export function pageHash(page: Page): string {
  const { title, description, markdown, language, author, publishedAt, images, favicon, source } = page
  const { topic, country, unsafe, isListing, type, anchors = [] } = page
  const known = normalReaders((page.readers ?? []).filter((one) => one.source === source))
  const pages = anchors.filter(([, , number]) => number !== undefined)
  return hash(
    "sha256",
    JSON.stringify([
      title,
      description,
      markdown,
      language,
      author,
      publishedAt,
      images,
      favicon,
      source,
      topic,
      country,
      unsafe,
      // Left out when empty, so that the hashes of pages from earlier versions stay the same.
      ...(isListing ? ["listing"] : []),
      ...(type === undefined ? [] : [type]),
      ...(pages.length > 0 ? [pages] : []),
      ...(known.length > 0 ? [{ readers: known.map(({ allow, deny }) => [allow, deny]) }] : []),
    ]),
    "base64url",
  )
}
