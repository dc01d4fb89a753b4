import type { Embedder, Passage } from "#engine"
import { analyse, analyseQuery } from "#engine/analysis/analyse.ts"
import { embeddingText, toPassages } from "#engine/passages.ts"

/** Share of the words in a relevance; the rest is meaning. The engine's ranking uses the same balance. */
const WORDS_SHARE = 0.4
/** Passages of one page that are embedded: each costs some 20 ms of processor time. */
const EMBEDDED_PER_PAGE = 16

/** Relevance of texts to an intent, 0..1. Not comparable with scores of a search. */
export interface Relevance {
  /** The page's best passages, best first, and the relevance of the first. */
  passages(
    page: { title: string; markdown: string },
    count: number,
  ): Promise<{ texts: string[]; best: number }>
  /** One value for each text. */
  texts(texts: readonly string[]): Promise<number[]>
}

/**
 * Judges by shared words, weighted by how rare they are among the texts, and by cosine of the embeddings.
 * When `signal` aborts, words alone decide: a late call still gets a useful answer.
 */
export function relevanceTo(
  intent: string,
  embedder: Pick<Embedder, "embed">,
  signal: AbortSignal,
): Relevance {
  const terms = analyseQuery(intent, null).terms
  let intentVector: Promise<Float32Array | null> | undefined

  async function embed(texts: readonly string[]): Promise<Float32Array[] | null> {
    try {
      return signal.aborted ? null : await embedder.embed(texts, { priority: "query", signal })
    } catch (error) {
      if (signal.aborted) return null
      throw error
    }
  }

  async function mixed(words: readonly number[], texts: readonly string[]): Promise<number[]> {
    intentVector ??= embed([intent]).then((vectors) => vectors?.[0] ?? null)
    const vector = await intentVector
    const vectors = vector === null ? null : await embed(texts)
    if (vector === null || vectors === null) return words.map((share) => WORDS_SHARE * share)
    return words.map(
      (share, i) => WORDS_SHARE * share + (1 - WORDS_SHARE) * Math.max(0, dot(vector, vectors[i]!)),
    )
  }

  return {
    async passages({ title, markdown }, count) {
      const passages = toPassages(markdown)
      const words = wordShares(terms, passages.map(wordsOf))
      const candidates = passages
        .map((passage, i) => ({ passage, words: words[i]! }))
        .sort((a, b) => b.words - a.words)
        .slice(0, Math.max(EMBEDDED_PER_PAGE, count))
      const scores = await mixed(
        candidates.map((one) => one.words),
        candidates.map((one) => embeddingText(title, one.passage)),
      )
      const ranked = candidates
        .map(({ passage }, i) => ({ text: passage.text, score: scores[i]! }))
        .sort((a, b) => b.score - a.score)
      return { texts: ranked.slice(0, count).map((one) => one.text), best: ranked[0]?.score ?? 0 }
    },
    async texts(texts) {
      return mixed(wordShares(terms, texts), texts)
    },
  }
}

const wordsOf = (passage: Passage): string => [...passage.headings, passage.text].join("\n")

/** For each text the share of the terms it has, each term weighted by its rarity among the texts. */
function wordShares(terms: readonly string[], texts: readonly string[]): number[] {
  const sets = texts.map((text) => new Set(analyse(text, null)))
  const weights = terms.map((term) => {
    const having = sets.filter((set) => set.has(term)).length
    return Math.log(1 + (texts.length + 1) / (having + 1))
  })
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  if (whole === 0) return texts.map(() => 0)
  return sets.map((set) => terms.reduce((sum, term, i) => sum + (set.has(term) ? weights[i]! : 0), 0) / whole)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
