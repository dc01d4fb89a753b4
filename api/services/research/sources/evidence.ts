import type { DegradedPart } from "#base/flow/degraded.ts"
import type { AnsweringUnit } from "#engine/answer-extraction/extract-answer.ts"
import { splitSentences } from "#engine/answer-extraction/statements/sentences.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"
import { dice } from "#engine/text/analysis/likeness.ts"

/** A page or file that findings come from. */
export interface Source {
  /** Address of the page; for a file, `file:` and its name. */
  readonly url: string
  readonly title: string
  readonly favicon: string | null
  readonly author: string | null
  /** Milliseconds since the epoch. */
  readonly published: number | null
  readonly fetched: number | null
  /** Whether the text that was read contains instructions to language models. */
  readonly addressesModels?: boolean
  /** The pages that a report cites, in the order of the document; left out if unknown. */
  readonly pages?: readonly CitedPage[]
}

/** A page of a document, or a slide, that a report cites. */
export interface CitedPage {
  readonly kind: "page" | "slide"
  /** The same as in `Passage`. */
  readonly page: string
  /** Fragment of the address that opens the page; left out if there is none, as for slides. */
  readonly anchor?: string
}

/** A piece of text in a report, and the sources that contain it. */
export interface ReportText {
  readonly text: string
  /** Texts of the page that the report prints before this text. */
  readonly leads?: readonly string[]
  /** Indexes into the sources: the first source has this text, the others say the same thing in their own words. */
  readonly sources: readonly number[]
  /** For each source, by its index, the page of the document that the text is on; left out if unknown. */
  readonly pages?: Readonly<Record<number, CitedPage>>
}

/** A unit of a page that answers one or more questions. */
export interface Finding extends ReportText, Pick<AnsweringUnit, "kind" | "headings"> {
  readonly sources: number[]
  pages?: Record<number, CitedPage>
  /** For each question, by its index, how certain it is that the unit answers it, as a logit. */
  readonly values: Record<number, number>
  /** Index of a contradicting finding, or `null`. */
  disagrees: number | null
}

/** A finding, and how certain it is that the finding answers one of its questions. */
export interface Answering {
  readonly finding: Finding
  readonly value: number
}

/** A question that was investigated. */
export interface Question {
  /** The search query. */
  readonly text: string
  /** The question's name in the report. */
  readonly label: string
  /** The text of the earlier question that this one follows up; left out for a question that is a part of the report. */
  readonly follows?: string
  /** How rare its words are, so that follow-up questions can drop some of them; left out for follow-up questions. */
  readonly rarities?: readonly (readonly [string, number])[]
}

/** A page that a search found, with its score from 0 to 1. */
interface NearPage extends Pick<Source, "url" | "title"> {
  readonly score: number
}

/** The stored part of a task in progress, so that the task can resume after a restart. */
export interface EvidenceRecord {
  readonly format: typeof FORMAT
  readonly questions: readonly Question[]
  readonly sources: readonly Source[]
  readonly findings: readonly Finding[]
  /** The best pages of all searches, whether or not they answer a question. */
  readonly nearest: readonly NearPage[]
  /** Words of the task that occur on none of the pages found. */
  readonly unseen: readonly string[]
  readonly searches: number
  /** Number of pages found but not read; left out if it is 0. */
  readonly unread?: number
  /** The parts that the task had to do without before a restart; left out if there were none. */
  readonly degraded?: readonly DegradedPart[]
}

/** Format of the stored record; a task whose record has a different format starts over. */
const FORMAT = 2
/** Two texts that share more than this portion of their terms are about the same thing: they repeat or contradict each other. */
const SAME = 0.75
const NEAREST = 3
const NEGATION =
  /\b(?:not|no|never|cannot|can't|doesn't|don't|isn't|aren't|won't|without|nicht|kein\w*|ne|pas|sans)\b/i

/** A task's findings: units, the questions that each one answers, its sources, and which units contradict each other. */
export class Evidence {
  readonly questions: Question[]
  readonly sources: Source[]
  readonly findings: Finding[]
  nearest: readonly NearPage[]
  unseen: readonly string[]
  searches: number
  /** Number of pages found that were not read for lack of memory. */
  unread: number
  /** The terms each finding is about. */
  readonly #terms: ReadonlySet<string>[]

  /**
   * @param record the findings of an earlier run; with null or an older format, the task starts over
   * @param words the words that name the task's subject
   */
  constructor(record: EvidenceRecord | null, words: readonly string[]) {
    const kept = record?.format === FORMAT ? record : null
    this.questions = [...(kept?.questions ?? [])]
    this.sources = [...(kept?.sources ?? [])]
    this.findings = structuredClone([...(kept?.findings ?? [])])
    this.nearest = kept?.nearest ?? []
    this.unseen = kept?.unseen ?? words
    this.searches = kept?.searches ?? 0
    this.unread = kept?.unread ?? 0
    this.#terms = this.findings.map(({ text }) => termsOf(text))
  }

  toRecord(): EvidenceRecord {
    const { questions, sources, findings, nearest, unseen, searches, unread } = this
    return {
      format: FORMAT,
      questions,
      sources,
      findings,
      nearest,
      unseen,
      searches,
      ...(unread > 0 && { unread }),
    }
  }

  /**
   * Remembers what a search found, for a report that has to say where it looked.
   * @param terms terms that the pages contain
   */
  lookedAt(pages: readonly (NearPage & Source)[], terms: ReadonlySet<string>): void {
    this.unseen = this.unseen.filter((word) => !analyse(word, null).some((term) => terms.has(term)))
    const known = [...this.nearest, ...pages.filter(({ addressesModels }) => addressesModels !== true)]
    const worst = known
      .map(({ url, title, score }) => ({ url, title, score }))
      .sort((a, b) => a.score - b.score)
    this.nearest = [...new Map(worst.map((page) => [page.url, page])).values()]
      .sort((a, b) => b.score - a.score)
      .slice(0, NEAREST)
  }

  /** @returns the index of the source; each address has only one source */
  source(source: Source): number {
    const place = this.sources.findIndex(({ url }) => url === source.url)
    if (place < 0) return this.sources.push(source) - 1
    // Each question reads different passages of the page.
    if (source.addressesModels === true)
      this.sources[place] = { ...this.sources[place]!, addressesModels: true }
    return place
  }

  /** Adds a unit that answers a question; if it says the same thing as a known one, only its source is added. */
  add(question: number, unit: AnsweringUnit, source: Source, page: CitedPage | null = null): void {
    const { text, leads, kind, headings, value } = unit
    const terms = termsOf(text)
    let opposite: number | null = null
    for (const [place, other] of this.findings.entries()) {
      const isAlike = text === other.text || saysTheSame(unit, other, terms, this.#terms[place]!)
      if (isAlike) {
        other.values[question] = Math.max(value, other.values[question] ?? -Infinity)
        const own = this.source(source)
        if (!other.sources.includes(own)) other.sources.push(own)
        if (page !== null) other.pages = { [own]: page, ...other.pages }
        return
      }
      const isElsewhere = this.sources[other.sources[0]!]!.url !== source.url
      if (isElsewhere && question in other.values && contradict(unit, other)) opposite ??= place
    }
    const own = this.source(source)
    const pages = page !== null && { pages: { [own]: page } }
    const found = { text, ...(leads && { leads }), kind, headings, sources: [own], ...pages }
    const place = this.findings.push({ ...found, values: { [question]: value }, disagrees: opposite }) - 1
    if (opposite !== null) this.findings[opposite]!.disagrees ??= place
    this.#terms.push(terms)
  }

  /** The findings that answer a question, the most certain first. */
  answersTo(question: Question): Answering[] {
    const place = this.questions.findIndex(({ text }) => text === question.text)
    return this.findings
      .flatMap((finding) => {
        const value = finding.values[place]
        return value === undefined ? [] : [{ finding, value }]
      })
      .sort((a, b) => b.value - a.value)
  }
}

type Said = Pick<Finding, "text" | "kind">

/** The topic of a text: its distinctive terms without numbers. Contradicting texts differ in the numbers. */
export const termsOf = (text: string): Set<string> =>
  new Set(analyseQuery(text, null).terms.filter((term) => !/^\d/.test(term)))

/**
 * Whether two texts say the same thing with the same numbers. A text without the numbers does not confirm them, and
 * neither does one with other numbers.
 */
function saysTheSame(
  one: Said,
  other: Said,
  terms: ReadonlySet<string>,
  others: ReadonlySet<string>,
): boolean {
  return (
    one.kind === other.kind &&
    dice(terms, others) >= SAME &&
    numbersIn(one.text).symmetricDifference(numbersIn(other.text)).size === 0 &&
    denies(one.text) === denies(other.text)
  )
}

/**
 * Whether two paragraphs have sentences on the same subject that state different numbers, or one of which denies the
 * other.
 */
function contradict(one: Said, other: Said): boolean {
  if (one.kind !== "prose" || other.kind !== "prose") return false
  const others = sentencesOf(other.text)
  return sentencesOf(one.text).some((sentence) =>
    others.some((said) => {
      if (dice(sentence.terms, said.terms) < SAME) return false
      const [a, b] = [sentence.numbers, said.numbers]
      return (a.size > 0 && b.size > 0 && a.isDisjointFrom(b)) || denies(sentence.text) !== denies(said.text)
    }),
  )
}

const sentencesOf = (text: string) =>
  splitSentences(text, null).map((sentence) => ({
    text: sentence,
    terms: termsOf(sentence),
    numbers: numbersIn(sentence),
  }))

const denies = (text: string): boolean => NEGATION.test(text)

export const numbersIn = (text: string): Set<string> => new Set(text.match(/\d+(?:[.,]\d+)*/g))
