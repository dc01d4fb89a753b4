import { gunzipSync, gzipSync } from "node:zlib"
import type { Page } from "#engine"

/** A page as bytes, small enough to be kept for a while. */
export function packPage(page: Page): Uint8Array {
  return gzipSync(JSON.stringify(page))
}

/** The page that {@link packPage} was given. */
export function unpackPage(bytes: Uint8Array): Page {
  const page = JSON.parse(gunzipSync(bytes).toString("utf8")) as Page & {
    readonly publishedAt: string | null
    readonly fetchedAt: string
  }
  return {
    ...page,
    publishedAt: page.publishedAt === null ? null : new Date(page.publishedAt),
    fetchedAt: new Date(page.fetchedAt),
  }
}
