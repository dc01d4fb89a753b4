import type { PageFilter } from "../engine.ts"
import { decoded, isAmong, versionOf, wantedFolders, withoutSite } from "../index/page/address-parts.ts"
import { analyse, wholeTerm } from "../text/analysis/analyse.ts"
import { termHash } from "../text/analysis/term-hash.ts"
import { unpackTerms } from "../text/passage-terms.ts"
import type { QueryText } from "../text/query-text.ts"
import { pagesHolding, phraseTerms } from "./phrases.ts"
import type { Condition, LexicalHits, Nearest, SearchIndex } from "../index/search-index.ts"

/** Words and phrases: pages that contain them are dropped. */
export interface Exclusions {
  readonly terms: readonly string[]
  readonly phrases: readonly string[]
  readonly languages: readonly (string | null)[]
  /** Pages whose addresses are not in these folders and versions are dropped, too. */
  readonly place: Place
}

type Place = Pick<PageFilter, "paths" | "versions">

export interface ArmsFound {
  readonly lexical: LexicalHits
  readonly nearest: readonly Nearest[]
  /** Pages in `nearest` that were requested explicitly and aren't among the overall nearest. */
  readonly aside: ReadonlySet<string>
}

/** Maximum number of times that a longer list is requested if too few results are left, and the factor by which each list is longer than the one before. */
const LONGER_LISTS = 3
const LONGER = 4
const MOST = 10_000

/** Null when the question excludes nothing. */
export function exclusionsOf(
  { excludedWords, excludedPhrases }: QueryText,
  languages: readonly string[],
  { paths = [], versions = [] }: Place = {},
): Exclusions | null {
  const isPlaced = paths.length > 0 || versions.length > 0
  if (excludedWords.length === 0 && excludedPhrases.length === 0 && !isPlaced) return null
  const ofPages = languages.length > 0 ? languages : [null]
  const terms = new Set<string>()
  const phrases = new Set(excludedPhrases)
  for (const word of excludedWords) {
    const whole = ofPages.flatMap((language) => wholeTerm(word, language) ?? [])
    if (whole.length === 0) phrases.add(word)
    for (const term of whole) terms.add(term)
  }
  return { terms: [...terms], phrases: [...phrases], languages: ofPages, place: { paths, versions } }
}

/**
 * The results of the arms without excluded pages. Excluded pages are dropped from the arms' lists, and longer lists are
 * requested if too few pages are left; excluding them earlier is expensive in the vector arm, which doesn't know words.
 */
export async function withoutExcluded(
  index: SearchIndex,
  exclusions: Exclusions | null,
  limit: number,
  ask: (limit: number) => Promise<ArmsFound>,
): Promise<ArmsFound> {
  let asked = limit
  let found = await ask(asked)
  if (!exclusions) return found
  let ids = pagesOf(found)
  for (let round = 0; ; round++) {
    const dropped = await excludedAmong(index, exclusions, [...ids])
    const enough = dropped.size === 0 || ids.size - dropped.size >= limit
    if (enough || round === LONGER_LISTS) return without(found, dropped)
    asked = Math.min(MOST, Math.max(asked, 100) * LONGER)
    found = await ask(asked)
    const more = pagesOf(found)
    if (more.size <= ids.size) return without(found, dropped)
    ids = more
  }
}

const pagesOf = ({ lexical, nearest }: ArmsFound): Set<string> =>
  new Set([...lexical.keys(), ...nearest.map(({ page }) => page)])

const without = ({ lexical, nearest, aside }: ArmsFound, dropped: ReadonlySet<string>): ArmsFound => ({
  aside,
  lexical: new Map([...lexical].filter(([id]) => !dropped.has(id))),
  nearest: nearest.filter(({ page }) => !dropped.has(page)),
})

async function excludedAmong(
  index: SearchIndex,
  { terms, phrases, languages, place }: Exclusions,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const dropped = terms.length > 0 ? await sayingAny(index, terms, ids) : new Set<string>()
  for (const id of await elsewhere(index, place, ids)) dropped.add(id)
  for (const phrase of phrases) {
    for (const language of languages) {
      const words = phraseTerms(phrase, language)
      const rest = ids.filter((id) => !dropped.has(id))
      const candidates =
        words.length > 0 ? await index.holding(words, "all", rest.length, [{ ids: rest }]) : rest
      for (const id of await pagesHolding(index, candidates, [phrase])) dropped.add(id)
    }
  }
  return dropped
}

/** Pages that contain one of the terms in their title or text: the index also finds pages by the words in their addresses. */
async function sayingAny(
  index: SearchIndex,
  terms: readonly string[],
  ids: readonly string[],
): Promise<Set<string>> {
  const held = await index.holding(terms, "any", ids.length, [{ ids }])
  const hashes = new Set(terms.map(termHash))
  const saying = new Set<string>()
  for await (const [id, packed] of index.passageTerms(held)) {
    const { title, passages } = unpackTerms(packed)
    if ([title, passages.hashes].some((said) => said.some((hash) => hashes.has(hash)))) saying.add(id)
  }
  return saying
}

/** Pages whose address is not in the given place. */
async function elsewhere(
  index: Pick<SearchIndex, "facts">,
  { paths = [], versions = [] }: Place,
  ids: readonly string[],
): Promise<string[]> {
  if (paths.length === 0 && versions.length === 0) return []
  const facts = await index.facts(ids)
  return ids.filter((id) => {
    const url = facts.get(id)?.url
    if (url === undefined) return false
    const isIn = isAmong(url, paths) && (versions.length === 0 || versions.includes(versionOf(url) ?? ""))
    return !isIn
  })
}

/** Maximum number of pages for a separate list: if there are more, enough of them are among the best. */
const MOST_PLACED = 2000
/** Maximum number of ways to split the words of addresses, one per language. */
const MOST_WAYS = 6

/**
 * A condition that is met only by pages whose addresses contain the words of a place, if there are few such pages: they
 * might not be among the best of all pages, to which the filter is applied. Returns null if there are many, or if no
 * place is given.
 */
export async function inPlace(
  index: SearchIndex,
  { paths = [], versions = [] }: Place = {},
  languages: readonly string[],
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  const found: Condition[] = []
  for (const places of [
    wantedFolders(paths).map((path) => withoutSite(path).replaceAll("/", " ")),
    versions,
  ]) {
    if (places.length === 0) continue
    const ids = new Set<string>()
    for (const place of places) {
      const ways = waysToSay(place, languages)
      if (ways.length === 0) return found
      for (const terms of ways) {
        const some = await index.holding(terms, "all", MOST_PLACED, conditions)
        if (some.length === MOST_PLACED) return found
        for (const id of some) ids.add(id)
      }
    }
    found.push({ ids: [...ids] })
  }
  return found
}

/** The distinct lists of terms into which a text can be split, depending on the language. */
function waysToSay(text: string, languages: readonly string[]): string[][] {
  const ways = new Map<string, string[]>()
  for (const language of [...languages, null]) {
    const terms = [...new Set(analyse(decoded(text), language))]
    if (terms.length > 0) ways.set(terms.join(" "), terms)
  }
  return [...ways.values()].slice(0, MOST_WAYS)
}
