import { breather } from "#base/flow/breather.ts"
import type { Embedder, Passage } from "#engine"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { embeddingText, toPassages } from "#engine/text/passages.ts"

import { markdownParts } from "./markdown-parts.ts"
import { searchedText } from "../query/searched-text.ts"

/** Share of the words in a relevance; the rest is meaning. The engine's ranking uses the same balance. */
const WORDS_SHARE = 0.4
/** Passages of one page that are embedded: each costs some 20 ms of processor time. */
const EMBEDDED_PER_PAGE = 16
/** Texts that are embedded when each is judged; the others, worst by words, are judged by words alone. */
const EMBEDDED_TEXTS = 200

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
  embedder: Pick<Embedder, "id" | "embed">,
  signal: AbortSignal,
): Relevance {
  const asked = searchedText(intent)
  const terms = analyseQuery(asked, null).terms
  let intentVector: Promise<Float32Array | null> | undefined
  /** A live crawl may outlast a change of the model. */
  let embeddedBy = embedder.id

  // After waiting searches: these are many texts, and their callers expect to wait.
  async function embed(texts: readonly string[]): Promise<Float32Array[] | null> {
    try {
      return signal.aborted ? null : await embedder.embed(texts, { priority: "index", signal })
    } catch (error) {
      if (signal.aborted) return null
      throw error
    }
  }

  async function mixed(words: readonly number[], texts: readonly string[]): Promise<number[]> {
    if (embedder.id !== embeddedBy) intentVector = undefined
    embeddedBy = embedder.id
    intentVector ??= embed([asked]).then((vectors) => vectors?.[0] ?? null)
    const vector = await intentVector
    const vectors = vector === null ? null : await embed(texts)
    if (vector === null || vectors === null) return words.map((share) => WORDS_SHARE * share)
    return words.map(
      (share, i) => WORDS_SHARE * share + (1 - WORDS_SHARE) * Math.max(0, dot(vector, vectors[i]!)),
    )
  }

  return {
    async passages({ title, markdown }, count) {
      const passages = await passagesOf(markdown)
      const words = await wordShares(terms, passages.map(wordsOf))
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

/** The passages of a page, cut from a part at a time, so that a page of megabytes holds nobody else up. */
async function passagesOf(markdown: string): Promise<Passage[]> {
  const breathe = breather()
  const passages: Passage[] = []
  for (const part of markdownParts(markdown)) {
    await breathe()
    passages.push(...toPassages(part))
  }
  return passages
}

const wordsOf = (passage: Passage): string => [...passage.headings, passage.text].join("\n")

/** For each text the share of the terms it has, each term weighted by its rarity among the texts. */
async function wordShares(terms: readonly string[], texts: readonly string[]): Promise<number[]> {
  const wanted = new Set(terms)
  const breathe = breather()
  const sets: ReadonlySet<string>[] = []
  for (const text of texts) {
    await breathe()
    sets.push(new Set(analyse(text, null)).intersection(wanted))
  }
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
