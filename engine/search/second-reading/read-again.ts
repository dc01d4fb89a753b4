import { leaveOut } from "#base/flow/degraded.ts"
import { waitedHere } from "#base/flow/caller.ts"
import type { TokenVectors } from "../../embedder.ts"
import type { SearchDepth } from "../../engine.ts"
import type { SearchIndex } from "../../index/search-index.ts"
import { analyse } from "../../text/analysis/analyse.ts"
import { embeddingText } from "../../text/passages.ts"
import type { PageWords } from "../page-words.ts"
import type { SearchPlan } from "../ranking/depths.ts"
import { type Ranked, toRerank, withReranker } from "../ranking/fusion.ts"
import { toReadAgain, toReadNext, withLateInteraction } from "../ranking/late-order.ts"
import type { Understood } from "../stages/understand.ts"
import type { LateReader, ReadText } from "./late-reader.ts"
import { bestPassages, type CosinesByPage, type TitledPassage } from "./passage-texts.ts"
import { readingMs } from "./reading-time.ts"
import { relevantPart } from "./relevant-part.ts"
import { isAsked, Readings, type Reranking } from "./reranking.ts"

export interface SecondReadingParts {
  readonly index: SearchIndex
  readonly lateReader: LateReader
  /** `null` to use no reranker. */
  readonly reranking: Reranking | null
  readonly words: PageWords
  readonly understood: Understood
  readonly plan: Pick<SearchPlan, "latePages"> & { readonly arms: string }
  readonly depth: SearchDepth
  /** Number of results wanted. */
  readonly limit: number
  /** The question's token vectors, if they have already been created. */
  readonly tokens: TokenVectors | undefined
  readonly signal: AbortSignal | undefined
}

/** Reads the first pages again against the question: token by token, then with a reranker. A search may rank several times. */
export function openSecondReading(parts: SecondReadingParts) {
  const { index, lateReader, reranking, words, understood, plan, depth, limit, tokens, signal } = parts
  const { text } = understood.question
  const isReranked = reranking !== null && plan.arms === "hybrid" && isAsked(reranking, depth)
  const readings = isReranked ? new Readings(reranking, text, signal) : null
  const latePages = lateReader.isAble ? plan.latePages : 0
  const late = latePages > 0 ? lateReading(lateReader, understood, tokens) : null
  const came = performance.now() - waitedHere()
  return {
    async rank(ranked: readonly Ranked[], cosines: CosinesByPage): Promise<readonly Ranked[]> {
      const read = late
        ? await readAgain(ranked, passagesOf, { ...late, latePages, limit, came, signal })
        : ranked
      return readings ? await rerank(readings, read, passagesOf) : read

      function passagesOf(pages: readonly Ranked[]): Promise<ReadonlyMap<string, TitledPassage>> {
        const ids = pages.map(({ id }) => id)
        return bestPassages(index, ids, words, cosines)
      }
    },
    /** Why the reranker gave no scores; undefined if it gave some, or wasn't asked. */
    get failure() {
      return readings?.failure
    },
  }
}

interface LateReading {
  readonly read: ReadText
  /** The part of a passage that is read. */
  readonly textOf: (passage: TitledPassage) => string
}

function lateReading(
  lateReader: LateReader,
  { question, spoken, corrections, idf }: Understood,
  tokens: TokenVectors | undefined,
): LateReading {
  const { text } = question
  const language = spoken[0] ?? null
  // A misspelt word counts for nothing here: no page contains it, so it would weigh more than any other, and its pieces
  // mean something else.
  const idfAsWritten = (term: string): number => (corrections.has(term) ? 0 : idf(term))
  const weights = new Map(analyse(text, language).map((term) => [term, idfAsWritten(term)]))
  return {
    read: lateReader.against({ text, language, idf: idfAsWritten, tokens }),
    textOf: ({ title, passage }) =>
      embeddingText(title, { ...passage, text: relevantPart(passage.text, language, weights) }),
  }
}

type PassagesOf = (pages: readonly Ranked[]) => Promise<ReadonlyMap<string, TitledPassage>>

interface Wanted extends LateReading {
  readonly latePages: number
  readonly limit: number
  /** When the question arrived, on the clock of `performance.now()`. */
  readonly came: number
  readonly signal: AbortSignal | undefined
}

/**
 * Applies late interaction to the best passages of the first pages until the order of the results is settled or time
 * runs out; running out of time is reported in the answer.
 */
async function readAgain(
  ranked: readonly Ranked[],
  passagesOf: PassagesOf,
  { read, textOf, latePages, limit, came, signal }: Wanted,
): Promise<readonly Ranked[]> {
  const late = new Map<string, number>()
  const first = toReadAgain(ranked, latePages, limit)
  if (toReadNext(ranked, first, late, limit).length === 0) return ranked
  const passages = await passagesOf(first)
  const readable = first.filter(({ id }) => passages.has(id))
  const left = readingMs(performance.now() - came)
  const time = left > 0 ? AbortSignal.timeout(Math.ceil(left)) : AbortSignal.abort()
  const until = signal ? AbortSignal.any([signal, time]) : time
  for (;;) {
    const next = toReadNext(ranked, readable, late, limit)
    if (next.length === 0) break
    if (time.aborted) {
      leaveOut("order")
      break
    }
    const results = await Promise.allSettled(
      next.map(async (id) => late.set(id, await read(textOf(passages.get(id)!), until))),
    )
    signal?.throwIfAborted()
    const failed = results.find((result) => result.status === "rejected")
    if (failed && failed.reason !== time.reason) throw failed.reason
  }
  return withLateInteraction(ranked, late)
}

/** Mixes a reranker's scores for the best passages of the first pages into the ranking; returns it unchanged if there are no scores. */
async function rerank(
  readings: Readings,
  ranked: readonly Ranked[],
  passagesOf: PassagesOf,
): Promise<readonly Ranked[]> {
  const first = toRerank(ranked)
  if (first.length === 0) return ranked
  const passages = await passagesOf(first)
  const texts = new Map(
    Array.from(passages, ([id, { title, passage }]) => [id, embeddingText(title, passage)]),
  )
  const said = await readings.of(texts)
  return said ? withReranker(ranked, said) : ranked
}
