import { hasForm, type QuestionType, questionType } from "#engine/answer-extraction/question-type.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

import type { Part, Plan } from "../plan/parts.ts"
import type { Evidence, Finding } from "../sources/evidence.ts"
import type { Nearness } from "../sources/nearness.ts"

/** A finding, and how well it answers its part of the task. */
export interface Weighed {
  readonly finding: Finding
  readonly value: number
  /** How much of the part's own words stands in it, 0..1. */
  readonly said: number
  /** It says what the part asks to be defined, or one of its sides, is. */
  readonly defines: boolean
  /** It names what the task or its part is about itself, not the headings above it alone. */
  readonly names: boolean
  readonly terms: ReadonlySet<string>
}

/** A part of the task, and the findings that belong to it, best first. */
export interface Ranked {
  readonly part: Part
  readonly own: readonly Weighed[]
}

/** What each sign that a finding answers is worth. */
const WEIGHTS = { task: 0.35, part: 0.45, section: 0.2, page: 0.18, words: 0.18, form: 0.05 }
/** A finding that says so much of a part's words says (nearly) all of them. */
export const NEARLY_ALL = 0.8
/** How near to the task a finding has to be, beside the nearest; one that names the subject and says (nearly) all words of its part less so. */
const SHARE_OF_TASK = { inMeaning: 0.62, inWords: 0.4 }
/** Where fewer findings name the task's subject, the pages have other words for it, or speak another language. */
const NAMING = 0.1
/** What is so much nearer to another part belongs there. */
const ELSEWHERE = 0.3
/** Beside nearness, in standard deviations: all of a part's own words. */
const FIT_OF_WORDS = 1.5
/** The first below a heading tells more often what the section is about. */
const OPENING = 0.015
/** What is asked for, or compared, is told what it is first. */
const DEFINITION = 0.08
/** Of a side, what names it in a heading alone. */
const UNNAMED = 0.06
const LONG_CHARS = 400
const SHORT_CHARS = 40
const NARRATING = /(?:^|[\s(])(?:we|our|us|I|let['’]s|wir|nous)(?=[\s,.'’])/
/** A word that only stands in the headings. */
const ABOVE = 0.5
/** What must, should or may be is told in such words. */
const RULES =
  /\b(?:must|should|shall|may not|required?|requires|recommended|have to|has to|allowed|muss|müssen|soll|doit|debe)\b/i
/** How well the findings answer each part of the task: by nearness to the whole of it and to the part alike, and by their words. */
export async function weigh(
  { whole, parts, subject: named }: Plan,
  evidence: Evidence,
  { nearness, signal }: { readonly nearness: Nearness; readonly signal: AbortSignal },
): Promise<Ranked[]> {
  const read = evidence.findings.map(readingOf)
  const texts = [whole, ...parts].map(({ text }) => text)
  const meant = await nearness.know(
    [...texts, ...parts.map(({ asks }) => asks), ...read.map(({ context }) => context)],
    signal,
  )
  const asked = parts.map(askedOf)
  const wholeTerms = termsOf(whole.text)
  const candidates = read.map((one) => ({
    ...one,
    task: meant ? nearness.between(whole.text, one.context) : coverage(wholeTerms, one.inContext),
    near: asked.map(({ part, searched }) => {
      if (!meant) return coverage(searched, one.inContext)
      return (nearness.between(part.text, one.context) + nearness.between(part.asks, one.context)) / 2
    }),
  }))
  const weights = rarity(candidates.map(({ inContext }) => inContext))
  const subject = new Set(termsOf(named.join(" ")))
  const naming = candidates.filter(({ inContext }) => !subject.isDisjointFrom(inContext)).length
  const sharesSubject = (terms: ReadonlySet<string>) =>
    naming < NAMING * candidates.length || !subject.isDisjointFrom(terms)
  const said = asked.map(({ terms: wanted }) =>
    candidates.map(({ terms, inContext }) => held(wanted, terms, inContext, weights)),
  )
  // Some parts are near to everything, for their words: how much nearer than others a finding is tells which it belongs to.
  const fits = parts.map((_, p) => {
    const near = standardised(candidates.map((one) => one.near[p]!))
    return near.map((value, at) => value + FIT_OF_WORDS * said[p]![at]!)
  })
  const fittest = candidates.map((_, at) => Math.max(...fits.map((fit) => fit[at]!)))
  const nearest = Math.max(0, ...candidates.map(({ task }) => task))
  const bySection = Map.groupBy(candidates, ({ section }) => section)
  return asked.map(({ part, terms: wanted, name, type, defined, isOfRules }, p) => {
    const sections = new Map(
      [...bySection].map(([section, some]) => {
        const near = some.map((one) => (one.task + one.near[p]!) / 2).sort((a, b) => b - a)
        return [section, mean(near.slice(0, 3))]
      }),
    )
    const own: Weighed[] = []
    for (const [at, { finding, terms, inContext, section, task, near }] of candidates.entries()) {
      const namesSubject = !subject.isDisjointFrom(terms)
      const saysAll = namesSubject && held(wanted, terms, terms, weights) >= NEARLY_ALL
      const belongs =
        fits[p]![at]! >= fittest[at]! - ELSEWHERE &&
        task >= (saysAll ? SHARE_OF_TASK.inWords : SHARE_OF_TASK.inMeaning) * nearest &&
        sharesSubject(inContext) &&
        // What does not name a side is about another one, or about none.
        name.every((term) => inContext.has(term))
      if (!belongs) continue
      const isDefinition = defines(finding.stated?.bare ?? finding.text, defined)
      const scores = evidence.scoresOf(finding)
      const value =
        WEIGHTS.task * task +
        WEIGHTS.part * near[p]! +
        WEIGHTS.section * sections.get(section)! +
        (WEIGHTS.page * (scores.task + scores.best)) / 2 +
        WEIGHTS.words * said[p]![at]! +
        WEIGHTS.form * (hasForm(type, finding.text) ? 1 : 0) +
        WEIGHTS.form * (isOfRules && RULES.test(finding.text) ? 1 : 0) +
        (finding.stated?.opens ? OPENING : 0) +
        (isDefinition ? DEFINITION : 0) -
        drawback(finding, type) -
        (name.every((term) => terms.has(term)) ? 0 : UNNAMED)
      const names = namesSubject || wanted.some((term) => terms.has(term))
      own.push({ finding, terms, value, said: said[p]![at]!, names, defines: isDefinition })
    }
    return { part, own: own.sort((a, b) => b.value - a.value) }
  })
}

/** A finding as it is compared. */
interface Reading {
  readonly finding: Finding
  /** Its text below what it needs to be understood. */
  readonly context: string
  readonly terms: ReadonlySet<string>
  readonly inContext: ReadonlySet<string>
  readonly section: string
}

/** Each round of a task weighs all findings anew, most of which it knows. */
const readings = new WeakMap<Finding, Reading>()

function readingOf(finding: Finding): Reading {
  const known = readings.get(finding)
  if (known) return known
  const context = contextOf(finding)
  const reading = {
    finding,
    context,
    // What stands in a heading alone counts less.
    terms: new Set(analyse(finding.stated?.bare ?? finding.text, null)),
    inContext: new Set(analyse(context, null)),
    section: sectionOf(finding),
  }
  readings.set(finding, reading)
  return reading
}

/** What a part asks, taken apart. */
const askedOf = (part: Part) => ({
  part,
  terms: termsOf(part.asks),
  searched: termsOf(part.text),
  /** Of a side. */
  name: part.name === null ? [] : termsOf(part.name),
  type: questionType(part.asks),
  defined: definedBy(part),
  isOfRules: RULES.test(part.asks),
})

const termsOf = (text: string): readonly string[] => analyseQuery(text, null).terms

/** The terms whose definition a part asks for: a side of a comparison, "what is …". */
function definedBy({ side, label }: Part): ReadonlySet<string> {
  const asked = side ?? /^what\s+(?:is|are|was|were)\s+(.+)$/i.exec(label)?.[1] ?? ""
  return new Set(analyseQuery(asked, null).terms)
}

function defines(text: string, terms: ReadonlySet<string>): boolean {
  const subject =
    /^(.{1,60}?)\s(?:is|are|was|were|means?|refers? to|stands? for|provides?|implements?|allows?)\s/iu.exec(
      text,
    )?.[1]
  return subject !== undefined && analyse(subject, null).some((term) => terms.has(term))
}

const contextOf = ({ text, stated }: Finding): string => {
  // A heading that the text begins with is read once.
  const above = stated?.headings.filter((heading) => !text.startsWith(heading.replace(NUMBER, ""))) ?? []
  return [...above, ...(stated?.needs ? [stated.needs] : []), text].join("\n")
}
/** Of a chapter. */
const NUMBER = /^\d+(?:\.\d+)*\.?\s+/

export const sectionOf = ({ sources, stated }: Finding): string =>
  `${sources[0]} ${(stated?.headings ?? []).join("\n")}`

/** The rarer a term is among the findings, the more it says: the subject is in all of them. */
function rarity(contexts: readonly ReadonlySet<string>[]): (term: string) => number {
  const having = new Map<string, number>()
  for (const terms of contexts) for (const term of terms) having.set(term, (having.get(term) ?? 0) + 1)
  return (term) => Math.log(1 + (contexts.length + 1) / ((having.get(term) ?? 0) + 1))
}

/** How much of what is asked stands in a finding, 0..1; what only stands above it counts half. */
function held(
  asked: readonly string[],
  own: ReadonlySet<string>,
  inContext: ReadonlySet<string>,
  weightOf: (term: string) => number,
): number {
  const whole = asked.reduce((sum, term) => sum + weightOf(term), 0)
  const part = asked.reduce(
    (sum, term) => sum + weightOf(term) * (own.has(term) ? 1 : inContext.has(term) ? ABOVE : 0),
    0,
  )
  return whole === 0 ? 0 : part / whole
}

/** The part of the terms that a text has, 0..1. */
const coverage = (asked: readonly string[], terms: ReadonlySet<string>): number =>
  asked.length === 0 ? 0 : asked.filter((term) => terms.has(term)).length / asked.length

/** What tells against a finding. */
function drawback({ text, stated }: Finding, type: QuestionType): number {
  const { kind, needs } = stated ?? {}
  return (
    (kind === "row" ? 0.08 : 0) +
    (needs ? 0.04 : 0) +
    (text.length > LONG_CHARS ? 0.03 : 0) +
    (text.length < SHORT_CHARS ? 0.05 : 0) +
    // A guide leads its reader along; a report does not.
    (NARRATING.test(text) ? 0.07 : 0) +
    (text.includes("\n") && type !== "method" ? 0.06 : 0)
  )
}

/** Values as their distance from the mean, in standard deviations. */
function standardised(values: readonly number[]): number[] {
  const middle = mean(values)
  const spread = Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) || 1
  return values.map((value) => (value - middle) / spread)
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
