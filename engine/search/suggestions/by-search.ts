import type { Query, SearchResult, Suggestion, SuggestionQuery } from "../../engine.ts"
import { typedWords } from "../../text/typed-words.ts"

/** Number of pages looked at for each suggestion wanted: not every page found has the words in a name. */
const LOOKED_AT = 4

/**
 * Suggests names of pages without a {@link SuggestionStore}: for an index on a server that another machine fills.
 * Searches for pages with the fully typed words, and suggests the titles and headings in which each typed word begins a
 * word. So a half-typed first word finds nothing.
 */
export async function suggestBySearch(
  search: (query: Query) => Promise<SearchResult>,
  { text, limit, filter = {} }: SuggestionQuery,
): Promise<Suggestion[]> {
  const words = typedWords(text)
  if (words.length === 0 || limit < 1) return []
  const { hits } = await search({
    text: words.join(" "),
    limit: limit * LOOKED_AT,
    filter,
    depth: "ultra-fast",
    passagesPerPage: 1,
    withMarkdown: false,
  })
  const found = new Map<string, Suggestion>()
  for (const { title, url, passages } of hits) {
    const names = [
      { text: title, kind: "title" as const },
      ...(passages[0]?.headings ?? []).map((heading) => ({ text: heading, kind: "heading" as const })),
    ]
    for (const name of names) {
      const said = typedWords(name.text)
      const holds = words.every((word) => said.some((one) => one.startsWith(word)))
      if (holds && !found.has(said.join(" "))) found.set(said.join(" "), { ...name, url })
    }
  }
  return [...found.values()].slice(0, limit)
}
