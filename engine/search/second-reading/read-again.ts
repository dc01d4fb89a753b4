import type { SearchDepth } from "../../engine.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import type { SearchPlan } from "../ranking/depths.ts"
import { type Ranked, toReadAgain, toRerank, withLateInteraction, withReranker } from "../ranking/fusion.ts"
import type { PageWords } from "../page-words.ts"
import type { Understood } from "../stages/understand.ts"
import type { LateReader } from "./late-reader.ts"
import { bestTexts, type CosinesByPage } from "./passage-texts.ts"
import { isAsked, Readings, type Reranking } from "./reranking.ts"

export interface SecondReadingParts {
  readonly index: SearchIndex
  readonly lateReader: LateReader
  /** Null: no reranker is asked. */
  readonly reranking: Reranking | null
  readonly words: PageWords
  readonly understood: Understood
  readonly plan: Pick<SearchPlan, "latePages"> & { readonly arms: string }
  readonly depth: SearchDepth
  readonly signal: AbortSignal | undefined
}

/** The first pages read again against the question: token by token, then by a reranker. A search may rank several times. */
export function openSecondReading(parts: SecondReadingParts) {
  const { index, lateReader, reranking, words, understood, plan, depth, signal } = parts
  const { text } = understood.question
  const isReranked = reranking !== null && plan.arms === "hybrid" && isAsked(reranking, depth)
  const readings = isReranked ? new Readings(reranking, text, signal) : null
  const reading: LateReading = {
    latePages: lateReader.isAble ? plan.latePages : 0,
    words,
    idf: idfAsWritten(understood),
    text,
    languages: understood.spoken,
    scores: new Map(),
    signal,
  }
  return {
    async rank(ranked: readonly Ranked[], cosines: CosinesByPage): Promise<readonly Ranked[]> {
      const read = await readAgain(index, lateReader, ranked, cosines, reading)
      return readings ? await rerank(index, readings, read, cosines, words) : read
    },
    /** Why the reranker said nothing; undefined when it did, or wasn't asked. */
    get failure() {
      return readings?.failure
    },
  }
}

/** A misspelt word counts for nothing here: no page holds it, so it would weigh more than any other, and its pieces mean something else. */
const idfAsWritten =
  ({ corrections, idf }: Understood) =>
  (term: string): number =>
    corrections.has(term) ? 0 : idf(term)

interface LateReading {
  readonly latePages: number
  readonly words: PageWords
  readonly idf: (term: string) => number
  readonly text: string
  readonly languages: readonly string[]
  /** Of passages that were read, by their text: a ranking may be made several times. */
  readonly scores: Map<string, number>
  readonly signal: AbortSignal | undefined
}

/** The first pages of the ranking by late interaction of their best passages, the others behind them. */
async function readAgain(
  index: SearchIndex,
  lateReader: LateReader,
  ranked: readonly Ranked[],
  cosines: CosinesByPage,
  { latePages, words, idf, text, languages, scores, signal }: LateReading,
): Promise<readonly Ranked[]> {
  const first = toReadAgain(ranked, latePages).map(({ id }) => id)
  if (first.length === 0) return ranked
  const texts = await bestTexts(index, first, words, cosines)
  const unread = [...new Set(texts.values())].filter((one) => !scores.has(one))
  if (unread.length > 0) {
    const question = await lateReader.question(text, languages[0] ?? null, idf, signal)
    for (const [i, score] of (await lateReader.read(question, unread, signal)).entries()) {
      scores.set(unread[i]!, score)
    }
  }
  return withLateInteraction(ranked, new Map([...texts].map(([id, one]) => [id, scores.get(one)!])))
}

/** The first pages of the ranking with what a reranker says of their best passages mixed in; the ranking as it was when it says nothing. */
async function rerank(
  index: SearchIndex,
  readings: Readings,
  ranked: readonly Ranked[],
  cosines: CosinesByPage,
  words: PageWords,
): Promise<readonly Ranked[]> {
  const first = toRerank(ranked).map(({ id }) => id)
  if (first.length === 0) return ranked
  const said = await readings.of(await bestTexts(index, first, words, cosines))
  return said ? withReranker(ranked, said) : ranked
}
