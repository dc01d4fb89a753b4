import { overlap } from "../text/analysis/likeness.ts"
import type { Candidate } from "./candidates.ts"
import type { Statement } from "./statements/statements.ts"
import type { Valued } from "./values.ts"

export interface Room {
  readonly statements: number
  readonly perSource: number
  readonly chars: number
  /** Of the best value, what a statement of the same page, and of another one, has to have. */
  readonly share: number
  readonly shareElsewhere: number
}

/** Statements that share more of their terms say the same. */
const REPETITION = 0.6

/** The best ones that each say something new, with those without which they make no sense right before them. */
export function choose(candidates: readonly Valued[], room: Room, taken: readonly Valued[] = []): Valued[] {
  const [best] = candidates
  const chosen: Valued[] = []
  let used = 0
  for (const candidate of candidates) {
    const { statement, own, value } = candidate
    if (chosen.length >= room.statements || value < room.share * best!.value) break
    if (statement.source !== best!.statement.source && value < room.shareElsewhere * best!.value) continue
    if (statement.addressesModels || neededBy(statement) === null) continue
    const length = statement.text.length
    if (chosen.length > 0 && used + length > room.chars) continue
    const all = [...taken, ...chosen]
    if (chosen.filter((other) => other.statement.source === statement.source).length >= room.perSource)
      continue
    if (all.some((other) => overlap(own, other.own) > REPETITION || holds(other.statement, statement)))
      continue
    chosen.push(candidate)
    used += length
  }
  return chosen
}

/**
 * The chosen ones, each with the sentence right behind it that goes on with it: "It restricts …" behind "The bit is only useful in
 * directories." As many as fit in the characters.
 */
export function withElaborations(
  chosen: readonly Valued[],
  candidates: readonly Candidate[],
  chars: number,
): Valued[] {
  const at = new Map(candidates.map((one) => [placeOf(one.statement), one]))
  const all = [...chosen]
  let used = chosen.reduce((sum, { statement }) => sum + statement.text.length, 0)
  for (const { statement } of chosen) {
    const next = at.get(placeOf({ ...statement, position: statement.position + 1 }))
    if (next === undefined || all.some((one) => one.statement === next.statement)) continue
    const { dangling, before, addressesModels, text } = next.statement
    const goesOn = dangling && before !== null && before.position === statement.position
    if (!goesOn || addressesModels || used + text.length > chars) continue
    all.push({ ...next, words: 0, meaning: null, value: 0 })
    used += text.length
  }
  return all
}

const placeOf = ({ source, position }: Pick<Statement, "source" | "position">): string =>
  `${source} ${position}`

/** Longest row of sentences that hold on to each other. */
const MAX_CHAIN = 2

/** The statements before it that a statement needs, in the page's order; null when they are not to be had. */
export function neededBy(statement: Statement): Statement[] | null {
  const needed: Statement[] = []
  let first = statement
  while (first.dangling && first.before !== null && needed.length < MAX_CHAIN) {
    first = first.before
    needed.unshift(first)
  }
  // What opens a section or a term's text speaks of that.
  return !first.dangling ||
    first.opens ||
    (needed.length === 0 && first.before === null && first.headings.length > 1)
    ? needed
    : null
}

/** Whether a statement says the other with what it announces, or the other way round. */
const holds = (a: Statement, b: Statement): boolean =>
  a.source === b.source && (a.text.includes(b.text) || b.text.includes(a.text))
