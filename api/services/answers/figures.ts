// Numbers and addresses: each one in a sentence must appear in the sentence's source.

const ADDRESS = /\b(?:https?:\/\/|www\.)\S*[^\s.,;:!?)]/gi

/** Matches links: a text that contains one counts as unsupported. */
const LINK = /!?\[[^\]]*\]\(/

export const withoutAddresses = (text: string): string => text.replaceAll(ADDRESS, " ")

/** The figures of a source: its numbers in all their forms, and the words that can count as numbers. */
export interface Figures {
  readonly source: string
  readonly numbers: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

export const figuresIn = (source: string): Figures => ({
  source,
  numbers: numbersIn(source),
  words: new Set(source.toLowerCase().match(/\p{L}+/gu)),
})

/** Whether a source has every number and address of a text, which must not contain links. */
export function holdsFigures(text: string, { source, numbers, words }: Figures): boolean {
  if (LINK.test(text)) return false
  if (text.match(ADDRESS)?.some((address) => !source.includes(address))) return false
  return figuresOf(withoutAddresses(text)).every(
    (figure) => formsOf(figure).some((form) => numbers.has(form)) || isCounted(figure, words),
  )
}

const FIGURE = /\d+(?:[.,:/'’\u00A0\u202F-]\d+|[ \u00A0\u202F]\d{3}(?!\d))*/g
export const figuresOf = (text: string): string[] => westernDigits(text).match(FIGURE) ?? []

/** All forms of all numbers in a text. Includes the parts of dates: a model may write 2024-03-09 as 9 March 2024. */
function numbersIn(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const figure of figuresOf(text)) {
    for (const form of formsOf(figure)) found.add(form)
    const isDate = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$/.test(figure)
    const isRange = /^\d[\d.,]*-\d[\d.,]*$/.test(figure)
    if (isDate || isRange)
      for (const part of figure.split(/[-/.]/)) for (const form of formsOf(part)) found.add(form)
    // "5 000" can be one number, or two numbers next to each other.
    for (const part of figure.split(/[ \u00A0\u202F]/)) found.add(part)
  }
  return found
}

/** A number as written and in the other ways of writing it: without thousands separators, with a point instead of a comma, without leading zeros. */
function formsOf(figure: string): string[] {
  const forms = [figure]
  if (/^\d{1,3}(?:[.,'’ \u00A0\u202F]\d{3})+(?:[.,]\d{1,2})?$/.test(figure)) {
    const [, whole = "", rest = ""] = /^(.*?)([.,]\d{1,2})?$/.exec(figure)!
    forms.push(whole.replaceAll(/\D/g, "") + rest.replace(",", "."))
  }
  if (/^\d+,\d+$/.test(figure)) forms.push(figure.replace(",", "."))
  if (/^0\d+$/.test(figure)) forms.push(figure.replace(/^0+(?=\d)/, ""))
  return [
    ...forms,
    ...forms.filter((one) => /^\d+[.,]0+$/.test(one)).map((one) => one.replace(/[.,]0+$/, "")),
  ]
}

const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10]
const westernDigits = (text: string): string =>
  text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0)!
    const zero = ZEROS.find((one) => code >= one && code < one + 10)
    return zero === undefined ? digit : String(code - zero)
  })

/** Small numbers, as sources spell them out. */
const COUNTED: readonly (readonly string[])[] = [
  ["zero", "null", "zéro", "cero", "nul"],
  [
    "one",
    "once",
    "eins",
    "ein",
    "eine",
    "einen",
    "einem",
    "un",
    "une",
    "uno",
    "una",
    "um",
    "uma",
    "een",
    "один",
  ],
  ["two", "twice", "both", "zwei", "deux", "dos", "due", "dois", "duas", "twee", "два", "две"],
  ["three", "drei", "trois", "tres", "tre", "três", "drie", "три"],
  ["four", "vier", "quatre", "cuatro", "quattro", "quatro", "четыре"],
  ["five", "fünf", "cinq", "cinco", "cinque", "vijf", "пять"],
  ["six", "sechs", "seis", "sei", "zes", "шесть"],
  ["seven", "sieben", "sept", "siete", "sette", "sete", "zeven", "семь"],
  ["eight", "acht", "huit", "ocho", "otto", "oito", "восемь"],
  ["nine", "neun", "neuf", "nueve", "nove", "negen", "девять"],
  ["ten", "zehn", "dix", "diez", "dieci", "dez", "tien", "десять"],
  ["eleven", "elf", "onze", "undici", "одиннадцать"],
  ["twelve", "dozen", "zwölf", "douze", "doce", "dodici", "doze", "twaalf", "двенадцать"],
]
const isCounted = (figure: string, words: ReadonlySet<string>): boolean =>
  /^\d{1,2}$/.test(figure) && (COUNTED[Number(figure)]?.some((word) => words.has(word)) ?? false)
