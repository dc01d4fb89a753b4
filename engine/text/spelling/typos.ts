/** Letters that a typo can introduce, by script. Terms have no accents. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
  "αβγδεζηθικλμνξοπρσςτυφχψω",
  "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآؤئ",
]
/** Characters in names such as `mod_rewrite`, which stay as they are: `utf8` isn't a typo of `utfs`, nor `3.11` of `3.12`. */
const JOINTS = "_-.0123456789"
const VOWELS = "aeiouyаеиоуыэюяαεηιουω"
/** Minimum length: shorter words are one letter away from too many others. */
const ONE_TYPO_FROM = 4
const TWO_TYPOS_FROM = 8
/** Maximum length: longer terms aren't words, and have too many possible changes. */
const LONGEST = 24
const MOST = 3
/** Minimum length: a shorter term that is one letter away from another is too often a separate word. */
const SLIP = /^[a-z]{6,24}$/

/**
 * The terms of an index that a misspelt word might mean, the most frequent first, at most three: those one letter away
 * (left out, added, replaced, or two swapped), or, for words of eight letters and more, those two letters away.
 *
 * The word is changed as written and then stemmed: `credntials` is one letter from `credentials`, but the stems of the
 * two are far apart. A word is changed in every way and each result is looked up (Norvig 2007), so the index needs no
 * dictionary in a special order. Trying every possible second change would mean hundreds of thousands of look-ups, tens
 * of milliseconds: so one of two typos must be of a common kind: an extra letter, two swapped, a double one written
 * once, another vowel.
 *
 * @param word lower case, as written
 * @param stem from a word to its term
 * @param frequencyOf how many pages contain a term; 0 for an unknown term
 * @param breathe awaited now and then: a long term takes tens of milliseconds in all
 */
export async function nearestTerms(
  word: string,
  stem: (word: string) => string,
  frequencyOf: (term: string) => number,
  breathe: () => Promise<void>,
): Promise<string[]> {
  const alphabet = alphabetOf(word)
  if (!alphabet) return []
  const term = stem(word)
  const meant = mostFrequent(await termsOfChanges(word, stem, alphabet, breathe), frequencyOf)
  if (meant.length > 0) return meant
  const near = new Set(changes(term, alphabet))
  near.delete(term)
  const known = mostFrequent(near, frequencyOf)
  if (known.length > 0 || word.length < TWO_TYPOS_FROM) return known
  const far = new Set<string>()
  const vowels = Array.from(VOWELS).filter((vowel) => alphabet.includes(vowel))
  for (const once of near) {
    await breathe()
    for (const twice of usualChanges(once, vowels)) if (frequencyOf(twice) > 0) far.add(twice)
  }
  return mostFrequent(far, frequencyOf)
}

/** Where to look for the terms that {@link nearestTerms} would look up. */
export interface NearbyTerms {
  /** Terms for which similar terms are found: those within one typo, or two for long terms. */
  readonly around: readonly string[]
  /** Additional terms to find, because they are too far from all of those in `around`: `credenti`, when `credntials` was written and its stem is `credntial`. */
  readonly besides: readonly string[]
}

/**
 * How to ask an index for everything that {@link nearestTerms} looks up, if the index itself finds terms by typos and
 * hundreds of separate look-ups would be expensive.
 *
 * @param shortest length of the shortest word that the index finds similar words for
 */
export async function nearbyTerms(
  word: string,
  stem: (word: string) => string,
  shortest: number,
  breathe: () => Promise<void>,
): Promise<NearbyTerms> {
  const alphabet = alphabetOf(word)
  if (!alphabet) return { around: [], besides: [] }
  const around = [...new Set([stem(word), word])].filter(({ length }) => length >= shortest)
  const besides = await termsOfChanges(word, stem, alphabet, breathe)
  for (const one of around) for (const change of changes(one, alphabet)) besides.delete(change)
  return { around, besides: [...besides] }
}

/**
 * The most frequent term that a rare one may be a typo of, according to {@link isSlipOf}; undefined if no term is
 * frequent enough.
 *
 * @param least minimum number of pages that contain the frequent term
 */
export function usualSpelling(
  term: string,
  frequencyOf: (term: string) => number,
  least: number,
): string | undefined {
  if (!SLIP.test(term)) return undefined
  const frequent = new Set<string>()
  for (const change of changes(term, ALPHABETS[0]!)) if (frequencyOf(change) >= least) frequent.add(change)
  return mostFrequent(frequent, frequencyOf, Infinity).find((one) => isSlipOf(term, one))
}

/**
 * Whether one English term may be a typo of another that is one letter away: an added, missing or different vowel, a
 * letter doubled or not, or two letters swapped, but neither at the beginning nor at the end. `vaccum` can mean
 * `vacuum`; `sharding` doesn't mean `sharing`.
 *
 * In 1,853 pages of manuals, 57 rare terms missing from the dictionary are one letter from a term twenty times as
 * frequent in other ways, most of them names such as `sharding`, `linter` and `nftabl`; in these ways there are 34,
 * most of them typos.
 */
export function isSlipOf(term: string, usual: string): boolean {
  if (!SLIP.test(term) || term === usual || term.at(-1) !== usual.at(-1)) return false
  if (isShortened(term, usual) || isShortened(usual, term)) return false
  return consonantsOf(term) === consonantsOf(usual) || lettersOf(term) === lettersOf(usual)
}

/** The first letter and the following consonants, with double ones written once. */
const consonantsOf = (term: string): string =>
  term[0]! +
  term
    .slice(1)
    .replaceAll(/[aeiouy]/g, "")
    .replaceAll(/(.)\1+/g, "$1")

const lettersOf = (term: string): string => Array.from(term).sort().join("")

/** Whether a term is another term without its first or last letter. */
const isShortened = (term: string, other: string): boolean =>
  term === other.slice(1) || term === other.slice(0, -1)

/** The alphabet that a word is written in; undefined if it is never corrected. */
function alphabetOf(word: string): string | undefined {
  if (word.length < ONE_TYPO_FROM || word.length > LONGEST) return undefined
  const letters = Array.from(word).filter((letter) => !JOINTS.includes(letter))
  return ALPHABETS.find((one) => letters.every((letter) => one.includes(letter)))
}

/** The terms of all words that are one letter away from a word, except its own term. */
async function termsOfChanges(
  word: string,
  stem: (word: string) => string,
  alphabet: string,
  breathe: () => Promise<void>,
): Promise<Set<string>> {
  const terms = new Set<string>()
  for (const change of changes(word, alphabet)) {
    await breathe()
    terms.add(stem(change))
  }
  terms.delete(stem(word))
  return terms
}

function mostFrequent(terms: Iterable<string>, frequencyOf: (term: string) => number, most = MOST): string[] {
  return [...terms]
    .map((term) => ({ term, frequency: frequencyOf(term) }))
    .filter(({ frequency }) => frequency > 0)
    .sort((a, b) => b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
    .slice(0, most)
    .map(({ term }) => term)
}

function* changes(term: string, alphabet: string): Generator<string> {
  for (let at = 0; at <= term.length; at++) {
    const [before, after] = [term.slice(0, at), term.slice(at)]
    const isLetter = after !== "" && !JOINTS.includes(after[0]!)
    if (isLetter) yield before + after.slice(1)
    if (isLetter && after.length > 1 && !JOINTS.includes(after[1]!))
      yield before + after[1]! + after[0]! + after.slice(2)
    for (const letter of alphabet) {
      yield before + letter + after
      if (isLetter) yield before + letter + after.slice(1)
    }
  }
}

function* usualChanges(term: string, vowels: readonly string[]): Generator<string> {
  for (let at = 0; at < term.length; at++) {
    const [before, letter, after] = [term.slice(0, at), term[at]!, term.slice(at + 1)]
    if (JOINTS.includes(letter)) continue
    yield before + after
    yield before + letter + letter + after
    if (after !== "" && !JOINTS.includes(after[0]!)) yield before + after[0]! + letter + after.slice(1)
    if (!vowels.includes(letter)) continue
    for (const vowel of vowels) if (vowel !== letter) yield before + vowel + after
  }
}
