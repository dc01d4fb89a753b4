import { breather } from "#base/flow/breather.ts"
import type { FoldedPage, Hit, HitEvidence, Query } from "../../engine.ts"
import { type PageHead, toPage } from "../../index/page-record.ts"
import type { PassagesWanted, SearchIndex } from "../../index/search-index.ts"
import type { PageFacts } from "../../index/page/page-facts.ts"
import { typeOf } from "../../index/page/page-type.ts"
import { toPageUrl } from "../../index/page/page-url.ts"
import type { Page } from "../../index/page/page.ts"
import { bestPositions } from "../best-passages.ts"
import type { PageWords } from "../page-words.ts"
import { onBestPage } from "./best-page.ts"
import type { Evidence } from "./gather.ts"
import type { Found } from "./rank-and-read.ts"

const DEFAULT_PASSAGES = 3

/** A page as shown in a hit, with its passages' anchors. */
function shownOf({ anchors: _anchors, ...page }: Page) {
  return { ...page, type: typeOf(page) }
}

/** Hits with their best passages, in the order of `found`. */
export async function toHits(
  index: SearchIndex,
  found: readonly Found[],
  words: PageWords,
  { text, passagesPerPage = DEFAULT_PASSAGES, withMarkdown = true }: Query,
): Promise<Hit[]> {
  const heads = found.map(({ page }) => page)
  if (passagesPerPage >= 1) await words.read(heads.map(({ id }) => id))
  const wanted: PassagesWanted[] = []
  const breathe = breather()
  for (const { page: head, cosines } of found) {
    // A page may have thousands of passages, so other work gets a turn between pages.
    await breathe()
    const count = Math.max(0, passagesPerPage)
    wanted.push({ head, positions: count < 1 ? [] : bestPositions(words.passages(head.id), cosines, count) })
  }
  const folded = await foldedOf(index, found)
  const [passages, markdown] = await Promise.all([
    passagesPerPage >= 1 ? index.passages(wanted) : new Map<string, never>(),
    withMarkdown ? index.markdown(heads) : new Map<string, string>(),
  ])
  return found.map(({ page, ranked }, i): Hit => {
    const shown = shownOf(toPage({ ...page, markdown: markdown.get(page.id) ?? "" }))
    return {
      ...shown,
      score: ranked.score,
      ...(ranked.match !== undefined && { match: ranked.match }),
      ...(folded.has(page.id) && { folded: folded.get(page.id)! }),
      passages: wanted[i]!.positions.flatMap((position) => {
        const passage = passages.get(page.id)?.get(position)
        return passage ? [{ ...onBestPage(passage, text, shown.language), position }] : []
      }),
      parts: {
        lexical: ranked.lexical,
        passage: words.passages(page.id)?.reduce((most, share) => Math.max(most, share), 0) ?? 0,
        vector: ranked.vector,
        late: ranked.late,
        rerank: ranked.rerank,
        fused: ranked.fused,
        boost: ranked.boost,
      },
    }
  })
}

/** The pages folded behind each hit, by its id; no entry if there are none. */
async function foldedOf(
  index: Pick<SearchIndex, "facts">,
  found: readonly Found[],
): Promise<ReadonlyMap<string, readonly FoldedPage[]>> {
  const all = found.flatMap(({ ranked }) => (ranked.folded ?? []).map(({ id }) => id))
  const facts = all.length > 0 ? await index.facts(all) : new Map<string, PageFacts>()
  return new Map(
    found.flatMap(({ page, ranked }) => {
      const folded = (ranked.folded ?? []).flatMap(({ id, kind }): FoldedPage[] => {
        const known = facts.get(id)
        const url = known && toPageUrl(known.url)
        return url ? [{ url, title: known.title, language: known.language, kind }] : []
      })
      return folded.length > 0 ? [[page.id, folded] as const] : []
    }),
  )
}

/** The data needed to rank hits together with those of other indexes, by page id. */
export async function evidenceOf(
  index: Pick<SearchIndex, "facts">,
  placed: readonly { readonly page: PageHead }[],
  { waiting, holders, words }: Evidence,
): Promise<ReadonlyMap<string, HitEvidence>> {
  const facts = await index.facts(placed.map(({ page }) => page.id))
  return new Map(
    Array.from(facts, ([id, { fingerprint }]) => [
      id,
      {
        fingerprint,
        hasVectors: !waiting.has(id),
        holdsPhrases: holders.has(id),
        lacksNumbers: words?.lacksNumbers(id) ?? 0,
      },
    ]),
  )
}
