import { hasForm, type QuestionType, questionType } from "#engine/answer-extraction/question-type.ts"
import { analyse, analyseQuery } from "#engine/text/analysis/analyse.ts"

import { dice } from "#engine/text/analysis/likeness.ts"

import type { Part, Plan } from "../plan/parts.ts"
import type { OutputLength } from "../request.ts"
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

/** What is said on a part of the task, best first; nothing when no page answers it. */
export interface Answered {
  readonly part: Part
  readonly chosen: readonly Weighed[]
}

/** What each sign that a finding answers is worth. */
const WEIGHTS = { task: 0.35, part: 0.45, section: 0.2, page: 0.18, words: 0.18, form: 0.05 }
/** Below this a finding answers nothing; what says (nearly) all words of its part may be farther in meaning. */
const LEAST_VALUE = { inMeaning: 0.62, inWords: 0.4 }
const NEARLY_ALL = 0.8
/** Findings that begin a part are worth so much of its best, those that go on with them so much. */
const SHARE_OF_BEST = 0.86
const SHARE_OF_RUN = 0.75
/** Sentences that go on with one. */
const LONGEST_RUN = 2
/** How near to the task a finding has to be, beside the nearest; one that names the subject and says (nearly) all words of its part less so. */
const SHARE_OF_TASK = { inMeaning: 0.62, inWords: 0.4 }
/** Where fewer findings name the task's subject, the pages have other words for it, or speak another language. */
const NAMING = 0.1
/** A page beside the best one of a part has to be worth so much of it. */
const OTHER_PAGE = 0.94
/** What is so much nearer to another part belongs there. */
const ELSEWHERE = 0.3
/** Beside nearness, in standard deviations: all of a part's own words. */
const FIT_OF_WORDS = 1.5
/** Each finding of a section makes the next of it worth less: others have to say something, too. */
const SAME_SECTION = 0.015
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
/** Findings that share more of their terms say the same. */
const REPETITION = 0.72

const MOST: Readonly<Record<OutputLength, { ofPart: number; ofWhole: number; pages: number }>> = {
  short: { ofPart: 2, ofWhole: 5, pages: 1 },
  standard: { ofPart: 3, ofWhole: 9, pages: 2 },
  long: { ofPart: 6, ofWhole: 16, pages: 3 },
}

export interface ChooseOptions {
  readonly length: OutputLength
  readonly nearness: Nearness
  readonly signal: AbortSignal
}

/** Chooses the findings that the report is made of, part by part: those near the whole task and the part alike. */
export async function choose(
  plan: Plan,
  evidence: Evidence,
  { length, nearness, signal }: ChooseOptions,
): Promise<Answered[]> {
  const { whole, parts } = plan
  const contexts = evidence.findings.map(contextOf)
  const asked = parts.map(({ asks }) => asks)
  const texts = [whole.text, ...parts.map(({ text }) => text), ...asked, ...contexts]
  const meant = await nearness.know(texts, signal)
  const candidates = evidence.findings.map((finding, at) => {
    const context = contexts[at]!
    const terms = new Set(analyse(finding.text, null))
    const inContext = new Set(analyse(context, null))
    return {
      finding,
      terms,
      inContext,
      section: sectionOf(finding),
      task: meant ? nearness.between(whole.text, context) : coverage(whole.text, inContext),
      near: parts.map(({ text }, p) => {
        if (!meant) return coverage(text, inContext)
        return (nearness.between(text, context) + nearness.between(asked[p]!, context)) / 2
      }),
    }
  })
  const bySection = Map.groupBy(candidates, ({ section }) => section)
  const subjects = parts.map(definedBy)
  const weights = rarity(candidates.map(({ inContext }) => inContext))
  const askedTerms = asked.map((text) => analyseQuery(text, null).terms)
  const types = asked.map(questionType)
  const subject = new Set(analyseQuery(plan.subject.join(" "), null).terms)
  const naming = candidates.filter(({ inContext }) => !subject.isDisjointFrom(inContext)).length
  const sharesSubject = (terms: ReadonlySet<string>) =>
    naming < NAMING * candidates.length || !subject.isDisjointFrom(terms)
  const sideNames = parts.map(({ name }) => (name === null ? [] : analyseQuery(name, null).terms))
  // Some parts are near to everything, for their words: how much nearer than others a finding is tells which it belongs to.
  const fits = parts.map((_, p) => {
    const nearness = standardised(candidates.map(({ near }) => near[p]!))
    return candidates.map(
      ({ terms, inContext }, at) =>
        nearness[at]! + FIT_OF_WORDS * held(askedTerms[p]!, terms, inContext, weights),
    )
  })
  const saysAll = (p: number, terms: ReadonlySet<string>) =>
    !subject.isDisjointFrom(terms) && held(askedTerms[p]!, terms, terms, weights) >= NEARLY_ALL
  const nearest = Math.max(0, ...candidates.map(({ task }) => task))
  const ranked = parts.map((part, p) => {
    const sections = new Map(
      [...bySection].map(([section, some]) => [
        section,
        mean(
          some
            .map(({ task, near }) => (task + near[p]!) / 2)
            .sort((a, b) => b - a)
            .slice(0, 3),
        ),
      ]),
    )
    const own = candidates
      .map((one, at) => ({ ...one, fit: fits.map((fit) => fit[at]!) }))
      .filter(
        ({ fit, task, terms, inContext }) =>
          fit[p]! >= Math.max(...fit) - ELSEWHERE &&
          task >= (saysAll(p, terms) ? SHARE_OF_TASK.inWords : SHARE_OF_TASK.inMeaning) * nearest &&
          sharesSubject(inContext) &&
          // What does not name a side is about another one, or about none.
          sideNames[p]!.every((term) => inContext.has(term)),
      )
      .map(({ finding, terms, inContext, section, task, near }): Weighed => {
        const said = held(askedTerms[p]!, terms, inContext, weights)
        const isDefinition = defines(finding.text, subjects[p]!)
        const scores = evidence.scoresOf(finding)
        const page = (scores.task + scores.best) / 2
        const value =
          WEIGHTS.task * task +
          WEIGHTS.part * near[p]! +
          WEIGHTS.section * sections.get(section)! +
          WEIGHTS.page * page +
          WEIGHTS.words * said +
          WEIGHTS.form * (hasForm(types[p]!, finding.text) ? 1 : 0) +
          WEIGHTS.form * (RULES.test(asked[p]!) && RULES.test(finding.text) ? 1 : 0) +
          (finding.stated?.opens ? OPENING : 0) +
          (isDefinition ? DEFINITION : 0) -
          drawback(finding, types[p]!) -
          (sideNames[p]!.every((term) => terms.has(term)) ? 0 : UNNAMED)
        const names = !subject.isDisjointFrom(terms) || askedTerms[p]!.some((term) => terms.has(term))
        return { finding, terms, value, said, names, defines: isDefinition }
      })
      .sort((a, b) => b.value - a.value)
    return { part, own }
  })
  const most = MOST[length]
  const limitOf = ({ text }: Part) => (text === whole.text ? most.ofWhole : most.ofPart)
  const said: Weighed[] = []
  const answered = ranked.map(({ part, own }) => ({
    part,
    left: own.filter(
      ({ value, said }) =>
        value >= SHARE_OF_RUN * own[0]!.value &&
        value >= (said >= NEARLY_ALL ? LEAST_VALUE.inWords : LEAST_VALUE.inMeaning),
    ),
    top: own[0]?.value ?? 0,
    limit: limitOf(part),
    chosen: [] as Weighed[],
  }))
  const isSaid = (one: Weighed) => said.some((other) => dice(one.terms, other.terms) > REPETITION)
  const take = (one: Weighed, chosen: Weighed[]) => {
    chosen.push(one)
    said.push(one)
  }
  // In turn, so that what two parts could say is said where it is needed more; each turn a run of a page's own sentences.
  for (let row = 0; row < most.ofWhole; row++) {
    for (const { left, top, limit, chosen } of answered) {
      if (undisputed(chosen) >= limit) continue
      const pages = new Set(chosen.map(({ finding }) => finding.sources[0]!))
      const seed = left
        .filter((one) => {
          const page = one.finding.sources[0]!
          // What says all that the part asks is a beginning of its own.
          const isDirect = one.said >= NEARLY_ALL
          const isOfPages =
            pages.has(page) || (pages.size < most.pages && (isDirect || one.value >= OTHER_PAGE * top))
          return isOfPages && one.value >= (isDirect ? SHARE_OF_RUN : SHARE_OF_BEST) * top && !isSaid(one)
        })
        .map((one) => {
          const beside = chosen.filter(({ finding }) => sectionOf(finding) === sectionOf(one.finding)).length
          return { one, value: one.value - SAME_SECTION * beside }
        })
        .reduce<{ one: Weighed; value: number } | null>((a, b) => (a && a.value >= b.value ? a : b), null)
      if (seed === null) continue
      take(seed.one, chosen)
      if (row > 0) continue
      let last = seed.one
      for (let more = 0; more < LONGEST_RUN && undisputed(chosen) < limit; more++) {
        const next = left.find((one) => follows(one.finding, last.finding) && !isSaid(one))
        if (next === undefined || next.value < SHARE_OF_RUN * seed.one.value) break
        take(next, chosen)
        last = next
      }
    }
  }
  return answered.map(({ part, chosen }) => ({ part, chosen }))
}

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

/** What contradicts something has a section of its own. */
const undisputed = (chosen: readonly Weighed[]): number =>
  chosen.filter(({ finding }) => finding.disagrees === null).length

/** Whether a finding stands right behind another in one section. */
const follows = (one: Finding, other: Finding): boolean =>
  one.stated !== undefined &&
  other.stated !== undefined &&
  sectionOf(one) === sectionOf(other) &&
  one.stated.position === other.stated.position + 1

const contextOf = ({ text, stated }: Finding): string =>
  [...(stated?.headings ?? []), ...(stated?.needs ? [stated.needs] : []), text].join("\n")

const sectionOf = ({ sources, stated }: Finding): string =>
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

const coverage = (asked: string, terms: ReadonlySet<string>): number => {
  const wanted = analyseQuery(asked, null).terms
  return wanted.length === 0 ? 0 : wanted.filter((term) => terms.has(term)).length / wanted.length
}

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
