import { RE2JS } from "re2js"

/** A pattern that is no RE2 regular expression, or patterns that are too much work. */
export class PatternError extends Error {
  /** The option that holds it, such as `selectPaths`; the message does not name it. */
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.name = "PatternError"
    this.field = field
  }
}

/** Steps of all patterns of one option together; the time of a test grows with them times the text's length. */
const MAX_STEPS = 2000
const SHOWN_CHARS = 80

/**
 * A test that passes when any pattern is found in the text. RE2 syntax, linear in the text's length, and of
 * bounded size (`maxSteps`), so a caller's patterns cannot hold up the process.
 * @throws PatternError
 */
export function anyPattern(
  field: string,
  patterns: readonly string[],
  maxSteps = MAX_STEPS,
): (text: string) => boolean {
  let steps = 0
  for (const pattern of patterns) {
    steps += compile(field, pattern).programSize()
    if (steps > maxSteps) throw new PatternError(field, "The patterns are too long or repeat too much.")
  }
  if (patterns.length === 0) return () => false
  // As one program all of them take hardly longer than one of them alone.
  const any = RE2JS.compile(patterns.map((pattern) => `(?:${pattern})`).join("|"))
  return (text) => any.test(text)
}

function compile(field: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    // The reason ends with the part of the pattern that is wrong, which may be all of it.
    const reason = shortened((error as Error).message.replace("error parsing regexp: ", ""))
    throw new PatternError(
      field,
      `${JSON.stringify(shortened(pattern))} isn't a valid regular expression (${reason}).`,
    )
  }
}

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`
