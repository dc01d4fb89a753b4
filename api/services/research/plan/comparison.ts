import { subjectWords, tellingWords, wordsNotIn } from "./words.ts"

/** The things that a clause compares, and its other subjects. */
export interface Comparison {
  readonly sides: readonly string[]
  /** The other distinctive words. */
  readonly about: readonly string[]
}

const END = String.raw`(?=[.?!;:]|,\s+(?:say|tell|explain)\b|\s+(?:for|in|on|when|with (?:respect|regard)|regarding|by|as|at|from|compare|differ)\b|$)`
const LIST = String.raw`(.{2,160}?)`
/** Forms of comparisons; the first group is the list of the things compared. */
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:compare|contrast|comparison (?:of|between)|vergleiche)\s+${LIST}${END}`, "i"),
  new RegExp(
    String.raw`\b(?:differences?|differs?|differ|choose|choice|decide|unterschied(?:e)?)\b[^.?!;:]{0,40}?\s(?:between|zwischen)\s+${LIST}${END}`,
    "i",
  ),
  new RegExp(String.raw`\bhow\s+(?:do|does)\s+${LIST}\s+(?:compare|differ)\b`, "i"),
]
const VERSUS = /^(.{2,80}?)\s+(?:versus|vs\.?|gegenüber)\s+(.{2,80}?)(?=[.?!,;:]|\s+(?:for|in|on|when)\b|$)/i
const BETWEEN_SIDES =
  /,\s*(?:and|or|with|und|oder)?\s*|\s+(?:and|or|with|to|from|versus|vs\.?|und|oder|mit)\s+/i
const MAX_SIDES = 5
const MAX_SIDE_WORDS = 8

/** The sides of "compare a, b and c", "differ between a and b", "a versus b"; null when a clause compares nothing. */
export function comparisonIn(clause: string): Comparison | null {
  const versus = VERSUS.exec(clause)
  const list = FORMS.map((form) => form.exec(clause)?.[1]).find((found) => found !== undefined)
  return compared(versus ? [versus[1]!, versus[2]!] : (list ?? "").split(BETWEEN_SIDES), clause)
}

/** Matches questions about each side. "For each message" asks about messages, not about sides. */
const ASKED_OF_EACH =
  /\b(?:differ\w*|both|which one|compare\w*|(?:does|do|is|are|has|have|can|of|with|to|by|from|under) each|each (?:of|one|is|does|has|can|side))\b|\beach(?:[?.,;]|$)/i

/** "A and B: how do they differ, and what does each cost?", with the text after the colon. */
export function comparedBeforeColon(sentence: string): (Comparison & { readonly rest: string }) | null {
  const [, head = "", rest = ""] = /^([^:]{3,160}):\s+(.+)$/s.exec(sentence) ?? []
  const isAskedOfEach = ASKED_OF_EACH.test(rest)
  if (!isAskedOfEach || comparisonIn(rest) !== null) return null
  const versus = VERSUS.exec(head)
  const found = compared(versus ? [versus[1]!, versus[2]!] : head.split(BETWEEN_SIDES), head)
  return found && { ...found, rest }
}

function compared(named: readonly string[], clause: string): Comparison | null {
  const given = named.map((side) => side.trim()).filter((side) => side !== "")
  const { bare, noun } = sharedWords(given)
  const names = bare.map((side) => side.replace(/^(?:the|a|an|both)\s+/i, ""))
  const sides = names.map((side) => `${side}${noun}`)
  if (sides.length < 2 || sides.length > MAX_SIDES) return null
  // A side may be a word that tasks use as well, as in "hold, keep and purge".
  if (sides.some((side) => side.split(/\s+/).length > MAX_SIDE_WORDS || tellingWords(side).length === 0))
    return null
  return { sides, about: wordsNotIn([...given, ...sides].join(" "), subjectWords(clause)) }
}

/**
 * "Acme's red, green and blue pumps": words that appear once belong to all sides: the owner's name at the start and the
 * noun at the end.
 */
function sharedWords(sides: readonly string[]): { bare: string[]; noun: string } {
  const owner = /^(\S+['’]s)\s+(?=\S)/.exec(sides[0] ?? "")?.[0] ?? ""
  const bare = sides.map((side) => (side.startsWith(owner) ? side.slice(owner.length) : side))
  const [first = "", ...rest] = bare.at(-1)?.split(/\s+/) ?? []
  const isShared = rest.length > 0 && bare.length > 1 && bare.slice(0, -1).every((side) => !/\s/.test(side))
  if (!isShared) return { bare, noun: "" }
  // Removes a plural s after an abbreviation: each of several MPMs is an MPM.
  const noun = rest.join(" ").replace(/(?<=\p{Lu}{2})s$/u, "")
  return { bare: [...bare.slice(0, -1), first], noun: ` ${noun}` }
}
