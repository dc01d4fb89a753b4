import { readJsonLines } from "../../bench/data-files.ts"

/** A mutant that no test notices, and that a person judged to change nothing anyone can see. */
export interface Judged {
  readonly file: string
  /** The first line that the mutant changes, without the white space around it. */
  readonly line: string
  /** Stryker's name for the kind of change. */
  readonly mutator: string
  /** The replacement at that place; if omitted, any replacement that this mutator makes in that line. */
  readonly replacement?: string
  readonly why: string
}

const STRING = { type: "string" } as const

export const JUDGED: readonly Judged[] = readJsonLines(new URL("judged.jsonl", import.meta.url), {
  properties: { file: STRING, line: STRING, mutator: STRING, why: STRING },
  optionalProperties: { replacement: STRING },
})
