import { detectAll } from "tinyld"

/** ISO 639-1 code of the language a text most likely has; null when none is known. */
export function detectLanguage(text: string): string | null {
  // tinyld also knows languages that have three letters only, and takes English manuals for them.
  return detectAll(text).find(({ lang }) => lang.length === 2)?.lang ?? null
}
