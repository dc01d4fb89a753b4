const LANGUAGES = new Intl.DisplayNames(undefined, { type: "language", fallback: "code" })

/** The name of a language (ISO 639-1) in the reader's language; an unknown code stays as it is. */
export function languageName(code: string): string {
  try {
    return LANGUAGES.of(code) ?? code
  } catch {
    return code
  }
}
