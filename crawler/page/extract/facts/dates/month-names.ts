/** Languages to try when a page isn't written in the language it declares, as is common with templates. */
const LANGUAGES = (
  "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ka kk lt lv mk ml mn ms nb pl pt " +
  "ro ru sk sl sq sr sv sw ta te th tr uk ur uz"
).split(" ")

/** Month numbers, counted from 1, by month names as {@link foldedWord} writes them. */
type MonthNames = ReadonlyMap<string, number>

const known = new Map<string, MonthNames>()
let everywhere: MonthNames | null = null

/** Matches accents on Latin, Greek and Cyrillic letters; the vowel signs of other scripts are kept. */
const ACCENTS = /[\u0300-\u036F]/g
/** Minimum length of an abbreviation; shorter ones are too often other words. */
const MIN_CHARS = 3

/** A word in lower case and without accents, because pages drop them in capitals and file names. */
export const foldedWord = (word: string): string =>
  word.toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC").replace(/\.$/, "")

/**
 * The month that a word names, 1 to 12: in the page's language, otherwise in English, otherwise in any language by its
 * full name, if all languages that have the word agree. Names can be abbreviated (`sept`, `Okt.`). Null if it isn't a
 * month.
 */
export function monthNamed(word: string, language: string | null): number | null {
  const name = foldedWord(word)
  return (
    (language === null ? null : monthIn(namesIn(language), name)) ??
    monthIn(namesIn("en"), name) ??
    (everywhere ??= namesEverywhere()).get(name) ??
    null
  )
}

function monthIn(names: MonthNames, name: string): number | null {
  const month = names.get(name)
  if (month !== undefined || name.length < MIN_CHARS) return month ?? null
  const begun = new Set([...names].filter(([one]) => one.startsWith(name)).map(([, one]) => one))
  return begun.size === 1 ? [...begun][0]! : null
}

/** @param language ISO 639-1; a language that Unicode doesn't know gets the names of the machine's own language */
function namesIn(language: string): MonthNames {
  let names = known.get(language)
  if (!names) {
    names = readNames(language, ["long", "short"])
    if (known.size < 1000) known.set(language, names)
  }
  return names
}

function namesEverywhere(): MonthNames {
  const found = new Map<string, number | null>()
  for (const language of LANGUAGES)
    for (const [name, month] of readNames(language, ["long"]))
      found.set(name, (found.get(name) ?? month) === month ? month : null)
  return new Map([...found].filter((one): one is [string, number] => one[1] !== null))
}

/** Names as written alone and beside a day, where many languages inflect them. */
function readNames(language: string, lengths: readonly ("long" | "short")[]): MonthNames {
  const names = new Map<string, number>()
  for (const month of lengths)
    for (const day of [undefined, "numeric"] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day, calendar: "gregory", timeZone: "UTC" })
      for (let one = 0; one < 12; one++) {
        const parts = format.formatToParts(Date.UTC(2001, one, 5))
        const at = parts.findIndex(({ type }) => type === "month")
        const name = foldedWord(parts[at]?.value ?? "")
        // The names are numbers in Chinese, Korean and Vietnamese.
        if (name === "" || /\d/.test(name)) continue
        // Hebrew attaches "in" to the name as a single letter.
        const attached = /\p{L}*$/u.exec(parts[at - 1]?.value ?? "")![0]
        for (const spelled of [name, attached + name]) if (!names.has(spelled)) names.set(spelled, one + 1)
      }
    }
  return names
}
