import { setImmediate } from "node:timers/promises"
import { breather } from "#base/flow/breather.ts"
import { passagesOf } from "../../index/page-record.ts"
import type { Passage } from "../../index/page/passage.ts"
import { correctionsOf } from "../../text/spelling/corrections.ts"
import type { Condition, SearchIndex } from "../../index/search-index.ts"
import {
  ALL,
  type Labels,
  lexicalArm,
  pagesWithTerms,
  pagesWithoutVectors,
  type Sieve,
  vectorArm,
} from "./arms.ts"
import { whereOf } from "./filter.ts"
import type { KnownTerms } from "./files/known-terms.ts"
import type { Tables } from "./lance/tables.ts"
import type { TermFrequencies } from "./files/term-frequencies.ts"

/** Number of pages whose terms are read at a time: a book-length page has a quarter of a megabyte of terms. */
const TERMS_AT_A_TIME = 5

export interface EmbeddedIndexParts extends Pick<SearchIndex, "languages" | "allEmbedded"> {
  readonly tables: Tables
  readonly frequencies: TermFrequencies
  readonly knownTerms: KnownTerms
  readonly sharings: readonly string[]
  /** Whether the tables have the readers column. Tables from an earlier version lack it: anyone may read their pages. */
  readonly hasReaders: boolean
}

/** Up to this many labels, the list adds almost nothing to the cost of a query. */
const FEW_LABELS = 100

/** The statistics of each list of labels: callers pass the same list object until the list changes. */
const sieves = new WeakMap<readonly string[], Labels>()

function labelsOf(list: readonly string[]): Labels {
  const known = sieves.get(list) ?? { set: new Set(list), asked: 0, seen: 0 }
  sieves.set(list, known)
  return known
}

const withoutReaders = ({ readers: _readers, ...condition }: Condition): Condition => condition

/** Answers the queries of a search from LanceDB's tables and the page store beside them. */
export function embeddedIndex(parts: EmbeddedIndexParts): SearchIndex {
  const { tables, frequencies, knownTerms, languages, allEmbedded } = parts
  const { store } = tables
  const sieve = (conditions: readonly Condition[], id: "id" | "page"): Sieve => {
    const open = () => whereOf(conditions.map(withoutReaders), id, parts.sharings)
    if (!parts.hasReaders) return { where: open, wide: null }
    const where = () => whereOf(conditions, id, parts.sharings)
    const [readers, another] = conditions.flatMap((one) => (one.readers ? [one.readers] : []))
    const isLong = readers !== undefined && another === undefined && readers.length > FEW_LABELS
    return { where, wide: isLong ? { where: open, labels: labelsOf(readers) } : null }
  }
  return {
    languages,
    allEmbedded,
    hasTermsAtHand: true,
    idf: async (terms) => new Map(terms.map((term) => [term, frequencies.idf(term)])),
    corrections: (asked, unheld = new Set()) =>
      correctionsOf(asked, {
        pages: frequencies.pages,
        pagesWith: (term) =>
          knownTerms.has(term) && !unheld.has(term) ? Math.max(1, frequencies.pagesWith(term)) : 0,
        // If the writer was killed, the file of known terms lacks the terms of the last few seconds.
        isHeld: async (term) =>
          !unheld.has(term) && (await pagesWithTerms(tables, [term], "all", 1, ALL)).length > 0,
      }),
    lexical: (terms, limit, conditions) => lexicalArm(tables, terms, limit, sieve(conditions, "id")),
    nearest: (vector, limit, conditions) => vectorArm(tables, vector, limit, sieve(conditions, "page")),
    holding: (terms, match, limit, conditions) =>
      pagesWithTerms(tables, terms, match, limit, sieve(conditions, "id")),
    withoutVectors: (ids) => pagesWithoutVectors(tables, ids),
    facts: async (ids) => store.facts(ids),
    heads: async (ids) => store.heads(ids),
    texts: async (ids) => store.read(ids).map((page) => ({ ...page, passages: passagesOf(page) })),
    async *passageTerms(ids) {
      for (let at = 0; at < ids.length; at += TERMS_AT_A_TIME)
        yield* store.passageTerms(ids.slice(at, at + TERMS_AT_A_TIME))
    },
    async passages(wanted) {
      const found = new Map<string, ReadonlyMap<number, Passage>>()
      const breathe = breather()
      for (const { head, positions } of wanted) {
        await breathe()
        found.set(head.id, store.passagesAt(head, positions))
      }
      return found
    },
    async markdown(heads) {
      const found = new Map<string, string>()
      for (const head of heads) {
        const markdown = store.markdown(head)
        found.set(head.id, markdown)
        // Lets other work run between long pages.
        if (markdown.length > 100_000) await setImmediate()
      }
      return found
    },
  }
}
