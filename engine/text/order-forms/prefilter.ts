/**
 * Finds which of many patterns a text might match, from the letters that each match must contain. Patterns are analysed
 * as in RE2's FilteredRE2 (https://github.com/google/re2/blob/main/re2/prefilter.h); texts are searched by their pairs
 * and triples of letters (Cox, "Regular Expression Matching with a Trigram Index", 2012).
 */

import { type AST, RegExpParser } from "@eslint-community/regexpp"

/** Lower-case strings, at least one of which is in every match. */
type Clause = readonly string[]

interface Needs {
  /** Every string that the part can match; null when there are too many to list. */
  readonly exact: readonly string[] | null
  /** Clauses that every match satisfies. */
  readonly clauses: readonly Clause[]
}

/** Maximum number of strings listed for one part of a pattern; looking up more would cost more than trying the pattern. */
const MOST_STRINGS = 16
const LEAST_LETTERS = 2
const ANYTHING: Needs = { exact: null, clauses: [] }
const NOTHING: Needs = { exact: [""], clauses: [] }

/**
 * Chooses among patterns for texts whose white space consists of single blanks.
 *
 * @returns the patterns that may match a text; the others certainly don't.
 * @throws SyntaxError when a pattern is invalid with the flag `u`.
 */
export function prefilter(patterns: readonly RegExp[]): (text: string) => RegExp[] {
  const grams = new Grams()
  const needs = patterns.map((pattern) => ({
    pattern,
    clauses: clausesOf(pattern).map((strings) => grams.clause(strings)),
  }))
  return (text) => {
    const reading = grams.read(text.toLowerCase())
    return needs
      .filter(({ clauses }) => clauses.every((clause) => clause.reading === reading))
      .map(({ pattern }) => pattern)
  }
}

/** Strings that every match of a pattern contains: at least one of each clause. */
export function clausesOf({ source }: RegExp): readonly Clause[] {
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true })
  const { exact, clauses } = anyOf(alternatives)
  return withClause(clauses, exact)
}

function anyOf(alternatives: readonly AST.Alternative[]): Needs {
  const all = alternatives.map(({ elements }) => inTurn(elements))
  if (all.length === 1) return all[0]!
  const exact = all.every((one) => one.exact !== null) ? [...new Set(all.flatMap((one) => one.exact!))] : null
  if (exact !== null && exact.length <= MOST_STRINGS) return { exact, clauses: [] }
  const chosen = all.map((one) => rarest(withClause(one.clauses, one.exact)))
  return chosen.includes(undefined)
    ? ANYTHING
    : { exact: null, clauses: [[...new Set(chosen.flatMap((clause) => clause!))]] }
}

/** Parts that follow each other are joined for as long as all their strings can be listed. */
function inTurn(elements: readonly AST.Element[]): Needs {
  let run: readonly string[] = [""]
  let clauses: readonly Clause[] = []
  let isWhole = true
  for (const element of elements) {
    const needs = needsOf(element)
    clauses = [...clauses, ...needs.clauses]
    const { exact } = needs
    if (exact !== null && run.length * exact.length <= MOST_STRINGS) {
      run = run.flatMap((start) => exact.map((end) => start + end))
      continue
    }
    isWhole = false
    clauses = withClause(clauses, run)
    run = exact ?? [""]
  }
  return isWhole ? { exact: [...new Set(run)], clauses } : { exact: null, clauses: withClause(clauses, run) }
}

function needsOf(element: AST.Element): Needs {
  switch (element.type) {
    case "Assertion":
      return NOTHING
    case "Character":
      return { exact: [letter(element.value)], clauses: [] }
    case "CharacterSet":
      return element.kind === "space" && !element.negate ? { exact: [" "], clauses: [] } : ANYTHING
    case "CharacterClass":
      return oneOfClass(element)
    case "Group":
    case "CapturingGroup":
      return anyOf(element.alternatives)
    case "Quantifier":
      return repeated(element)
    default:
      return ANYTHING
  }
}

function oneOfClass({ negate, elements }: AST.CharacterClass): Needs {
  const letters = elements.map((part) => (part.type === "Character" ? letter(part.value) : null))
  return negate || letters.includes(null)
    ? ANYTHING
    : { exact: [...new Set(letters as string[])], clauses: [] }
}

function repeated({ min, max, element }: AST.Quantifier): Needs {
  const once = needsOf(element)
  const isBlank = element.type === "CharacterSet" && once.exact !== null
  const exact = max === 1 || isBlank ? once.exact : null
  if (min > 0) return { exact, clauses: exact === null ? withClause(once.clauses, once.exact) : once.clauses }
  return { exact: exact && [...new Set(["", ...exact])], clauses: [] }
}

const letter = (codePoint: number): string => String.fromCodePoint(codePoint).toLowerCase()

const shortest = (clause: Clause): number => Math.min(...clause.map((literal) => literal.length))

/** Adds the strings as one more clause, unless one of them is too short to look up. */
const withClause = (clauses: readonly Clause[], strings: Clause | null): readonly Clause[] =>
  strings !== null && strings.length > 0 && shortest(strings) >= LEAST_LETTERS
    ? [...clauses, strings]
    : clauses

const rarest = (clauses: readonly Clause[]): Clause | undefined =>
  clauses.toSorted((a, b) => shortest(b) - shortest(a) || a.length - b.length)[0]

/** The number of the last text that satisfied a clause; 0 before any did. */
interface Satisfied {
  reading: number
}

interface Literal {
  /** Slots of the string's triples of letters, or of its only pair. */
  readonly slots: readonly number[]
  readonly clauses: Satisfied[]
}

const SLOT_BITS = 16
const slotOf = (gram: number): number => Math.imul(gram, 0x9e_37_79_b1) >>> (32 - SLOT_BITS)
const pairSlot = (a: number, b: number): number => slotOf((a << 8) ^ b)
const tripleSlot = (a: number, b: number, c: number): number =>
  slotOf((a << 16) ^ (b << 8) ^ c ^ 0x5a_00_00_00)

/** A Bloom filter of the pairs and triples of letters in a text, reused for each text: it can report strings that aren't there, but never misses one. */
class Grams {
  /** For each slot, the number of the last text that contained its pair or triple. */
  readonly #slots = new Uint32Array(1 << SLOT_BITS)
  readonly #literals = new Map<string, Literal>()
  readonly #byFirstSlot: (Literal[] | undefined)[] = Array.from({ length: 1 << SLOT_BITS })
  #reading = 0

  clause(strings: Clause): Satisfied {
    const clause = { reading: 0 }
    for (const text of strings) this.#literal(text).clauses.push(clause)
    return clause
  }

  #literal(text: string): Literal {
    const known = this.#literals.get(text)
    if (known) return known
    const at = (index: number) => text.charCodeAt(index)
    const slots =
      text.length === LEAST_LETTERS
        ? [pairSlot(at(0), at(1))]
        : Array.from({ length: text.length - 2 }, (_, i) => tripleSlot(at(i), at(i + 1), at(i + 2)))
    const literal = { slots, clauses: [] }
    this.#literals.set(text, literal)
    ;(this.#byFirstSlot[slots[0]!] ??= []).push(literal)
    return literal
  }

  /** Marks each clause for which the text may contain a string. @returns the number used as the mark */
  read(text: string): number {
    // The count starts over after four billion texts.
    if ((this.#reading += 1) > 0xff_ff_ff_ff) {
      this.#reading = 1
      this.#slots.fill(0)
    }
    const [seen, byFirstSlot, reading] = [this.#slots, this.#byFirstSlot, this.#reading]
    const begun: Literal[][] = []
    const see = (slot: number) => {
      if (seen[slot] === reading) return
      seen[slot] = reading
      const literals = byFirstSlot[slot]
      if (literals !== undefined) begun.push(literals)
    }
    let [a, b] = [0, 0]
    for (let index = 0; index < text.length; index++) {
      const c = text.charCodeAt(index)
      see(pairSlot(b, c))
      see(tripleSlot(a, b, c))
      a = b
      b = c
    }
    for (const { slots, clauses } of begun.flat())
      if (slots.every((slot) => seen[slot] === reading))
        for (const clause of clauses) clause.reading = reading
    return reading
  }
}
