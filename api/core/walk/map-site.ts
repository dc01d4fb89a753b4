import type { Relevance } from "../relevance/relevance.ts"
import { addressWords } from "./relevant-pages.ts"
import { type Site, walk, type Walking } from "./walk.ts"

/** A page that a map names. Text that is not known is empty. */
export interface MappedPage {
  readonly url: string
  readonly title: string
  readonly description: string
  /** Whether it was read, and not only named. */
  readonly isRead: boolean
}

/** The pages of a site in the order in which they were found. @throws as {@link walk} does */
export async function mapSite(site: Site, walking: Omit<Walking, "discoverOnly">): Promise<MappedPage[]> {
  const found: MappedPage[] = []
  await walk(site, { ...walking, discoverOnly: true }, ({ url, result }) => {
    if (result !== null && result.kind !== "read") return
    // Not the page itself: a map of many pages would hold all their text.
    const about = result?.reading.extracted
    const title = about?.title ?? ""
    const description = about?.description ?? ""
    found.push({ url, title, description, isRead: result !== null })
    if (about) walking.memory.keep(about, url.length + title.length + description.length)
  })
  return found
}

/** Pages by relevance, best first. Relevance is judged by title, description and the words of the address. */
export async function rankedPages(pages: readonly MappedPage[], relevance: Relevance) {
  const scores = await relevance.texts(
    pages.map(({ url, title, description }) =>
      [title, description, addressWords(url)].filter((part) => part !== "").join("\n"),
    ),
  )
  return pages
    .map((page, at) => ({ ...page, relevance: scores[at]! }))
    .toSorted((one, other) => other.relevance - one.relevance)
}
