const LANGUAGES = new Intl.DisplayNames(undefined, { type: "language", fallback: "code" })

/** A language (ISO 639-1) as the reader's own calls it; what is none as it is. */
export function languageName(code: string): string {
  try {
    return LANGUAGES.of(code) ?? code
  } catch {
    return code
  }
}
