import { RE2JS } from "re2js"

/** A pattern that is no RE2 regular expression. */
export class PatternError extends Error {
  /** The option it stands in, such as `selectPaths`. */
  readonly field: string

  constructor(field: string, pattern: string, reason: string) {
    super(`${field}: ${JSON.stringify(pattern)} is no valid regular expression (${reason})`)
    this.name = "PatternError"
    this.field = field
  }
}

/**
 * A test that passes when any pattern is found in the text. RE2 syntax: linear in the text's length, so a
 * caller's pattern cannot hold up the process.
 * @throws PatternError
 */
export function anyPattern(field: string, patterns: readonly string[]): (text: string) => boolean {
  const compiled = patterns.map((pattern) => {
    try {
      return RE2JS.compile(pattern)
    } catch (error) {
      throw new PatternError(field, pattern, (error as Error).message)
    }
  })
  return (text) => compiled.some((pattern) => pattern.matcher(text).find())
}
