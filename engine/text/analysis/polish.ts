// Snowball's Polish algorithm, by Dmitry Shachnev: https://snowballstem.org/algorithms/polish/stemmer.html, licence in LICENSE-snowball.
// Apostrophes and the accents of stems are left as they are: analysis folds them for every language.

/** Number of letters at the start of a word that are never cut: a one-letter stem would also match that letter. */
const KEPT = 2
/** The part of a word up to the first consonant after a vowel. Endings that many words have by chance are only cut after it. */
const HEAD = /^[^aąeęioóuy]*[aąeęioóuy]+[^aąeęioóuy]/
/** `czytałbym`, I would read. */
const CONDITIONAL = /by(?:m|ś|śmy|ście)?$/
const OF_ADJECTIVES = "y|i?e(?:go|mu|j)|[yi](?:m|ch|mi)"
const ADJECTIVE = new RegExp(`^(?:${OF_ADJECTIVES})$`)
/** The suffix before an adjective's ending, from participles and comparatives: `czytający`, `noszący`, `lepszy`. */
const BEFORE_ADJECTIVE = /(?:(?:aj|(?<=s)z)?ąc|(?:iej)?sz)$/

/** Endings that are cut wherever they are. */
const ANYWHERE = endings(
  "[aei](?:sz|my|cie)|ają|(?<=s)z[ęą]|ę", // piszesz, czytamy, nosicie, czytają, noszę, lecę
  "[ae]ść|(?:a|ie?|ą)ć|(?:aj)?ąc", // czytać, lecieć, przynieść, czytając
  "(?:a|ia?)ł(?:[ea][mś]|[aoy]|y(?:śmy|ście))?|am", // czytał, czytałem, leciała, chodziłyśmy
  "(?:a|ie?)li(?:śmy|ście)?|aj(?:cie)?|cie", // czytali, lecieliśmy, czytaj, chodźcie
  "(?<=ł)(?:[ea]ś|y(?:śmy|ście))|(?<=l)i(?:śmy|ście)", // byłeś, byliśmy
  OF_ADJECTIVES, // nowego, nowych
  "(?:aj|(?<=s)z)?ąc[aąe]|iejsz[aąe]|sz[ae]", // czytająca, noszące, piękniejszą, lepsze
)
/** Mostly endings of nouns: `książka`, `stołowi`, `słoniem`, `stołów`, `książkach`. */
const BEHIND_HEAD = endings("i?a|o|i|i?u|i?owi|i?ą|szą|i?em|i?e|ów|i?om|i?ami|i?ach")

/** Stems a lower-case Polish word by removing the longest ending that may be cut. */
export function polish(word: string): string {
  const head = HEAD.exec(word)?.[0].length ?? word.length
  const plain = word.slice(0, head) + word.slice(head).replace(CONDITIONAL, "")
  const anywhere = ANYWHERE.exec(plain.slice(KEPT))?.[0] ?? ""
  const behindHead = BEHIND_HEAD.exec(plain.slice(Math.max(KEPT, head)))?.[0] ?? ""
  const ending = anywhere.length > behindHead.length ? anywhere : behindHead
  const stem = plain.slice(0, plain.length - ending.length)
  if (!ADJECTIVE.test(ending)) return stem
  return stem.slice(0, KEPT) + stem.slice(KEPT).replace(BEFORE_ADJECTIVE, "")
}

function endings(...forms: string[]): RegExp {
  return new RegExp(`(?:${forms.join("|")})$`)
}
