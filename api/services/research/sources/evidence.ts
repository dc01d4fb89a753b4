import type { DegradedPart } from "#base/flow/degraded.ts"
import { holdsModelOrder } from "#engine/text/model-orders.ts"
import { diceOf } from "#engine/text/analysis/likeness.ts"
import { analyseQuery } from "#engine/text/analysis/analyse.ts"

/** A page or a file that findings stand in. */
export interface Source {
  /** Its address; of a file `file:` and its name. */
  readonly url: string
  readonly title: string
  readonly favicon: string | null
  readonly author: string | null
  /** Milliseconds since the epoch. */
  readonly published: number | null
  readonly fetched: number | null
  /** Whether what was read of it gives orders to language models; tasks of older versions do not say. */
  readonly addressesModels?: boolean
}

/** A statement that stands word by word in its source. */
export interface Finding {
  readonly text: string
  /** Places among the sources; the first is where the text stands, others say the same in their own words. */
  readonly sources: number[]
  /** Place among the questions: the one that brought it. */
  readonly question: number
  /** Place of a finding that says otherwise; null when none does. */
  disagrees: number | null
  /** Where it stands in its page; findings of a model, and those of tasks of older versions, do not say. */
  readonly stated?: Stated
}

/** Where in a page a finding stands. */
export interface Stated {
  /** The headings above it, outermost first; the page's title is the first. */
  readonly headings: readonly string[]
  /** Its place among the page's statements. */
  readonly position: number
  /** The statement before it, without which it makes no sense; null when it stands by itself. */
  readonly needs: string | null
  readonly kind: "prose" | "item" | "row" | "code"
  /** It is the first below its heading. */
  readonly opens: boolean
  /** The page's score beside the best one's, in the best search that found it: 0..1. */
  readonly score: number
  /** The text without the heading that is printed before it; left out where there is none. */
  readonly bare?: string
}

/** A question that was looked into. */
export interface Question {
  /** What was searched for. */
  readonly text: string
  /** How the report calls it. */
  readonly label: string
  /** The text of the question whose answer this one looks for, too; left out of one that is a part of the report. */
  readonly follows?: string
}

/** What is kept of a task in progress, so that a restart goes on with it. */
export interface EvidenceRecord {
  readonly questions: readonly Question[]
  readonly sources: readonly Source[]
  readonly findings: readonly Finding[]
  readonly searches: number
  /** Left out while it is 0. */
  readonly unread?: number
  /** What the task was worked on without before a restart; left out where there is nothing. */
  readonly degraded?: readonly DegradedPart[]
  /** What {@link Evidence.met} was told; tasks of older versions do not say. */
  readonly scores?: Readonly<Record<string, PageScores>>
}

/** A page's score beside the best one's, 0..1. */
export interface PageScores {
  /** In the search for the whole task; 0 when that did not find it. */
  readonly task: number
  /** In the search that found it best. */
  readonly best: number
}

/** Two statements that share more of their terms speak of the same: they say it twice, or contradict each other. */
const SAME = 0.75
const NEGATION =
  /\b(?:not|no|never|cannot|can't|doesn't|don't|isn't|aren't|won't|without|nicht|kein\w*|ne|pas|sans)\b/i

/** What a task has found: statements, where each stands, which say the same, which contradict each other. */
export class Evidence {
  readonly questions: Question[]
  readonly sources: Source[]
  readonly findings: Finding[]
  searches: number
  /** Pages found that there was no memory to read. */
  unread: number
  readonly #scores: Map<string, PageScores>
  /** How many terms each finding has, and which findings have a term: each new one is compared with all of thousands. */
  readonly #sizes: number[] = []
  readonly #having = new Map<string, number[]>()

  constructor(record: EvidenceRecord = { questions: [], sources: [], findings: [], searches: 0 }) {
    this.questions = [...record.questions]
    this.sources = [...record.sources]
    this.findings = record.findings.map((finding) => ({ ...finding, sources: [...finding.sources] }))
    this.searches = record.searches
    this.unread = record.unread ?? 0
    this.#scores = new Map(Object.entries(record.scores ?? {}))
    for (const { text } of this.findings) this.#remember(termsOf(text))
  }

  toRecord(): EvidenceRecord {
    const { questions, sources, findings, searches, unread } = this
    const scores = Object.fromEntries(this.#scores)
    return { questions, sources, findings, searches, ...(unread > 0 && { unread }), scores }
  }

  /** Remembers how well a search found a page; the first question's is the search for the whole task. */
  met(question: number, url: string, score: number): void {
    const { task, best } = this.#scores.get(url) ?? { task: 0, best: 0 }
    this.#scores.set(url, { task: question === 0 ? score : task, best: Math.max(best, score) })
  }

  /** How well the searches found the page that a finding stands in. */
  scoresOf({ sources }: Pick<Finding, "sources">): PageScores {
    return this.#scores.get(this.sources[sources[0]!]!.url) ?? { task: 0, best: 0 }
  }

  #worth(url: string): number {
    const { task, best } = this.#scores.get(url) ?? { task: 0, best: 0 }
    return task + best
  }

  #worthOf({ sources }: Finding): number {
    return this.#worth(this.sources[sources[0]!]!.url)
  }

  /** @returns the place of the source, which is one for each address. */
  source(source: Source): number {
    const place = this.sources.findIndex(({ url }) => url === source.url)
    if (place < 0) return this.sources.push(source) - 1
    // Each question reads other passages of the page.
    if (source.addressesModels === true)
      this.sources[place] = { ...this.sources[place]!, addressesModels: true }
    return place
  }

  /**
   * Takes a statement in, unless it is known; of one that says the same the source is remembered. What gives orders to
   * language models is left out.
   */
  add(question: number, text: string, source: Source, stated?: Stated): void {
    if (holdsModelOrder(text)) return
    const terms = termsOf(text)
    let opposite: number | null = null
    for (const place of this.#alike(terms)) {
      const other = this.findings[place]!
      const sameSource = this.sources[other.sources[0]!]!.url === source.url
      if (contradict(text, other.text)) {
        if (!sameSource && opposite === null) opposite = place
      } else {
        // Who leaves the numbers out bears them out no more than who gives others.
        const bears = sameNumbers(text, other.text)
        // One text of several pages is cited from the page that was found best.
        if (text === other.text && stated && !sameSource && this.#worth(source.url) > this.#worthOf(other)) {
          const own = this.source(source)
          const others = other.sources.filter((known) => known !== own)
          this.findings[place] = { ...other, sources: [own, ...others], stated }
          return
        }
        if (bears && !other.sources.some((known) => this.sources[known]!.url === source.url)) {
          other.sources.push(this.source(source))
        }
        return
      }
    }
    const place = this.findings.length
    this.findings.push({
      text,
      sources: [this.source(source)],
      question,
      disagrees: opposite,
      ...(stated && { stated }),
    })
    if (opposite !== null && this.findings[opposite]!.disagrees === null) {
      this.findings[opposite]!.disagrees = place
    }
    this.#remember(terms)
  }

  /** The terms that any finding holds. */
  terms(): ReadonlySet<string> {
    return new Set(this.#having.keys())
  }

  /** Takes the terms of the finding that comes next. */
  #remember(terms: ReadonlySet<string>): void {
    const place = this.#sizes.push(terms.size) - 1
    for (const term of terms) {
      const places = this.#having.get(term)
      if (places) places.push(place)
      else this.#having.set(term, [place])
    }
  }

  /** Places of the findings that speak of the same, in their order. */
  #alike(terms: ReadonlySet<string>): number[] {
    const shared = new Uint16Array(this.#sizes.length)
    for (const term of terms) for (const place of this.#having.get(term) ?? []) shared[place]!++
    return [...shared.keys()].filter(
      (place) => diceOf(shared[place]!, terms.size, this.#sizes[place]!) >= SAME,
    )
  }
}

/** What a statement speaks of: its telling terms without numbers, in which contradicting ones differ. */
const termsOf = (text: string): Set<string> =>
  new Set(analyseQuery(text, null).terms.filter((term) => !/^\d/.test(term)))

/** Whether statements on the same matter differ in what they count, or one denies what the other says. */
function contradict(one: string, other: string): boolean {
  const [a, b] = [numbersIn(one), numbersIn(other)]
  const differ = a.size > 0 && b.size > 0 && a.intersection(b).size === 0
  return differ || NEGATION.test(one) !== NEGATION.test(other)
}

const sameNumbers = (one: string, other: string): boolean =>
  numbersIn(one).symmetricDifference(numbersIn(other)).size === 0

const numbersIn = (text: string): Set<string> => new Set(text.match(/\d+(?:[.,]\d+)*/g))
