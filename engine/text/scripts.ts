/** Scripts of languages (ISO 639-1) that are not written in Latin letters; Japanese is recognised by its kana. */
export const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Cyrillic: ["ru", "uk", "bg", "be", "mk", "sr", "kk", "ky", "mn"],
  Greek: ["el"],
  Arabic: ["ar", "fa", "ur"],
  Hebrew: ["he", "yi"],
  Devanagari: ["hi", "mr", "ne"],
  Bengali: ["bn"],
  Tamil: ["ta"],
  Georgian: ["ka"],
  Armenian: ["hy"],
  Thai: ["th"],
  Hangul: ["ko"],
  Han: ["zh", "ja"],
  Kana: ["ja"],
}

/** For each language, the script of most of its letters, as Unicode names it. */
const SCRIPT_OF = new Map(
  Object.entries(SCRIPTS).flatMap(([script, languages]) =>
    languages.map((language) => [language, script === "Kana" ? "Hiragana" : script] as const),
  ),
)
const ANY_LETTER = /\p{L}/gu
/** Minimum share of readable letters: a text in another script may contain names and commands in Latin letters, and a readable text may contain a foreign word. */
const READABLE_FROM = 0.5

/** The Unicode script that a language (ISO 639-1) is written in. */
export const scriptOf = (language: string): string =>
  SCRIPT_OF.get(language.split("-")[0]!.toLowerCase()) ?? "Latin"

/**
 * Whether at least half of a text's letters are in the scripts; a text without letters counts as being in any script.
 *
 * @param scripts Unicode names, such as `Latin` or `Han`; null for all scripts
 */
export function isWrittenIn(scripts: readonly string[] | null, text: string): boolean {
  if (scripts === null) return true
  const letters = text.match(ANY_LETTER)?.length ?? 0
  if (letters === 0) return true
  const known = text.match(lettersOf(scripts))?.length ?? 0
  return known >= READABLE_FROM * letters
}

const patterns = new Map<string, RegExp>()

/** @throws SyntaxError for a name that Unicode does not know */
export function lettersOf(scripts: readonly string[]): RegExp {
  const key = scripts.join()
  let pattern = patterns.get(key)
  if (!pattern) {
    // Letters that several scripts share, such as the Japanese mark of a long vowel, count for each of them.
    pattern = new RegExp(`[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`, "gu")
    patterns.set(key, pattern)
  }
  return pattern
}
