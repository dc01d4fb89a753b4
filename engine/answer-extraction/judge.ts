import { leaveOut } from "#base/flow/degraded.ts"
import { cosineOf, type Embedder } from "../embedder.ts"
import { ModelOutage } from "../models/servers/availability.ts"
import type { Reranker } from "../reranker.ts"
import { mayBeIn } from "../text/analysis/stop-words.ts"
import { isWrittenIn } from "../text/scripts.ts"
import { chanceOf, type Source, type WeighedUnit } from "./found-units.ts"
import type { Unit } from "./units/answer-units.ts"

/** Reads a question together with units as {@link readingOf} writes them: `models/unit-reader-en`. */
export type UnitReader = Pick<Reranker, "scores">

/** What says how well units answer: a model that reads both, nearness in meaning, or nothing but words. */
export type Judge = "reader" | "meaning" | "words"

export interface JudgedUnit extends WeighedUnit {
  /** The reader's logit; the nearness in meaning, 0..1; or 0. */
  readonly said: number
}

export interface Judgement {
  readonly by: Judge
  readonly units: readonly JudgedUnit[]
}

/** What units are worth looking at, beside the share of the question's words that they have: the page, beside the best one, and the place of their passage. */
const PROMISE = { page: 0.6, passage: 0.4 }
/** Units that are read at once: what came is used when time is up. */
const BATCH = 8
/** Of the pages that the reader was trained on. */
const LANGUAGE = { code: "en", scripts: ["Latin"] }

/** The most promising of the units, best first. @param favour what one has beside its promise */
export function promising<One extends WeighedUnit>(
  units: readonly One[],
  hits: readonly Source[],
  most: number,
  favour: (one: One) => number = () => 0,
): One[] {
  const best = Math.max(...hits.map(chanceOf)) || 1
  const promise = (one: One) =>
    one.words +
    (PROMISE.page * chanceOf(hits[one.unit.source]!)) / best +
    PROMISE.passage / (1 + one.unit.rank)
  return units
    .map((one) => ({ one, promise: promise(one) + favour(one) }))
    .sort((a, b) => b.promise - a.promise)
    .slice(0, most)
    .map(({ one }) => one)
}

/**
 * Judges units, the most promising first, by the best judge that can be had: the reader for English, as many units as there is time for, else
 * the meaning, else the words alone. What is lost for want of time is said to {@link leaveOut}.
 */
export async function judged(
  question: string,
  units: readonly WeighedUnit[],
  {
    hits,
    embedder,
    reader,
    signal,
  }: {
    readonly hits: readonly Pick<Source, "language">[]
    readonly embedder: Pick<Embedder, "embed"> | undefined
    readonly reader: UnitReader | null
    readonly signal: AbortSignal | undefined
  },
): Promise<Judgement> {
  const isForeign = units.some(({ unit }) => hits[unit.source]!.language !== LANGUAGE.code)
  const isEnglish = !isForeign && isWrittenIn(LANGUAGE.scripts, question) && mayBeIn(LANGUAGE.code, question)
  if (reader && isEnglish) {
    const said = await read(question, units, reader, signal)
    if (said.length > 0) return judgement("reader", units, said)
  }
  const said = embedder ? await nearness(question, units, embedder, signal) : null
  return judgement(said ? "meaning" : "words", units, said ?? units.map(() => 0))
}

const judgement = (by: Judge, units: readonly WeighedUnit[], said: readonly number[]): Judgement => ({
  by,
  units: said.map((one, at) => ({ ...units[at]!, said: one })),
})

/** The logits of the first units, batch by batch: fewer than units when time is up, or the reader fails. */
async function read(
  question: string,
  units: readonly WeighedUnit[],
  reader: UnitReader,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const logits: number[] = []
  try {
    while (logits.length < units.length) {
      const batch = units.slice(logits.length, logits.length + BATCH)
      const scores = await reader.scores(
        question,
        batch.map(({ unit }) => readingOf(unit)),
        signal,
      )
      logits.push(...scores.map(logitOf))
    }
  } catch (error) {
    if (!signal?.aborted && !(error instanceof ModelOutage)) throw error
    leaveOut("answer_reranker")
  }
  return logits
}

async function nearness(
  question: string,
  units: readonly WeighedUnit[],
  embedder: Pick<Embedder, "embed">,
  signal: AbortSignal | undefined,
): Promise<number[] | null> {
  try {
    // After waiting searches, which are one text each.
    const options = { priority: "index" as const, ...(signal && { signal }) }
    const [asked, ...vectors] = await embedder.embed(
      [question, ...units.map(({ unit }) => readingOf(unit))],
      options,
    )
    return vectors.map((vector) => Math.max(0, cosineOf(asked!, vector)))
  } catch (error) {
    if (!signal?.aborted && !(error instanceof ModelOutage)) throw error
    leaveOut("answer_meaning")
    return null
  }
}

/** What a model reads of a unit: the page's title, its heading, its text without the marks of code and tables. */
function readingOf({ headings, lead, text }: Unit): string {
  const above = [...new Set([headings[0] ?? "", headings.at(-1) ?? ""])].join(" > ")
  return `${above} : ${lead ?? ""} ${plainOf(text)}`.replaceAll(/\s+/g, " ")
}

/** Without fences and the rules of tables. */
export const plainOf = (text: string): string => text.replaceAll(/^(?:`{3,}\S*|\|[-|]+\|)$/gm, "")

/** The inverse of the sigmoid; scores of exactly 0 or 1 are those of a logit beyond what a double tells from them. */
function logitOf(score: number): number {
  const inside = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, score))
  return Math.log(inside / (1 - inside))
}
