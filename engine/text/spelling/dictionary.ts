import { breather } from "#base/flow/breather.ts"
import { sharing } from "#base/flow/sharing.ts"
import { stemmerOf } from "../analysis/stem.ts"

/** Number of first letters that words are stored under: longer words have no shorter stems, and no stemmer changes letters this early in a word. */
const BEGINNING = 4

let english: ReadonlyMap<string, readonly string[]> | undefined

/** The English words of the Hunspell dictionary (SCOWL) by their first letters, read on first use. */
const readEnglish = sharing(async () => {
  const { default: dictionary } = await import("dictionary-en")
  const breathe = breather()
  const words = new Map<string, string[]>()
  for (const line of Buffer.from(dictionary.dic).toString("utf8").toLowerCase().split("\n")) {
    await breathe()
    const [word = ""] = line.split("/", 1)
    const alike = words.get(word.slice(0, BEGINNING))
    if (alike) alike.push(word)
    else words.set(word.slice(0, BEGINNING), [word])
  }
  return (english = words)
})

/**
 * Whether a term belongs to a real word rather than a typo.
 *
 * @param language ISO 639-1; null counts as English. If the language has no dictionary, every term counts as a word
 */
export async function isWord(term: string, language: string | null): Promise<boolean> {
  if ((language ?? "en") !== "en") return true
  const words = (english ?? (await readEnglish())).get(term.slice(0, BEGINNING)) ?? []
  const stem = stemmerOf("en")
  return words.some((word) => stem(word) === term)
}
