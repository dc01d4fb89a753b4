import type { Facet, FacetCounts, FacetField, FacetQuery, FacetValue } from "../../engine.ts"
import { type PageHead, toPage } from "../../index/page-record.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import { folderOfSite, foldersOf, versionOf } from "../../index/page/address-parts.ts"
import { placeOf } from "../../index/page/domains.ts"
import { sourcesOf } from "../../index/page/page.ts"
import { typeOf } from "../../index/page/page-type.ts"
import { pageId } from "../../index/page/page-url.ts"
import type { Rule } from "../rules/rule.ts"
import { variantsOf } from "../rules/synonyms.ts"
import { exclusionsOf, inPlace, withoutExcluded } from "../exclusions.ts"
import { pagesWithPhrases } from "../phrases.ts"
import { analyseInLanguages, rareStems, withStemsOf } from "../query-terms.ts"
import { languagesAsked } from "../reader-language.ts"
import { askedOnce, correctionsSeen } from "../stages/seen-words.ts"
import { parseQueryText } from "../../text/query-text.ts"
import { breather } from "#base/flow/breather.ts"

/**
 * Maximum number of pages to count. If more match, the best by their words are counted, so a question that matches many
 * pages takes no longer; no user looks through more than this.
 */
export const MOST_COUNTED = 1000
/** Maximum number of values reported for each field; the most frequent ones are kept. */
const MOST_VALUES = 50

/** Counts, for some fields, how many of the pages that match a question have each value. */
export async function countFacets(
  index: SearchIndex,
  { text, filter = {}, fields, also = [], rules = [] }: FacetQuery,
  signal?: AbortSignal,
): Promise<FacetCounts> {
  const question = typeof text === "string" ? parseQueryText(text) : text
  const { phrases = [], paths = [], versions = [], ...condition } = filter
  const { includeDomains, excludeDomains } = question
  let conditions: Condition[] = [condition, { includeDomains, excludeDomains }]
  const languages = filter.languages?.length ? filter.languages : [...index.languages.keys()]
  conditions = [...conditions, ...(await inPlace(index, { paths, versions }, languages, conditions))]
  if (phrases.length > 0) {
    const ids = await pagesWithPhrases(index, { phrases, limit: MOST_COUNTED, conditions, languages, signal })
    conditions = [{ ids }]
  }
  const holding = askedOnce((some: readonly string[]) =>
    index.holding(some, "any", MOST_COUNTED + 1, conditions),
  )
  const terms = await termsOf(index, question, languages, { rules, filter, holding })
  signal?.throwIfAborted()
  let matching = 0
  const exclusions = exclusionsOf(question, languages, { paths, versions })
  const { lexical } = await withoutExcluded(index, exclusions, 1, async () => {
    const ids = terms.length > 0 ? await holding(terms) : []
    matching = ids.length
    return { lexical: new Map(ids.map((id) => [id, 1])), nearest: [], aside: new Set() }
  })
  const ids = [...lexical.keys()]
  const counted = [...new Set([...also.map(pageId), ...ids.slice(0, MOST_COUNTED)])]
  signal?.throwIfAborted()
  const heads = await index.heads(counted)
  return { pages: heads.length, isExact: matching <= MOST_COUNTED, facets: await tally(heads, fields) }
}

interface TermsParts {
  readonly rules: readonly Rule[]
  readonly filter: FacetQuery["filter"]
  /** Ids of the pages that contain one of the terms, best first. */
  readonly holding: (terms: readonly string[]) => Promise<readonly string[]>
}

/** The terms a search looks for: the words of the question, corrections of misspelt ones, and their stems in additional languages. */
async function termsOf(
  index: SearchIndex,
  question: ReturnType<typeof parseQueryText>,
  languages: readonly string[],
  { rules, filter, holding }: TermsParts,
): Promise<readonly string[]> {
  const spoken = languagesAsked(question.text, index.languages).filter((one) => languages.includes(one))
  const analysed = analyseInLanguages(question, spoken)
  const others = languages.filter((one) => !spoken.includes(one))
  const further = new Map(others.map((one) => [one, withStemsOf(analysed, one)]))
  const idfs = await index.idf([...further.values()].flat(2))
  const rare = rareStems(further, index.languages, (term) => idfs.get(term) ?? 0)
  const synonyms = variantsOf(question, rules, spoken).flatMap(
    (one) => analyseInLanguages(one.question, spoken).terms,
  )
  const termsWith = (meant: readonly string[]) => [
    ...new Set([...analysed.terms, ...meant, ...rare, ...synonyms]),
  ]
  const corrections = await correctionsSeen(index, analysed, filter, () => holding(termsWith([])))
  return termsWith(analysed.terms.flatMap((term) => corrections.get(term) ?? []))
}

async function tally(heads: readonly PageHead[], fields: readonly FacetField[]): Promise<Facet[]> {
  const counts = new Map(fields.map((field) => [field, new Map<string, number>()]))
  const breathe = breather()
  const pages = heads.map((head) => toPage({ ...head, markdown: "" }))
  const pathOf = pathsOf(pages.map(({ url }) => url))
  for (const page of pages) {
    await breathe()
    const version = versionOf(page.url)
    const values: Readonly<Record<FacetField, readonly string[]>> = {
      source: sourcesOf(page),
      domain: [placeOf(page.url).domain],
      path: pathOf(page.url),
      version: version === null ? [] : [version],
      topic: page.topic === null ? [] : [page.topic],
      language: page.language === null ? [] : [page.language],
      type: [typeOf(page)],
      published: page.publishedAt === null ? [] : [String(page.publishedAt.getUTCFullYear())],
    }
    for (const [field, known] of counts) {
      for (const value of values[field]) known.set(value, (known.get(value) ?? 0) + 1)
    }
  }
  return [...counts].map(([field, known]) => ({
    field,
    values: Array.from(known, ([value, count]): FacetValue => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MOST_VALUES),
  }))
}

/**
 * The folder that distinguishes each address from others on its site: the first one that isn't shared by all of the
 * site's addresses. There is none for addresses outside all folders, or without a folder beyond the shared ones. With
 * several sites, folder names include the site: two `/docs` have nothing in common.
 */
function pathsOf(urls: readonly string[]): (url: string) => readonly string[] {
  const sites = new Map(
    [...Map.groupBy(urls, hostOf)].map(([host, some]) => [host, depthShared(some.map(foldersOf))]),
  )
  return (url) => {
    const [host, folders] = [hostOf(url), foldersOf(url)]
    const shared = sites.get(host) ?? 0
    if (folders.length <= shared) return []
    const folder = `/${folders.slice(0, shared + 1).join("/")}`
    return [sites.size > 1 ? folderOfSite(host, folder) : folder]
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? ""

/** Number of top folders that all of these addresses share. */
const depthShared = ([first = [], ...others]: readonly (readonly string[])[]): number =>
  others.reduce((depth, folders) => {
    const differs = first.slice(0, depth).findIndex((folder, i) => folders[i] !== folder)
    return differs < 0 ? depth : differs
  }, first.length)

/** Counts for an index that does not exist. */
export const noFacets = ({ fields }: Pick<FacetQuery, "fields">): FacetCounts => ({
  pages: 0,
  isExact: true,
  facets: fields.map((field) => ({ field, values: [] })),
})
