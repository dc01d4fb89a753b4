import { createHash } from "node:crypto"
import type { Page } from "#engine"

/** Changes when anything of the page that search shows or finds has changed; the time of the visit does not count. */
export function pageHash(page: Page): string {
  const { title, description, markdown, language, author, publishedAt, images, favicon, source } = page
  const { topic, country, unsafe } = page
  return createHash("sha256")
    .update(
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
    )
    .digest("base64url")
}
