import { dice } from "#engine/text/analysis/likeness.ts"

import type { Part, Plan } from "../plan/parts.ts"
import type { OutputLength } from "../request.ts"
import type { Evidence, Finding } from "../sources/evidence.ts"
import type { Nearness } from "../sources/nearness.ts"
import { FINDINGS } from "./report-length.ts"
import { NEARLY_ALL, sectionOf, weigh, type Weighed } from "./weigh-findings.ts"

/** What is said on a part of the task, best first; nothing when no page answers it. */
export interface Answered {
  readonly part: Part
  readonly chosen: readonly Weighed[]
}

/** Below this a finding answers nothing; what says (nearly) all words of its part may be farther in meaning. */
const LEAST_VALUE = { inMeaning: 0.62, inWords: 0.4 }
/** Findings that begin a part are worth so much of its best, those that go on with them so much. */
const SHARE_OF_BEST = 0.86
const SHARE_OF_RUN = 0.75
/** Sentences that go on with one. */
const LONGEST_RUN = 2
/** A page beside the best one of a part has to be worth so much of it. */
const OTHER_PAGE = 0.94
/** Each finding of a section makes the next of it worth less: others have to say something, too. */
const SAME_SECTION = 0.015
/** Findings that share more of their terms say the same. */
const REPETITION = 0.72

export interface ChooseOptions {
  readonly length: OutputLength
  readonly nearness: Nearness
  readonly signal: AbortSignal
}

/** Chooses the findings that the report is made of, part by part. */
export async function choose(
  plan: Plan,
  evidence: Evidence,
  { length, ...parts }: ChooseOptions,
): Promise<Answered[]> {
  const ranked = await weigh(plan, evidence, parts)
  const most = FINDINGS[length]
  const limitOf = ({ text }: Part) => (text === plan.whole.text ? most.ofWhole : most.ofPart)
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

/** What contradicts something has a section of its own. */
const undisputed = (chosen: readonly Weighed[]): number =>
  chosen.filter(({ finding }) => finding.disagrees === null).length

/** Whether a finding stands right behind another in one section. */
const follows = (one: Finding, other: Finding): boolean =>
  one.stated !== undefined &&
  other.stated !== undefined &&
  sectionOf(one) === sectionOf(other) &&
  one.stated.position === other.stated.position + 1
