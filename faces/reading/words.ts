/** Words that nearly every page contains: marking them would mark everything. English, German, French and Spanish. */
const COMMON = new Set(
  `a an and are as at be by can do does for from has have how i if in is it its me my no not of on or so that the their there this to
   was we what when where which who why will with you your der die das ein eine einen und oder ist sind wie was wer wo ich nicht mit
   von zu im in den dem des für auf le la les un une des et ou est que qui quoi comment de du dans pour avec je el los las una y o es
   son cómo qué por para con`.split(/\s+/),
)

const WORD = /[\p{L}\p{N}]+(?:[._'’-][\p{L}\p{N}]+)*/gu

/** A word in the form used for comparison: without case, accents and the most common endings. */
export function plainWord(word: string): string {
  const plain = word
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]s$/, "")
  return plain.length > 4 ? plain.replace(/(?:ings?|ed|ers?|es|s|e)$/, "") : plain.replace(/s$/, "")
}

/** The words of a question that are worth marking. */
export function wantedWords(question: string): ReadonlySet<string> {
  const words = question.match(WORD) ?? []
  return new Set(words.filter((word) => !COMMON.has(word.toLowerCase())).map(plainWord))
}

/** A stretch of a text. */
export interface Stretch {
  readonly text: string
  readonly isWanted: boolean
}

/** A text, cut where the words searched for begin and end. */
export function stretchesOf(text: string, wanted: ReadonlySet<string>): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.has(plainWord(word))) continue
    if (index > from) stretches.push({ text: text.slice(from, index), isWanted: false })
    stretches.push({ text: word, isWanted: true })
    from = index + word.length
  }
  if (from < text.length) stretches.push({ text: text.slice(from), isWanted: false })
  return stretches
}

/** The words of a text in the form used for comparison, in order. */
export const plainWords = (text: string): string[] => (text.match(WORD) ?? []).map(plainWord)
