import { hash } from "node:crypto"
import type { Page } from "#engine"

/** Changes when anything of the page that search shows or finds has changed; the time of the visit does not count. */
export function pageHash(page: Page): string {
  const { title, description, markdown, language, author, publishedAt, images, favicon, source } = page
  const { topic, country, unsafe } = page
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
    ]),
    "base64url",
  )
}
