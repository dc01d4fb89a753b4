import { withNote } from "../wire/note-on-orders.ts"
import { NOTHING_FITS } from "./answer-text.ts"
import { degradedNote, missText, nothingFits, type SearchAnswer, storedPage } from "./answers.ts"
import { type Api } from "../operation/tool.ts"
import { noteOf } from "./output.ts"

// The tools that deep-research clients expect from every connector: `search` by a question and `fetch` by an id. Each
// answer is a single piece of text: the structured content as JSON.

const MAX_RESULTS = 10
/** Results with a lower score are left out: see `max_results: "auto"`. */
const LEAST_SCORE = 0.1
/** Number of characters of a page that a model gets at once; the rest has a separate id. */
export const MAX_FETCH_CHARS = 100_000

type Given = Readonly<Record<string, unknown>>

const answerOf = (structured: Readonly<Record<string, unknown>>) => ({
  text: JSON.stringify(structured),
  structured,
})

export async function searchPages(api: Api, { query }: Given) {
  const body = { query, max_results: MAX_RESULTS }
  const found = (await api.post("/search", body)) as SearchAnswer
  if (nothingFits(found))
    return answerOf({ results: [], ...noteOf(`${NOTHING_FITS}${missText(found)}`, degradedNote(found)) })
  const results = found.results
    .filter(({ score }) => score >= LEAST_SCORE)
    .map(({ title, url }) => ({ id: url, title: title === "" ? url : title, url }))
  return answerOf({ results, ...noteOf(degradedNote(found)) })
}

export async function fetchPage(api: Api, { id }: Given) {
  const { url, offset } = placeOf(typeof id === "string" ? id : "")
  const page = await storedPage(api, url, { offset, limit: MAX_FETCH_CHARS })
  const { next_offset: next, total_chars: total } = page
  const rest =
    next === null
      ? ""
      : `\n\n… (${total - next} more characters: fetch ${JSON.stringify(idOf(page.url, next))})`
  return answerOf({
    id: offset === 0 ? page.url : idOf(page.url, offset),
    title: page.title === "" ? page.url : page.title,
    text: withNote(`${page.content}${rest}`, page.addresses_models),
    url: page.url,
    metadata: {
      ...(page.sources.length > 0 && { source: page.sources.join(", ") }),
      type: page.type,
      ...(page.language !== null && { language: page.language }),
      ...(page.author !== null && { author: page.author }),
      ...(page.published_at !== null && { published_at: page.published_at }),
      crawled_at: page.crawled_at,
      ...(page.changed_at !== null && { changed_at: page.changed_at }),
      checked_at: page.checked_at,
    },
  })
}

/** A place in a page: the fragment follows RFC 5147, for text starting at a character. */
const idOf = (url: string, offset: number): string => `${url.replace(/#.*$/s, "")}#char=${offset},`

/** @returns the address of a page, and the character to start at */
export function placeOf(id: string): { readonly url: string; readonly offset: number } {
  const [, url = id, offset = "0"] = /^(.*)#char=(\d{1,15}),$/s.exec(id) ?? []
  return { url, offset: Number(offset) }
}
