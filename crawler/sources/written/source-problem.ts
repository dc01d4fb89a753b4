/** Something wrong in what was written of a source. */
export interface SourceProblem {
  /** Way to the field: `["limits", "pages"]`; a list's entries by number. Empty: the whole. */
  readonly path: readonly (string | number)[]
  /** The expectation that was not met, without the field's name. */
  readonly message: string
}

/** A source that is not understood, or cannot work; the message names every field that is wrong. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly SourceProblem[]) {
    super(problems.map(problemText).join("\n"))
    this.name = "SourceError"
    this.problems = problems
  }
}

/** `limits.pages must be a whole number`. */
export function problemText({ path, message }: SourceProblem): string {
  return path.length === 0 ? message : `${fieldText(path)} ${message}`
}

/** `webhooks[0].url`. */
export function fieldText(path: SourceProblem["path"]): string {
  return path
    .map((step) =>
      typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `["${step}"]`,
    )
    .join("")
    .replace(/^\./, "")
}
