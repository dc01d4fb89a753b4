import { leaveOut } from "#base/flow/degraded.ts"
import { cosineOf, type Embedder } from "../embedder.ts"
import { ModelOutage } from "../models/servers/availability.ts"
import type { Reranker } from "../reranker.ts"
import { mayBeIn } from "../text/analysis/stop-words.ts"
import { isWrittenIn } from "../text/scripts.ts"
import { chanceOf, type Source, type WeighedUnit } from "./found-units.ts"
import type { Unit } from "./units/answer-units.ts"

/** Reads a question together with units as written by {@link readingOf}: `models/unit-reader-en`. */
export type UnitReader = Pick<Reranker, "scores">

/** How units are scored: by a model that reads them with the question, by similarity in meaning, or by words alone. */
export type Judge = "reader" | "meaning" | "words"

export interface JudgedUnit extends WeighedUnit {
  /** The reader's logit, the similarity in meaning (0..1), or 0. */
  readonly said: number
}

export interface Judgement {
  readonly by: Judge
  readonly units: readonly JudgedUnit[]
}

/** The weights of the page's relative probability and of the passage's rank, relative to the unit's share of the question's words. */
const PROMISE = { page: 0.6, passage: 0.4 }
/** Number of units read at a time; when time is up, the batches read so far are used. */
const BATCH = 8
/** The language of the pages used to train the reader. */
const LANGUAGE = { code: "en", scripts: ["Latin"] }

/** The most promising units, best first. @param favour the bonus added to a unit's promise */
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
 * Judges units, the most promising first, by the best available judge: for English, the reader, for as many units as
 * time allows; otherwise by meaning; otherwise by words alone. Units for which there was no time are reported to {@link
 * leaveOut}.
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

/**
 * The logits of the units in order; fewer if time is up or the reader fails. All batches are submitted at once, so that
 * answers are completed one caller after another and the reader knows how much is waiting.
 */
async function read(
  question: string,
  units: readonly WeighedUnit[],
  reader: UnitReader,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const texts = units.map(({ unit }) => readingOf(unit))
  const batches: Promise<number[]>[] = []
  for (let at = 0; at < texts.length; at += BATCH)
    batches.push(reader.scores(question, texts.slice(at, at + BATCH), signal))
  const logits: number[] = []
  for (const batch of await Promise.allSettled(batches)) {
    if (batch.status === "fulfilled") {
      logits.push(...batch.value.map(logitOf))
      continue
    }
    if (!signal?.aborted && !(batch.reason instanceof ModelOutage)) throw batch.reason
    leaveOut("answer_reranker")
    break
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
    // Searches, which have one text each, go first.
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

/** The text of a unit for a model: the page's title, the unit's heading, and its text without the markup of code and tables. */
function readingOf({ headings, lead, text }: Unit): string {
  const above = [...new Set([headings[0] ?? "", headings.at(-1) ?? ""])].join(" > ")
  return `${above} : ${lead ?? ""} ${plainOf(text)}`.replaceAll(/\s+/g, " ")
}

/** Removes code fences and the rules below table headers. */
export const plainOf = (text: string): string => text.replaceAll(/^(?:`{3,}\S*|\|[-|]+\|)$/gm, "")

/** The inverse of the sigmoid. Scores of exactly 0 or 1 come from logits too large for a double, and are mapped to the largest logit that a double can represent. */
function logitOf(score: number): number {
  const inside = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, score))
  return Math.log(inside / (1 - inside))
}
