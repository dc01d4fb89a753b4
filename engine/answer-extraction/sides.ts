import { askingIn } from "./asking-sentences.ts"

/** The things that a question compares, and what it asks about each. */
export interface Comparison {
  /** Two to four things, as written. */
  readonly sides: readonly string[]
  /** The question about each side, in the order of the sides. */
  readonly questions: readonly string[]
  /** Whether the question asks only what distinguishes the sides. */
  readonly asksWhatTheyAre: boolean
}

const MOST_SIDES = 4
const MOST_WORDS = 6
const ASKING = "(?:what|which|how|who|where|when|why|is|are|aren['’]t|isn['’]t|do|does|can|should)"
const BEGINS_ASKING = new RegExp(`^${ASKING}\\b`, "i")
/** Matches a sentence rather than a list of things. */
const SENTENCE = /\b(?:is|are|was|were|has|have|had|does|do|did|says?|can|cannot|my|i|we|you|it|they)\b/i
/** A list followed by the question about its items. */
const LISTED = new RegExp(`^(.{3,120}?)(?::\\s+|,\\s+(?=${ASKING}\\b))(.*)$`, "is")
const BETWEEN =
  /\b(?:differences?|choose|choice|comparison|distinguish(?:es)?|compare)\s+(?:between|of)?\s*(.+)$/is
const DIFFER = /^how\s+(?:do|does|are|is)\s+(.+?)\s+(?:differ(?:ent)?|compare)\b\s*(.*)$/is
const DIFFER_FROM = /^how\s+(?:do|does|are|is)\s+(.+?)\s+differ(?:ent)?\s+from\s+(.+?)(?:[:,]\s+(.*))?$/is
const COMPARED = /^(.+?)\s+compared(?:\s+(?:with|to)\s+(.+))?$/is
const VERSUS = /\s+(?:versus|vs\.?)\s+/i
/** Words that end a list of things: the text after them applies to all of them. */
const REST = /^(.+?)\s+((?:in|for|on|of|to|with|when|while|under|from|as)\s+.+)$/is
const CHOICE =
  /^(?:do|should|shall|must|would|can)\s+(?:i|you|we|one)\s+(?:rather\s+)?(?:write|use|choose|take|need|pick|prefer|put|have|install|run)\s+(.+?)\s+or\s+(.+?)(?:\s+((?:to|for|in|when|if|on|with)\s+.+))?$/is
/** "tea or coffee for breakfast", without any further words. */
const BARE = /^(?:\S+ ){0,3}\S+ or (?:\S+ ){0,3}\S+(?: (?:in|for|on|with) (?:\S+ ){0,3}\S+)?$/i
const OR_LAST = new RegExp(`^(${ASKING}\\b.{3,100}?)[,:]\\s+(.+?\\s+or\\s+.+)$`, "is")

/** "into A or into B". */
const TWICE = /\b(in|into|to|with|by|from|on|under|for) ((?:\S+ ){0,3}\S+) or \1 ((?:\S+ ){0,3}\S+)$/i
/** Matches a question that only asks how the things differ. */
const ASKS_DIFFERENCE =
  /^(?:(?:what|where|how|which) (?:is|are|does|do) (?:the |they |it )?(?:difference|different|differ)|how do they differ)\b.*$/i

/**
 * The things that a question compares: "A or B: which …", "A versus B", "how do A, B and C differ", "the difference
 * between A and B". `null` if it compares nothing. English only.
 */
export function comparisonIn(question: string): Comparison | null {
  const text = question
    .trim()
    .replaceAll(/\s+/g, " ")
    .replace(/[?.!]+$/, "")
    .slice(0, 400)
  const choice = CHOICE.exec(text)
  if (choice) return comparison([choice[1]!, choice[2]!], choice[3] ?? "")
  const from = DIFFER_FROM.exec(text)
  if (from) return comparison([from[1]!, from[2]!], from[3] ?? "")
  const differ = DIFFER.exec(text)
  if (differ) return comparison(itemsOf(differ[1]!), differ[2]!)
  const listed = LISTED.exec(text)
  const [head, rest] = listed ? [listed[1]!, listed[2]!] : [text, ""]
  if (VERSUS.test(head)) return comparisonOf(head, VERSUS, rest)
  // "Templates: insert vs replace".
  if (VERSUS.test(rest)) return comparison(rest.split(VERSUS).flatMap(itemsOf), head)
  const compared = COMPARED.exec(head)
  if (compared)
    return comparison(compared[2] === undefined ? itemsOf(compared[1]!) : [compared[1]!, compared[2]], rest)
  const between = BETWEEN.exec(head)
  if (between) {
    return comparisonOf(between[1]!, / (?:and|or|to|with) /i, rest)
  }
  const twice = TWICE.exec(text)
  if (twice) return comparison([twice[2]!, twice[3]!], text.slice(0, twice.index))
  const last = OR_LAST.exec(text)
  if (last && / or /i.test(last[2]!) && !BEGINS_ASKING.test(last[2]!))
    return comparison(itemsOf(last[2]!.replace(/\s+or something .*$/i, "")), last[1]!)
  if (SENTENCE.test(head) || BEGINS_ASKING.test(head)) return null
  return listed || BARE.test(head) ? comparisonOf(head, / (?:and|or) /i, rest) : null
}

/** If there are comparison words in the list, the text after the list is asked about each item: "tea or coffee in the morning". */
function comparisonOf(list: string, joined: RegExp, rest: string): Comparison | null {
  const items = REST.exec(list)
  const named = items && joined.test(items[1]!) ? items : null
  const things = (named?.[1] ?? list).split(VERSUS).flatMap(itemsOf)
  return comparison(things, `${named?.[2] ?? ""} ${rest}`.trim())
}

const itemsOf = (list: string): string[] => list.split(/,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/i)

function comparison(items: readonly string[], rest: string): Comparison | null {
  const sides = items
    .map((item) => item.replace(/^(?:(?:a|an|the|both|either)\s+)+/i, "").trim())
    .filter((item) => item !== "")
  if (sides.length < 2 || sides.length > MOST_SIDES) return null
  if (sides.some((side) => side.split(" ").length > MOST_WORDS)) return null
  if (new Set(sides.map((side) => side.toLowerCase())).size < sides.length) return null
  const words = sides.at(-1)!.split(" ")
  const whole = sides.map((side) => {
    // "linear or geometric depreciation", "realized and unrealized gains": the last word applies to all of them.
    const own = side.split(" ").length
    return own < words.length ? `${side} ${words.slice(own).join(" ")}` : side
  })
  const asked = rest
    .replace(/[:,]+$/, "")
    .trim()
    .replace(ASKS_DIFFERENCE, "")
    .replace(/^in \S+$/i, "")
  return {
    sides: whole,
    questions: whole.map((side) => `${side} ${asked}`.trim()),
    asksWhatTheyAre: asked === "",
  }
}

const MOST_PARTS = 3
const LEAST_PART_WORDS = 3
const PARTED = /[?？]\s+|,?\s+and\s+(?=(?:what|which|how|who|where|when|why)\b)/i
/** Words that make no sense without the other part. */
const LEANING = /\b(?:it|its|they|them|their|this|that|these|those|one|ones|there|then|so|he|she|his|her)\b/i

/**
 * The questions that a text asks, if it asks several that make sense on their own: "Which port does it use, and where
 * are the logs?" does, "What is a pump and how does it work?" doesn't. Empty otherwise. English only.
 */
export function partsIn(question: string): string[] {
  const parts = question
    .trim()
    .replace(/[?？.!]+$/, "")
    .split(PARTED)
    .map((part) => part.trim().replace(/[,;]+$/, ""))
  const isAlone = (part: string, at: number) =>
    BEGINS_ASKING.test(part) &&
    part.split(/\s+/).length >= LEAST_PART_WORDS &&
    (at === 0 || !LEANING.test(part))
  return parts.length > 1 && parts.length <= MOST_PARTS && parts.every(isAlone) ? parts : []
}

/** Searches to run in addition to the whole question: the sides that it compares, or the questions it consists of. */
export function searchedApart(text: string): readonly string[] {
  const { question } = askingIn(text)
  const comparison = comparisonIn(question)
  if (comparison === null) return partsIn(question)
  return comparison.asksWhatTheyAre ? comparison.sides : comparison.questions
}
