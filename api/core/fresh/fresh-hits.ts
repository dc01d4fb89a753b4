import { WorkError } from "#base/process/threads/work-threads.ts"
import type { Reread, RereadOptions } from "#crawler/upkeep/reread/rereader.ts"
import type { Embedder, Hit, Page, PageUrl, Query } from "#engine"
import { typeOf } from "#engine/index/page/page-type.ts"
import { cutIntoPassages } from "#engine/text/passages.ts"
import { looksForPhrases } from "#engine/text/phrase-match.ts"
import type { QueryText } from "#engine/text/query-text.ts"

import { fitsQuery } from "../../services/federation/fits-query.ts"
import { peerOfSource } from "../../services/federation/peers-file.ts"
import { failureReason } from "../read/failure-text.ts"
import { type Relevance, relevanceTo } from "../relevance/relevance.ts"

/** How old the results of a search may be. */
export interface Freshness {
  /** Maximum time since a page was last checked. */
  readonly maxAgeMs: number
  /** Time limit for rereading all pages together. */
  readonly fetchMs: number
  /** Whether to return the index's version of a page that could not be reread. */
  readonly fallsBack: boolean
}

/** A page that is older than allowed, or that was left out for that reason. */
export interface Aged {
  readonly code: "left-out" | "stale"
  readonly url: PageUrl
  /** The outcome, as a sentence. */
  readonly text: string
}

/** Rereads results, limited to pages that the caller may see. */
export interface FreshParts {
  /** Looks up when a page was last checked. */
  readonly checked: (hit: Hit) => Promise<Date>
  readonly reread: (url: PageUrl, options: RereadOptions) => Promise<Reread>
}

interface Asked extends FreshParts {
  readonly question: QueryText
  readonly query: Query
  readonly embedder: Pick<Embedder, "id" | "traits" | "embed">
  /** Ends the work when aborted, in addition to the request's own time limit. */
  readonly signal: AbortSignal
}

/** Maximum number of pages that are reread for one search: the number of addresses that `/extract` accepts. */
const MOST_REREADS = 20
const DEFAULT_PASSAGES = 3

/** The outcome for one hit. */
type Outcome = { readonly hit: Hit } | { readonly gone: string } | { readonly unread: string }

/**
 * Rereads hits that were last checked too long ago. A changed page is shown in its new version, with new passages, and
 * its score drops if it answers the question less well than before. A page that is gone, no longer fits the request or
 * could not be read is left out; with `fallsBack`, the index's version of a page that could not be read is shown.
 */
export async function freshHits(
  hits: readonly Hit[],
  { maxAgeMs, fetchMs, fallsBack }: Freshness,
  asked: Asked,
): Promise<{ readonly hits: readonly Hit[]; readonly aged: readonly Aged[] }> {
  const now = Date.now()
  const isFresh = async (hit: Hit): Promise<boolean> =>
    maxAgeMs > 0 && now - (await asked.checked(hit)).getTime() <= maxAgeMs
  const stale: Hit[] = []
  for (const hit of hits) if (!(await isFresh(hit))) stale.push(hit)
  const late = AbortSignal.any([asked.signal, AbortSignal.timeout(fetchMs)])
  const relevance = relevanceTo(asked.question.text, asked.embedder, asked.signal)
  const chosen = new Set(stale.filter((hit) => peerOfSource(hit.source) === null).slice(0, MOST_REREADS))
  const outcomes = await Promise.all(
    stale.map(async (hit): Promise<readonly [Hit, Outcome]> => {
      if (chosen.has(hit)) return [hit, await readAgain(hit, { maxAgeMs, signal: late }, asked, relevance)]
      const peer = peerOfSource(hit.source)
      const unread =
        peer === null
          ? `a search rereads at most ${MOST_REREADS} pages`
          : `the appliance ${peer} did not read it again`
      return [hit, { unread }]
    }),
  )
  const byHit = new Map(outcomes)
  const aged: Aged[] = []
  for (const [hit, outcome] of outcomes) aged.push(...(await agedOf(hit, outcome, fallsBack, asked)))
  const kept = hits.flatMap((hit) => {
    const outcome = byHit.get(hit) ?? { hit }
    if ("hit" in outcome) return outcome.hit
    return "unread" in outcome && fallsBack ? hit : []
  })
  const ranked = kept.toSorted((a, b) => b.score - a.score)
  // A page may now redirect to another one that is already among the hits.
  const shown = ranked.filter((hit, at) => ranked.findIndex(({ url }) => url === hit.url) === at)
  return { hits: shown, aged }
}

async function agedOf(
  { url, ...hit }: Hit,
  outcome: Outcome,
  fallsBack: boolean,
  { checked }: FreshParts,
): Promise<readonly Aged[]> {
  if ("hit" in outcome) return []
  if ("gone" in outcome) return [{ code: "left-out", url, text: `${url} was left out: ${outcome.gone}.` }]
  const why = `it was last checked at ${(await checked({ url, ...hit })).toISOString()} and could not be read again: ${outcome.unread}`
  return [
    fallsBack
      ? { code: "stale", url, text: `${url} is older than requested: ${why}.` }
      : { code: "left-out", url, text: `${url} was left out: ${why}.` },
  ]
}

async function readAgain(
  hit: Hit,
  options: RereadOptions,
  asked: Asked,
  relevance: Relevance,
): Promise<Outcome> {
  const now = await asked.reread(hit.url, options)
  switch (now.kind) {
    case "same":
      return { hit: { ...hit, fetchedAt: now.at } }
    case "changed":
      try {
        return await remade(hit, { ...now.page, fetchedAt: now.at }, asked, relevance)
      } catch (error) {
        if (!(error instanceof WorkError) && !asked.signal.aborted) throw error
        return { unread: "its text could not be processed in time" }
      }
    case "gone":
      return { gone: `the page is gone (${failureReason(now.end)})` }
    case "unread":
      return { unread: options.signal.aborted ? "there was no time left" : failureReason(now.end) }
    case "refused":
      break
  }
  return { unread: now.because }
}

/** The hit with the page's current text, or the reason why it no longer fits the request. */
async function remade(
  hit: Hit,
  { source: _source, ...page }: Page,
  asked: Asked,
  relevance: Relevance,
): Promise<Outcome> {
  const { query, question } = asked
  const { anchors: _anchors, ...shown } = page
  const made: Hit = { ...hit, ...shown, type: typeOf(page) }
  if (!fitsQuery(query)(made) || !(await holdsWhatIsAsked(made, query, question))) {
    return { gone: "the page has changed and no longer matches the request" }
  }
  const { passages } = await relevance.passages(page, query.passagesPerPage ?? DEFAULT_PASSAGES)
  const before = hit.passages.map(({ text }) => text)
  const shares = await relevance.texts([...before, ...passages.map(({ text }) => text)])
  const best = (some: readonly number[]) => Math.max(0, ...some)
  const [was, is] = [best(shares.slice(0, before.length)), best(shares.slice(before.length))]
  const kept = was > 0 ? Math.min(1, is / was) : 1
  const match = hit.match === undefined ? {} : { match: hit.match * kept }
  return { hit: { ...made, ...match, passages, score: hit.score * kept } }
}

/** Whether a page has the required phrases, and none of the excluded words and phrases. */
async function holdsWhatIsAsked(
  { title, markdown }: Hit,
  { filter }: Query,
  { excludedWords, excludedPhrases }: QueryText,
): Promise<boolean> {
  const required = filter?.phrases ?? []
  const forbidden = [...excludedWords, ...excludedPhrases]
  if (required.length + forbidden.length === 0) return true
  const work = { chars: markdown.length }
  const text = { title, markdown, passages: await cutIntoPassages(work, markdown) }
  if (required.length > 0 && !(await looksForPhrases(work, text, required))) return false
  for (const phrase of forbidden) if (await looksForPhrases(work, text, [phrase])) return false
  return true
}
