import { overlap } from "../text/analysis/likeness.ts"
import type { Candidate } from "./candidates.ts"
import { hasForm, type QuestionType } from "./question-type.ts"
import { placeOf, type Statement } from "./statements/statements.ts"
import type { Valued } from "./values.ts"

export interface Room {
  readonly statements: number
  readonly perSource: number
  readonly chars: number
  /** By the best value, what a statement of the same page, and of another one, has to have. */
  readonly least: (best: number) => number
  readonly leastElsewhere: (best: number) => number
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
    if (chosen.length >= room.statements || value < room.least(best!.value)) break
    if (statement.source !== best!.statement.source && value < room.leastElsewhere(best!.value)) continue
    if (!isSayable(statement)) continue
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

/** What is said under a term and says what it is, is printed up to so many characters: "lzma: Use lzma compression. Low speed, high compression." */
const MAX_ENTRY_CHARS = 350

/**
 * The chosen ones, each with the sentence right behind it that goes on with it: "It restricts …" behind "The bit is only useful in
 * directories." Of what is said under a term what has the form that the answer has ("Default is 600."), when the chosen one has it not; of sides
 * that are compared all, where that is short. As many as fit in the characters.
 */
export function withElaborations(
  chosen: readonly Valued[],
  candidates: readonly Candidate[],
  {
    chars,
    type,
    compares,
  }: { readonly chars: number; readonly type: QuestionType; readonly compares: boolean },
): Valued[] {
  const at = new Map(candidates.map((one) => [placeOf(one.statement), one]))
  const entries = Map.groupBy(candidates, ({ statement }) => entryOf(statement))
  const all = [...chosen]
  let used = chosen.reduce((sum, { statement }) => sum + statement.text.length, 0)
  const add = (one: Candidate) => {
    const { statement } = one
    if (statement.addressesModels || all.some((other) => other.statement === statement)) return
    if (used + statement.text.length > chars) return
    all.push({ ...one, words: 0, meaning: null, value: 0 })
    used += statement.text.length
  }
  for (const { statement } of chosen) {
    const entry = statement.term === null ? [] : (entries.get(entryOf(statement)) ?? [])
    const length = entry.reduce((sum, one) => sum + one.statement.text.length, 0)
    if (compares && length <= MAX_ENTRY_CHARS) for (const one of entry) add(one)
    else if (TOLD_BY_FORM.has(type) && !hasForm(type, statement.text)) {
      const having = entry.find((one) => hasForm(type, one.statement.text))
      if (having) add(having)
    }
    const next = at.get(placeOf(statement, 1))
    const { dangling = false, before = null } = next?.statement ?? {}
    if (next !== undefined && dangling && before?.position === statement.position) add(next)
  }
  return all
}

/** Questions that nothing answers without its form. */
const TOLD_BY_FORM = new Set<QuestionType>(["amount", "time"])

const entryOf = ({ source, entry }: Pick<Statement, "source" | "entry">): string => `${source} ${entry}`

/** Whether anybody is to be told a statement: it gives no orders to models, and what it needs is there. */
export const isSayable = (statement: Statement): boolean =>
  !statement.addressesModels && neededBy(statement) !== null

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
