/** A problem in a source as written. */
export interface SourceProblem {
  /** The path to the field: `["limits", "pages"]`; list entries by index. Empty for the whole source. */
  readonly path: readonly (string | number)[]
  /** The requirement that was not met, without the field's name. */
  readonly message: string
}

/** A source that is invalid or can't work; the message names every field that is wrong. */
export class SourceError extends Error {
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly SourceProblem[]) {
    super(problems.map(problemText).join("\n"))
    this.name = "SourceError"
    this.problems = problems
  }
}

/** A problem as a sentence: `limits.pages must be a whole number`. */
export function problemText({ path, message }: SourceProblem): string {
  return path.length === 0 ? message : `${fieldText(path)} ${message}`
}

/** The path of a field as text: `webhooks[0].url`. */
export function fieldText(path: SourceProblem["path"]): string {
  return path
    .map((step) =>
      typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `["${step}"]`,
    )
    .join("")
    .replace(/^\./, "")
}
