import type { Query } from "../../engine.ts"
import type { PageHead } from "../../index/page-record.ts"
import type { Nearest, SearchIndex } from "../../index/search-index.ts"
import { arrange } from "../ranking/arrange.ts"
import type { Arranged } from "../ranking/duplicates.ts"
import { type Candidate, fuse, type Ranked } from "../ranking/fusion.ts"
import type { Reads } from "../ranking/languages.ts"
import { likeliest } from "../likeliest.ts"
import type { CosinesByPage } from "../second-reading/passage-texts.ts"
import type { Evidence } from "./gather.ts"

/** How many pages ranked just below those being read have their facts requested at the same time: about five of them are arranged later. */
const LOOKED_AT_BESIDES = 10

/** A page with its place in the ranking. */
export interface Found {
  readonly page: PageHead
  readonly ranked: Arranged
  readonly cosines: ReadonlyMap<number, number>
}

interface Reading {
  readonly reads: Reads
  /** Whether a version of documentation is the one that the question names. Default: never. */
  readonly wanted?: (version: string) => boolean
  /** Maximum number of pages whose terms are read. */
  readonly most: number
}

/**
 * Ranks, reads the best pages, and ranks again without stale data: pages that are gone, or vectors of pages that have
 * been replaced. Stale data is rare, so reading first is faster.
 */
export async function rankAndRead(
  index: SearchIndex,
  { lexical, nearest, aside, waiting, holders, words }: Evidence,
  { limit, preference, reads, wanted, most }: Pick<Query, "limit" | "preference"> & Reading,
  rerank: (ranked: readonly Ranked[], cosines: CosinesByPage) => Promise<readonly Ranked[]>,
): Promise<Found[]> {
  const read = new Map<string, PageHead | null>()
  for (;;) {
    const cosines = cosinesByPage(nearest, read)
    const ids = new Set([...lexical.keys(), ...cosines.keys()])
    const likely = likeliest(ids, { lexical, cosines, holders, waiting })
    await Promise.all([
      words?.readLikeliest(likely, most, lexical),
      // The facts of the pages examined next are fetched in the same request.
      index.takesArmsTogether && index.facts(likely.slice(most, most + LOOKED_AT_BESIDES)),
    ])
    const candidates = [...ids]
      .filter((id) => read.get(id) !== null)
      .map((id): Candidate => {
        const known = cosines.get(id)
        return {
          id,
          aside: aside.has(id),
          words: words?.share(id) ?? 0,
          cosine: known ? Math.max(...known.values()) : waiting.has(id) ? null : undefined,
          lacksNumbers: words?.lacksNumbers(id) ?? 0,
        }
      })
    const factsOf = (some: readonly string[]) => index.facts(some)
    const ranked = fuse(candidates, {
      hasWords: words !== null,
      reach: words?.reach ?? 1,
      nowhere: words?.nowhere ?? 0,
    })
    const best = await arrange(await rerank(ranked, cosines), {
      limit,
      preference,
      holders,
      reads,
      wanted,
      factsOf,
    })
    const unread = new Set(best.map(({ id }) => id).filter((id) => !read.has(id)))
    for (const id of unread) read.set(id, null)
    for (const page of unread.size > 0 ? await index.heads([...unread]) : []) read.set(page.id, page)
    const isGone = [...unread].some((id) => read.get(id) === null)
    const isOld = ({ page, revision }: Nearest) => unread.has(page) && read.get(page)?.revision !== revision
    if (!isGone && !nearest.some(isOld)) {
      return best.map((ranked) => ({
        ranked,
        page: read.get(ranked.id)!,
        cosines: cosines.get(ranked.id) ?? new Map<number, number>(),
      }))
    }
  }
}

/** Cosines by page and position, without those of a revision that is known to be out of date. */
function cosinesByPage(
  nearest: readonly Nearest[],
  read: ReadonlyMap<string, PageHead | null>,
): Map<string, Map<number, number>> {
  const pages = new Map<string, Map<number, number>>()
  for (const { page, revision, position, cosine } of nearest) {
    const stored = read.get(page)
    if (stored && stored.revision !== revision) continue
    let positions = pages.get(page)
    if (!positions) pages.set(page, (positions = new Map()))
    positions.set(position, Math.max(cosine, positions.get(position) ?? -1))
  }
  return pages
}
