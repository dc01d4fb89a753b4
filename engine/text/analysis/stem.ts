import snowball from "snowball-stemmers"

/** Snowball algorithm by ISO 639-1 code. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nb: "norwegian",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
}

export type Stem = (word: string) => string

/** Words kept with their stems for each language; a page's words repeat, and so do those of its site. */
const KNOWN_WORDS = 50_000
/** Snowball rules look at suffixes only; what is longer than this is no word of a natural language. */
const LONGEST_WORD = 40

const stems = new Map<string, Stem>()

/** The stemmer of a language given as ISO 639-1; English when the language is unknown or has none. */
export function stemmerOf(language: string | null): Stem {
  const algorithm = ALGORITHMS[language ?? "en"] ?? "english"
  let stem = stems.get(algorithm)
  if (!stem) stems.set(algorithm, (stem = remembering(algorithm)))
  return stem
}

function remembering(algorithm: string): Stem {
  const spelt = algorithm === "german" ? withUmlauts : (word: string) => word
  const stemmer = snowball.newStemmer(algorithm)
  const known = new Map<string, string>()
  return (word) => {
    let stem = known.get(word)
    if (stem === undefined) {
      stem = word.length > LONGEST_WORD ? word : withoutAccents(stemmer.stem(spelt(word)))
      if (known.size >= KNOWN_WORDS) known.clear()
      known.set(word, stem)
    }
    return stem
  }
}

/**
 * `mueller` is `müller`, as in Snowball's german2. Words such as `neue` become `neü` too, on either side, and so
 * stay one term.
 */
const withUmlauts = (word: string) =>
  word
    .replaceAll("ae", "ä")
    .replaceAll("oe", "ö")
    .replace(/(?<!q)ue/g, "ü")

/** Latin, Greek and Cyrillic letters without their marks: `café` and `cafe` are one term. */
function withoutAccents(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word
  return word
    .normalize("NFD")
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu, "")
    .normalize("NFC")
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("ł", "l")
}
