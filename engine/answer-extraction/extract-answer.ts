import { setImmediate } from "node:timers/promises"
import { analyse, analyseQuery } from "../text/analysis/analyse.ts"
import type { Embedder } from "../embedder.ts"
import type { Hit } from "../engine.ts"
import { ModelOutage } from "../model-servers/availability.ts"
import { offLoop, WorkError } from "#base/process/off-loop.ts"
import { hasForm, questionType } from "./question-type.ts"
import { type Statement, type StatedIn, statementsOf } from "./statements.ts"

/** Something a page states, and the hit it stands in. */
export type CitedStatement = Pick<Statement, "text" | "source">

export type ExtractedStatement = CitedStatement & Pick<Statement, "kind">

export interface ExtractOptions {
  /** `short` is one to three statements that answer, `long` up to eight, of several pages where they have something to add. */
  readonly length: "short" | "long"
  /** Judges meaning beside words. Without it words alone decide. */
  readonly embedder?: Pick<Embedder, "embed">
  /** When it aborts, words alone decide. */
  readonly signal?: AbortSignal
}

type Source = StatedIn & Pick<Hit, "score">

interface Candidate {
  readonly statement: Statement
  /** Its own terms. */
  readonly terms: ReadonlySet<string>
  /** Estimate of how well it answers, about 0..1. */
  value: number
}

/**
 * What each sign that a statement answers is worth; they add up to 1 and a tenth, since few statements have the form
 * the question asks for. Tried on the questions of `bench/quality/answer-questions.ts`: `bench/quality/answers.ts` prints what they reach.
 */
const WEIGHTS = { words: 0.35, meaning: 0.5, form: 0.1, place: 0.15 }
/** A term of the question that only stands above or before the statement counts for so much. */
const BESIDE = { close: 0.8, far: 0.5 }
/** Statements of one page that are weighed, those with most of the question's terms: few pages have half as many. */
const WEIGHED_PER_PAGE = 300
/** Statements that are embedded, at some 10 ms of processor time each: the best by words, and of the best passages. */
const EMBEDDED = { byWords: 10, byPlace: 6 }
/** Below this the best statement answers nothing. With words alone the whole is smaller. */
const LEAST_VALUE = { meaning: 0.57, words: 0.36 }
/** Statements that share more of their terms say the same. */
const REPETITION = 0.6

const LENGTHS = {
  short: { statements: 3, perSource: 3, chars: 700, share: 0.72 },
  long: { statements: 8, perSource: 4, chars: 2000, share: 0.5 },
}

/**
 * The statements of the hits' pages that answer a question, in the order in which they read best: page by page, each in
 * its own order. Empty when nothing there answers it. Every text stands word by word in its page.
 */
export async function extractAnswer(
  question: string,
  hits: readonly Source[],
  { length, embedder, signal }: ExtractOptions,
): Promise<ExtractedStatement[]> {
  const candidates = await candidatesOf(question, hits, signal)
  const meant = embedder ? await addMeaning(candidates, question, embedder, signal) : false
  candidates.sort((a, b) => b.value - a.value)
  const least = meant ? LEAST_VALUE.meaning : LEAST_VALUE.words
  if (candidates.length === 0 || candidates[0]!.value < least) return []
  return inReadingOrder(choose(candidates, LENGTHS[length]))
}

/** Every statement of interest, valued by words, form and place, best first. */
async function candidatesOf(
  question: string,
  hits: readonly Source[],
  signal: AbortSignal | undefined,
): Promise<Candidate[]> {
  const found: Found[] = []
  for (const [source, { title, markdown, passages, language }] of hits.entries()) {
    const page = { title, markdown, passages, language }
    // Late, words decide by what can be had at once; a page that cannot be read answers nothing.
    const read = weighable({ chars: markdown.length, signal }, question, page, source).catch(
      (error: unknown) => {
        if (error instanceof WorkError || signal?.aborted) return []
        throw error
      },
    )
    for (const one of await read) found.push(one)
    // A page of many words takes some milliseconds; others have their turn in between.
    await setImmediate()
  }
  const weights = rarity(found)
  const type = questionType(question)
  const bestScore = hits[0]?.score || 1
  return found
    .map(({ statement, asked, own, close, far }): Candidate => {
      let whole = 0
      let held = 0
      for (const term of asked) {
        const weight = weights.get(term)!
        whole += weight
        if (own.has(term)) held += weight
        else if (close.some((terms) => terms.has(term))) held += BESIDE.close * weight
        else if (far.some((terms) => terms.has(term))) held += BESIDE.far * weight
      }
      const place = (hits[statement.source]!.score / bestScore + 1 / (1 + statement.rank)) / 2
      const value =
        WEIGHTS.words * (whole === 0 ? 0 : held / whole) +
        WEIGHTS.form * (isOfForm(type, statement.text, asked) ? 1 : 0) +
        WEIGHTS.place * place -
        drawback(statement)
      return { statement, terms: own, value }
    })
    .sort((a, b) => b.value - a.value)
}

/** A statement with the terms that it and what stands beside it have. */
interface Found {
  readonly statement: Statement
  readonly asked: readonly string[]
  readonly own: ReadonlySet<string>
  /** Those that were asked for, as in `far`. */
  readonly close: readonly ReadonlySet<string>[]
  readonly far: readonly ReadonlySet<string>[]
}

/** What a page states that may answer the question, as values that can be handed from thread to thread. */
export function statedIn(question: string, page: StatedIn, source: number): Found[] {
  const asked = analyseQuery(question, page.language).terms
  const wanted = new Set(asked)
  const termsOf = remembering((text) => new Set(analyse(text, page.language)))
  const wantedOf = remembering((text) => termsOf(text).intersection(wanted))
  const repeats = repeating(question)
  const found: Found[] = []
  for (const statement of statementsOf(page, source, concerning(asked))) {
    if (repeats(statement.text)) continue
    const [close, ...far] = [...statement.headings].reverse()
    const { before } = statement
    found.push({
      // Not the whole paragraph before it, each sentence holding on to the last.
      statement: { ...statement, before: before && { ...before, before: null } },
      asked,
      own: termsOf(statement.text),
      close: [close ?? "", before?.text ?? ""].map(wantedOf),
      far: far.map(wantedOf),
    })
  }
  if (found.length <= WEIGHED_PER_PAGE) return found
  const held = ({ own, close, far }: Found) =>
    [own.intersection(wanted), ...close, ...far].reduce((all, terms) => all.union(terms)).size
  const ranked = found
    .map((one) => ({ one, held: held(one) }))
    .sort((a, b) => a.one.statement.rank - b.one.statement.rank || b.held - a.held)
  return ranked.slice(0, WEIGHED_PER_PAGE).map(({ one }) => one)
}

const weighable = offLoop(import.meta.url, statedIn)

/** The rarer a term is among the statements, the more it says; one that none has weighs most. */
function rarity(found: readonly Found[]): Map<string, number> {
  const having = new Map<string, number>()
  for (const { asked } of found) for (const term of asked) having.set(term, 0)
  for (const { own, close, far } of found) {
    const held = [...close, ...far].reduce((all, terms) => all.union(terms), own)
    for (const term of held) {
      const known = having.get(term)
      if (known !== undefined) having.set(term, known + 1)
    }
  }
  return new Map([...having].map(([term, many]) => [term, Math.log(1 + (found.length + 1) / (many + 1))]))
}

function isOfForm(type: ReturnType<typeof questionType>, text: string, asked: readonly string[]): boolean {
  return type === "definition" ? defines(text, asked) : hasForm(type, text)
}

/** Whether a statement says of the question's subject what it is or does. */
function defines(text: string, asked: readonly string[]): boolean {
  const subject =
    /^(.{1,80}?)\s(?:is|are|was|were|means?|refers? to|stands? for|—|says|specifies|describes)\s/iu.exec(
      text,
    )?.[1]
  if (subject === undefined) return false
  const terms = new Set(analyse(subject, null))
  return asked.some((term) => terms.has(term))
}

function drawback({ dangling, before, kind, text }: Statement): number {
  return (
    (dangling && before === null ? 0.25 : 0) + (kind === "code" ? 0.1 : 0) + (text.length > 400 ? 0.05 : 0)
  )
}

/** Adds the nearness in meaning to the most promising candidates. False when there was no time for it, or no vectors are to be had. */
async function addMeaning(
  candidates: readonly Candidate[],
  question: string,
  embedder: Pick<Embedder, "embed">,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const byWords = candidates.slice(0, EMBEDDED.byWords)
  const byPlace = candidates
    .slice(EMBEDDED.byWords)
    .filter(({ statement }) => Number.isFinite(statement.rank))
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, EMBEDDED.byPlace)
  const near = [...byWords, ...byPlace]
  const texts = near.map(({ statement }) => inContext(statement))
  try {
    // After waiting searches, which are one text each.
    const options = { priority: "index" as const, ...(signal && { signal }) }
    const [asked, ...vectors] = await embedder.embed([question, ...texts], options)
    for (const [i, one] of near.entries())
      one.value += WEIGHTS.meaning * Math.max(0, dot(asked!, vectors[i]!))
    return true
  } catch (error) {
    if (signal?.aborted || error instanceof ModelOutage) return false
    throw error
  }
}

const rankOf = ({ statement }: Candidate): number => statement.source + statement.rank

/** A statement with what it needs to be understood. */
function inContext({ headings, dangling, before, text }: Statement): string {
  return [headings.at(-1) ?? "", ...(dangling && before ? [before.text] : []), text].join("\n")
}

/** The best ones that each say something new, and those without which they make no sense. */
function choose(
  candidates: readonly Candidate[],
  { statements, perSource, chars, share }: (typeof LENGTHS)["short"],
): Statement[] {
  const chosen: Candidate[] = []
  const said = new Map<string, Statement>()
  let used = 0
  for (const candidate of candidates) {
    const { statement, terms, value } = candidate
    if (chosen.length >= statements || value < share * candidates[0]!.value) break
    if (statement.addressesModels) continue
    if (statement.dangling && (statement.before === null || statement.before.dangling)) continue
    const needed = (statement.dangling ? [statement.before!, statement] : [statement]).filter(
      (one) => !said.has(keyOf(one)),
    )
    const length = needed.reduce((sum, { text }) => sum + text.length, 0)
    if (chosen.length > 0 && used + length > chars) continue
    if (chosen.filter((other) => other.statement.source === statement.source).length >= perSource) continue
    if (chosen.some((other) => overlap(terms, other.terms) > REPETITION)) continue
    chosen.push(candidate)
    for (const one of needed) said.set(keyOf(one), one)
    used += length
  }
  return [...said.values()]
}

const keyOf = ({ source, position }: Statement): string => `${source} ${position}`

function inReadingOrder(statements: readonly Statement[]): ExtractedStatement[] {
  const sources = [...new Set(statements.map(({ source }) => source))]
  return sources.flatMap((source) =>
    statements
      .filter((statement) => statement.source === source)
      .sort((a, b) => a.position - b.position)
      .map(({ text, kind }) => ({ text, source, kind })),
  )
}

/** The share of the smaller set that is in the other. */
const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.intersection(b).size / Math.max(1, Math.min(a.size, b.size))

/** Fewer words may well be the name of what an answer speaks of. */
const LEAST_ASKED_WORDS = 4

/** Whether a text repeats the whole question: examples and lists of questions do, and answer nothing. */
function repeating(question: string): (text: string) => boolean {
  const words = wordsOf(question)
  const asked = ` ${words.join(" ")} `
  // Text of fewer characters than the words have cannot hold them.
  const holds = (text: string) =>
    text.length >= asked.length - 2 && ` ${wordsOf(text).join(" ")} `.includes(asked)
  return words.length < LEAST_ASKED_WORDS ? () => false : holds
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** A quick look for the question's terms: they are stems, so a word that holds one may well be meant. */
function concerning(terms: readonly string[]): (text: string) => boolean {
  const stems = terms.map((term) => (term.length > 4 && term.endsWith("i") ? term.slice(0, -1) : term))
  return (text) => {
    const lower = text.toLowerCase()
    return stems.some((stem) => lower.includes(stem))
  }
}

function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    let made = known.get(text)
    if (made === undefined) known.set(text, (made = make(text)))
    return made
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
