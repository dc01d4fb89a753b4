import { RE2JS } from "re2js"

/** A pattern that is not a valid RE2 regular expression, or patterns that are too expensive. */
export class PatternError extends Error {
  /** The option that contains the pattern, such as `selectPaths`; the message does not name it. */
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.name = "PatternError"
    this.field = field
  }
}

/** Maximum total number of steps of all patterns of one option; the time for a test grows with the steps times the text's length. */
const MAX_STEPS = 2000
const SHOWN_CHARS = 80

/**
 * A test that passes if any pattern is found in the text. RE2 syntax, linear in the text's length, and of bounded size
 * (`maxSteps`), so a caller's patterns cannot block the process.
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
  // Combined into one program, the patterns take hardly any longer than a single one.
  const any = RE2JS.compile(patterns.map((pattern) => `(?:${pattern})`).join("|"))
  return (text) => any.test(text)
}

function compile(field: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    // The reason ends with the part of the pattern that is wrong, which may be the whole pattern.
    const reason = shortened((error as Error).message.replace("error parsing regexp: ", ""))
    throw new PatternError(
      field,
      `${JSON.stringify(shortened(pattern))} isn't a valid regular expression (${reason}).`,
    )
  }
}

const shortened = (text: string): string =>
  text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`
