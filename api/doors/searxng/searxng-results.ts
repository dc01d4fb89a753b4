import { modelLabel } from "../../server/wire/model-label.ts"
import type { plainSearch } from "../plain-search.ts"
import { ENGINE, type SearxngRequest } from "./searxng-request.ts"

type Found = Awaited<ReturnType<ReturnType<typeof plainSearch>>>

/** A page as one of SearXNG's results. @param position from 1 */
export const pageResult = (
  { hit, content, addressesModels }: Found["pages"][number],
  position: number,
  category: SearxngRequest["category"],
) => ({
  ...of(hit.url, hit.title, content, position),
  ...modelLabel(addressesModels),
  score: hit.score,
  category,
  template: "default.html",
  publishedDate: dateOf(hit.publishedAt),
})

/** An image as one of SearXNG's results. @param position from 1 */
export const imageResult = ({ url, description }: Found["images"][number], position: number) => ({
  ...of(url, description ?? "", description ?? "", position),
  score: 1 / position,
  category: "images",
  template: "images.html",
  img_src: url,
  thumbnail_src: url,
  publishedDate: null,
})

/** The fields of every result. */
function of(url: string, title: string, content: string, position: number) {
  const { protocol, host, pathname, search, hash } = new URL(url)
  return {
    url,
    title,
    content,
    engine: ENGINE,
    engines: [ENGINE],
    positions: [position],
    // The parts returned by Python's urlparse.
    parsed_url: [protocol.slice(0, -1), host, pathname, "", search.slice(1), hash.slice(1)],
    thumbnail: "",
    priority: "",
  }
}

/** A date in ISO 8601 without a zone, in UTC, as SearXNG writes it; null if there is none. */
const dateOf = (date: Date | null): string | null => date?.toISOString().slice(0, 19) ?? null
