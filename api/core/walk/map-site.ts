import { toPageUrl } from "#engine"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import type { Relevance } from "../relevance/relevance.ts"
import { addressWords } from "./relevant-pages.ts"
import { type Site, walk, type Walking } from "./walk.ts"

/** A page in a map. Unknown text is empty. */
export interface MappedPage {
  readonly url: string
  readonly title: string
  readonly description: string
  /** Whether the page was read, not just linked to. */
  readonly isRead: boolean
}

/** How many addresses are looked up in the index at once. */
const AT_ONCE = 32

/** The pages of a site in the order in which they were found, except pages that the key is not allowed to read. @throws as {@link walk} does */
export async function mapSite(site: Site, walking: Omit<Walking, "discoverOnly">): Promise<MappedPage[]> {
  const found: MappedPage[] = []
  await walk(site, { ...walking, discoverOnly: true }, ({ url, result }) => {
    if (result !== null && result.kind !== "read") return
    // Keeps no reference to the page itself: a map of many pages would hold all their text.
    const about = result?.reading.extracted
    const title = about?.title ?? ""
    const description = about?.description ?? ""
    found.push({ url, title, description, isRead: result !== null })
    if (about) walking.memory.keep(about, url.length + title.length + description.length)
  })
  const shown: MappedPage[] = []
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const some = found.slice(at, at + AT_ONCE)
    const hidden = await Promise.all(
      some.map(async ({ url, isRead }) => !isRead && (await isKeptOut(url, walking.reach))),
    )
    shown.push(...some.filter((_, i) => !hidden[i]))
  }
  return shown
}

async function isKeptOut(address: string, reach: Pick<Reach, "keepsOut">): Promise<boolean> {
  const url = toPageUrl(address)
  return url !== null && (await reach.keepsOut(url))
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
