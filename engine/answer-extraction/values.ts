import { leaveOut } from "#base/flow/degraded.ts"
import { analyse } from "../text/analysis/analyse.ts"
import { cosineOf, type Embedder } from "../embedder.ts"
import { ModelOutage } from "../models/servers/availability.ts"
import { chanceOf, type Candidate, isHeld, type Source } from "./candidates.ts"
import { hasForm, questionType } from "./question-type.ts"
import type { Recency } from "./recency.ts"
import { placeOf } from "./statements/statements.ts"

/** What a statement is to be about, and what else is compared with it: a name that has both is neither's. */
export interface Subject {
  readonly terms: readonly string[]
  readonly others: readonly string[]
}

/** What is asked of the candidates: a question, or one side of a comparison. */
export interface Asked {
  readonly text: string
  /** Which of the candidate's terms count; null for all that were asked for. */
  readonly terms: ReadonlySet<string> | null
  /** Those that name what it is about: best said of what has them first. Left out: nothing is known of it. */
  readonly subject?: Subject
  /** Nothing is asked of the subject but what it is. */
  readonly asksWhatItIs?: boolean
}

/** A candidate and what speaks for it, each about 0..1. */
export interface Valued extends Candidate {
  /** Of the question's terms, by their rarity, those that it has, and in part those that stand above or before it. */
  readonly words: number
  /** Nearness in meaning to the question; null when it was not embedded. */
  meaning: number | null
  /** All of it; the larger the better. */
  value: number
}

/**
 * What each sign that a statement answers is worth beside its nearness in meaning, which counts 1. Tried on the half for tuning
 * of `bench/questions/judged`; `bench/quality/answers.ts` prints what they reach.
 */
const WEIGHTS = {
  words: 0.45,
  /** The terms of the sentences around it, and the nearest of them: what answers often stands beside what was asked for. */
  wordsAround: 0.25,
  meaningAround: 0.4,
  page: 0.25,
  passage: 0.08,
  form: 0.12,
  /** Where nothing answers without the form: a number, a date, what something is. */
  strictForm: 0.3,
  /** A rule or a limit, where a question is to be answered with yes or no. */
  ruling: 0.4,
  recency: 0.5,
  /** It begins with what it is asked about; where nothing else is asked, it is to say what that is. */
  subject: 0.2,
  definedSubject: 0.35,
}
/** Where a subject stands in a sentence that begins with it. */
const SUBJECT_CHARS = 50
/** A term of the question that only stands above or before the statement counts for so much. */
const BESIDE = { close: 0.8, far: 0.5 }
/** Statements so far apart stand around each other. */
const AROUND = 2
/**
 * Statements that are embedded, at some 4 ms of processor time a text: the best by words, and of the best passages. Of the half
 * for tuning, 24 found as much as 66, 16 an answer less.
 */
export const EMBEDDED = { byWords: 14, byPlace: 10 }
/** Says what is to be read where. */
const ABOUT_ITSELF =
  /^(?:this|the (?:following|next|previous)|in this) (?:page|document|guide|manual|chapter|article|book|section|tutorial|appendix)s?\b/i
const RULING =
  /\b(?:not|never|no|cannot|only|must|neither|nor|without|unless|\w+n['’]t|impossib\w+|necessar\w+|required?|allowed|permitted|always|automatic\w+|same)\b/i

/** A subject, and what is said of it. */
const DEFINES =
  /^(.{1,80}?),?\s(?:(?:which )?(?:is|are|was|were|means?|refers? to|stands? for)|—|says|specifies|describes)\s/iu
const STRICT = new Set<ReturnType<typeof questionType>>(["amount", "time", "definition"])

/** Values the candidates by all but their meaning, best first. */
export function valuedByWords(
  candidates: readonly Candidate[],
  asked: Asked,
  hits: readonly Source[],
  recency: Recency | null,
): Valued[] {
  const weights = rarity(candidates)
  const type = questionType(asked.text)
  const bestScore = Math.max(...hits.map(chanceOf)) || 1
  const counted = (one: Candidate) =>
    asked.terms === null ? one.asked : one.asked.filter((term) => asked.terms!.has(term))
  const shareOf = (one: Candidate, held: (term: string) => number) => {
    let whole = 0
    let sum = 0
    for (const term of counted(one)) {
      const weight = weights.get(term)!
      whole += weight
      sum += weight * held(term)
    }
    return whole === 0 ? 0 : sum / whole
  }
  const around = neighbours(candidates)
  return candidates
    .map((one): Valued => {
      const { statement, own, close, far } = one
      const words = shareOf(one, (term) => {
        if (own.has(term)) return 1
        if (close.some((terms) => terms.has(term))) return BESIDE.close
        return far.some((terms) => terms.has(term)) ? BESIDE.far : 0
      })
      const near = around(one)
      const wordsAround = shareOf(one, (term) =>
        own.has(term) || close[0]!.has(term) || near.some((other) => other.own.has(term)) ? 1 : 0,
      )
      const value =
        WEIGHTS.words * words +
        WEIGHTS.wordsAround * wordsAround +
        WEIGHTS.page * (chanceOf(hits[statement.source]!) / bestScore) +
        WEIGHTS.passage * (1 / (1 + statement.rank)) +
        (STRICT.has(type) ? WEIGHTS.strictForm : WEIGHTS.form) * (isOfForm(type, one, counted(one)) ? 1 : 0) +
        WEIGHTS.ruling * (type === "yes-or-no" && RULING.test(statement.text) ? 1 : 0) +
        WEIGHTS.recency * (recency?.(statement) ?? 0) +
        (asked.subject
          ? (asked.asksWhatItIs ? WEIGHTS.definedSubject : WEIGHTS.subject) * aboutSubject(one, asked.subject)
          : 0) -
        drawback(one)
      return { ...one, asked: counted(one), words, meaning: null, value }
    })
    .sort((a, b) => b.value - a.value)
}

/** Those that stand beside a candidate under the same heading. */
export function neighbours<One extends Candidate>(candidates: readonly One[]): (one: Candidate) => One[] {
  const at = new Map(candidates.map((one) => [placeOf(one.statement), one]))
  return (one) => {
    const found: One[] = []
    for (let step = -AROUND; step <= AROUND; step++) {
      const other = step === 0 ? undefined : at.get(placeOf(one.statement, step))
      if (other && other.statement.headings.at(-1) === one.statement.headings.at(-1)) found.push(other)
    }
    return found
  }
}

/** The rarer a term is among the statements, the more it says; one that none has weighs most. */
function rarity(found: readonly Candidate[]): Map<string, number> {
  const having = new Map<string, number>()
  for (const { asked } of found) for (const term of asked) having.set(term, 0)
  for (const one of found) {
    for (const [term, many] of having) if (isHeld(one, term)) having.set(term, many + 1)
  }
  return new Map([...having].map(([term, many]) => [term, Math.log(1 + (found.length + 1) / (many + 1))]))
}

function isOfForm(
  type: ReturnType<typeof questionType>,
  { statement: { text, leads } }: Candidate,
  asked: readonly string[],
): boolean {
  if (type !== "definition") return hasForm(type, text)
  return leads.some((lead) => holdsTerm(lead, asked)) || defines(text, asked)
}

/** Whether a statement says of the question's subject what it is or does. */
function defines(text: string, asked: readonly string[]): boolean {
  const subject = DEFINES.exec(text)?.[1]
  return subject !== undefined && holdsTerm(subject, asked)
}

function holdsTerm(text: string, asked: readonly string[]): boolean {
  const terms = new Set(analyse(text, null))
  return asked.some((term) => terms.has(term))
}

/** 1 when a statement begins with a subject, 2 when it says what that is or stands under its name, 3 when it is the first to do so. */
export function aboutSubject(
  { statement: { leads, text, headings, opens } }: Candidate,
  subject: Subject,
): number {
  const holds = (part: string) => {
    const terms = new Set(analyse(part, null))
    return subject.terms.every((term) => terms.has(term)) && !subject.others.some((term) => terms.has(term))
  }
  const names = [...leads, ...headings.slice(1).slice(-1)]
  if (names.some((name) => name.length <= SUBJECT_CHARS && holds(name))) return opens ? 3 : 2
  const [, before] = DEFINES.exec(text) ?? []
  if (before !== undefined && holds(before)) return 2
  return holds(text.slice(0, SUBJECT_CHARS)) ? 1 : 0
}

function drawback({ statement: { dangling, before, opens, kind, text } }: Candidate): number {
  return (
    (dangling && before === null && !opens ? 0.5 : 0) +
    (kind === "code" || kind === "row" ? 0.1 : 0) +
    (text.startsWith("(") ? 0.3 : 0) +
    (ABOUT_ITSELF.test(text) ? 1 : 0) +
    (text.length > 400 ? 0.05 : 0)
  )
}

/** The most promising of candidates that are sorted by words: those whose meaning is worth knowing. */
export function promising(candidates: readonly Valued[], most = EMBEDDED): Valued[] {
  const byWords = candidates.slice(0, most.byWords)
  const byPlace = candidates
    .slice(most.byWords)
    .filter(({ statement }) => Number.isFinite(statement.rank))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, most.byPlace)
  return [...byWords, ...byPlace]
}

const rankOf = ({ statement }: Valued): number => statement.source + statement.rank

/**
 * Adds the nearness in meaning. Left are the candidates that have one, best first; null when there was no time for it, or no
 * vectors are to be had.
 *
 * @param asked one question, and the candidates to be valued by it
 */
export async function withMeaning(
  asked: readonly { readonly text: string; readonly candidates: readonly Valued[] }[],
  embedder: Pick<Embedder, "embed">,
  signal: AbortSignal | undefined,
): Promise<Valued[][] | null> {
  const texts = new Map<string, number>()
  const place = (text: string) => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, texts.size)
    return texts.size - 1
  }
  const wanted = asked.map(({ text, candidates }) => ({
    question: place(text),
    candidates: candidates.map((one) => ({ one, places: readings(one).map(place) })),
  }))
  try {
    // After waiting searches, which are one text each.
    const options = { priority: "index" as const, ...(signal && { signal }) }
    const vectors = await embedder.embed([...texts.keys()], options)
    return wanted.map(({ question, candidates }) => {
      for (const { one, places } of candidates) {
        const near = places.map((at) => Math.max(0, cosineOf(vectors[question]!, vectors[at]!)))
        one.meaning = near.reduce((sum, each) => sum + each, 0) / near.length
      }
      const read = candidates.map(({ one }) => one)
      const around = neighbours(read)
      const nearest = read.map((one) => Math.max(0, ...around(one).map(({ meaning }) => meaning!)))
      for (const [i, one] of read.entries()) one.value += one.meaning! + WEIGHTS.meaningAround * nearest[i]!
      return read.sort((a, b) => b.value - a.value)
    })
  } catch (error) {
    if (!signal?.aborted && !(error instanceof ModelOutage)) throw error
    leaveOut("answer_meaning")
    return null
  }
}

/** A statement by itself, and with what it needs to be understood. */
function readings({ statement: { headings, leads, dangling, before, text } }: Valued): string[] {
  const alone = [...leads, text].join("\n")
  const led = [headings.at(-1) ?? "", ...leads, ...(dangling && before ? [before.text] : []), text]
  return [alone, led.join("\n")]
}
