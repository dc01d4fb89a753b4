import { breather } from "#base/flow/breather.ts"
import { leaveOut } from "#base/flow/degraded.ts"
import type { Embedder, HitPassage, PageAnchor } from "#engine"
import { cosineOf, traitsOf } from "#engine/embedder.ts"
import { shownOf } from "#engine/index/page/passage.ts"
import { nearnessOf } from "#engine/search/ranking/fusion.ts"
import { isWrittenIn } from "#engine/text/scripts.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { ModelOutage } from "#engine/models/servers/availability.ts"
import { embeddingText } from "#engine/text/passages.ts"

import { findByWords, sharesOf } from "./passages-by-words.ts"
import { searchedText } from "../understand/searched-text.ts"

/** The weight of matching words in a relevance score; similarity of meaning makes up the rest. The engine's ranking uses the same balance. */
const WORDS_SHARE = 0.4
/** Number of passages of one page that are embedded: each costs about 20 ms of processor time. */
const EMBEDDED_PER_PAGE = 16
/** Maximum length in characters of a link's text, a title or a heading: anything longer isn't really one. */
const JUDGED_CHARS = 2000
const HEADING_CHARS = 300
/** Number of texts that are embedded when many texts are judged; the others, which match the fewest words, are judged by words alone. */
const EMBEDDED_TEXTS = 200

/** Relevance of texts to an intent, 0..1. Not comparable with search scores. */
export interface Relevance {
  /**
   * Returns the page's best passages, best first, and the relevance of the first.
   * @throws WorkError for a page that cannot be processed
   */
  passages(
    page: { title: string; markdown: string; anchors?: readonly PageAnchor[] },
    count: number,
  ): Promise<{ passages: HitPassage[]; texts: string[]; best: number }>
  /** Returns one value for each text. */
  texts(texts: readonly string[]): Promise<number[]>
}

/**
 * Judges by shared words, weighted by how rare they are among the texts, and by the cosine similarity of the
 * embeddings. When `signal` aborts, or the embedding model's server is down, words alone decide: a late call still gets
 * a useful answer. The exception is a page so large that it is processed in a thread: for it, `passages` throws the
 * signal's abort reason.
 */
export function relevanceTo(
  intent: string,
  embedder: Pick<Embedder, "id" | "traits" | "embed">,
  signal: AbortSignal,
): Relevance {
  const asked = searchedText(intent)
  const terms = analyseQuery(asked, null).terms
  let intentVector: Promise<Float32Array | null> | undefined
  /** The model may change while a live crawl is running. */
  let embeddedBy = embedder.id

  // Queued behind waiting searches, because there are many texts and their callers expect to wait.
  async function embed(
    texts: readonly string[],
    as: "question" | "passage" = "passage",
  ): Promise<Float32Array[] | null> {
    try {
      signal.throwIfAborted()
      return await embedder.embed(texts, { as, priority: "index", signal })
    } catch (error) {
      if (!signal.aborted && !(error instanceof ModelOutage)) throw error
      leaveOut("meaning")
      return null
    }
  }

  async function mixed(words: readonly number[], texts: readonly string[]): Promise<number[]> {
    if (embedder.id !== embeddedBy) intentVector = undefined
    embeddedBy = embedder.id
    const { cosines, scripts } = traitsOf(embedder)
    intentVector ??= (isWrittenIn(scripts, asked) ? embed([asked], "question") : Promise.resolve(null)).then(
      (vectors) => vectors?.[0] ?? null,
    )
    const vector = await intentVector
    const vectors = vector === null ? null : await embed(texts)
    if (vector === null || vectors === null) return words.map((share) => WORDS_SHARE * share)
    return words.map(
      (share, i) =>
        WORDS_SHARE * share + (1 - WORDS_SHARE) * within(nearnessOf(cosineOf(vector, vectors[i]!), cosines)),
    )
  }

  return {
    async passages({ title, markdown, anchors }, count) {
      const most = Math.max(EMBEDDED_PER_PAGE, count)
      const candidates = await findByWords(
        { chars: markdown.length, signal },
        { markdown, ...(anchors && { anchors }) },
        terms,
        most,
      )
      const scores = await mixed(
        candidates.map((one) => one.words),
        candidates.map(({ passage: { text, headings } }) =>
          embeddingText(shortened(title), { text, headings: headings.map(shortened) }),
        ),
      )
      const ranked = candidates
        .map(({ passage }, i) => ({ passage, score: scores[i]! }))
        .sort((a, b) => b.score - a.score)
      const passages = ranked.slice(0, count).map(({ passage }) => passage)
      return { passages, texts: passages.map(shownOf), best: ranked[0]?.score ?? 0 }
    },
    async texts(given) {
      const texts = given.map((text) => text.slice(0, JUDGED_CHARS))
      const words = await wordShares(terms, texts)
      const order = [...words.keys()].sort((a, b) => words[b]! - words[a]!)
      const judged = order.slice(0, EMBEDDED_TEXTS)
      const scores = await mixed(
        judged.map((i) => words[i]!),
        judged.map((i) => texts[i]!),
      )
      const all = words.map((share) => WORDS_SHARE * share)
      for (const [at, i] of judged.entries()) all[i] = scores[at]!
      return all
    },
  }
}

const shortened = (heading: string): string => heading.slice(0, HEADING_CHARS)

/** For each text, the share of the terms it contains, with each term weighted by its rarity among the texts. */
async function wordShares(terms: readonly string[], texts: readonly string[]): Promise<number[]> {
  const wanted = new Set(terms)
  const breathe = breather()
  const sets: ReadonlySet<string>[] = []
  for (const text of texts) {
    await breathe()
    sets.push(wanted.intersection(new Set(analyse(text, null))))
  }
  return sharesOf(terms, sets)
}

const within = (value: number) => Math.min(1, Math.max(0, value))
