import { subjectWords } from "./words.ts"

const STEM_END =
  "with|of|for|in|on|against|between|about|to|from|by|like|including|into|as|during|through|than|mit|von|für|gegen|über|avec|pour|contre|sur|con|para|contra|sobre"
/** A list's first piece: the text before its first item, the preposition at its end, and the item. */
const STEM = new RegExp(String.raw`^(.*\b(${STEM_END}))\s+(\S.*)$`, "i")
const SPLIT = /,\s*(?:(?:and|or|und|oder|et|ou|y|o)\s+)?|\s+(?:and|or|und|oder|et|ou|y|o)\s+/i
/** "Cover a, b and c": the topics a report is asked to cover. */
const TOLD = /^((?:please )?(?:cover|discuss|mention|include|treat|address))\s+(\S.*)$/i
/** Minimum number of items: two things joined only by "and" may be one part or two; three in a row are a list. */
const LEAST_ITEMS = 3
const MAX_ITEM_WORDS = 10

/**
 * A clause split into items, each with the words before the list: "What do they do with their seals, hoses and oil?"
 * asks three questions. If there is no list, only the clause itself.
 */
export function itemsOf(clause: string): string[] {
  const bare = clause.replace(/[?？.!]+$/, "")
  const listed = afterColon(bare) ?? inClause(bare)
  if (listed === null) return [clause]
  const { stem, items } = listed
  return items.map((item) => `${stem} ${item}`.trim())
}

interface Listed {
  readonly stem: string
  readonly items: readonly string[]
}

/** The items of "…: a, b and c". */
function afterColon(clause: string): Listed | null {
  const [, stem = "", rest = ""] =
    /^(.{3,160}?)(?::\s+|\s+such as\s+|\s+including\s+)(.+)$/is.exec(clause) ?? []
  const items = parted(rest)
  return items.length >= 2 && items.every(isShort) ? { stem, items } : null
}

/** The items of "… with a, b and c"; the text before the first item ends with a preposition. */
function inClause(clause: string): Listed | null {
  if (!clause.includes(",")) return null
  const pieces = parted(clause)
  if (pieces.length < LEAST_ITEMS || !pieces.slice(1).every(isShort)) return null
  const [first = "", ...others] = pieces
  const [, told, thing] = TOLD.exec(first) ?? []
  if (told !== undefined && isShort(thing!)) return { stem: "", items: [thing!, ...others] }
  const [, stem, preposition, item] = STEM.exec(first) ?? []
  if (stem === undefined || item === undefined || !isShort(item)) return null
  // In "against a, against b", each item repeats the preposition.
  const repeated = `${preposition!} `.toLowerCase()
  const once = (other: string) =>
    other.toLowerCase().startsWith(repeated) ? other.slice(repeated.length) : other
  return { stem, items: [item, ...others.map(once)] }
}

const parted = (text: string): string[] =>
  text
    .split(SPLIT)
    .map((item) => item.trim())
    .filter((item) => item !== "")

const isShort = (item: string): boolean =>
  item.split(/\s+/).length <= MAX_ITEM_WORDS && subjectWords(item).length > 0
