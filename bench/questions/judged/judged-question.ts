import { readJsonLines } from "../../data-files.ts"

/** A question over the judged manuals of `corpora/manuals.ts`. */
export interface JudgedQuestion {
  readonly text: string
  /** What a right answer holds, all of it; a comparison has one for each side. Null: nothing answers it, and it is to be refused. */
  readonly facts: readonly Fact[] | null
}

/** Something that a page says. */
export interface Fact {
  /** Paths of the pages that say it, `<manual>/<file>`. One is as good as another. */
  readonly on: readonly string[]
  /**
   * Wordings of which one stands in any text that says it: white space as single blanks, no backticks, straight quotes, any
   * letter case. `…` stands for up to a hundred characters.
   */
  readonly says: readonly string[]
}

/** A task for research. */
export interface JudgedTask {
  readonly input: string
  /** What a report on it covers. Null: nothing is to be found, and the report says so. */
  readonly parts: readonly TaskPart[] | null
}

/** A part of a task, with the facts of which one at least is to stand in the report. */
export interface TaskPart extends Fact {
  readonly about: string
}

/** Every second one of a list is kept for a last run: `tune` is there to look at while something changes. */
export const HALVES = ["tune", "kept"] as const
export type Half = (typeof HALVES)[number]

export const halfOf = <T>(all: readonly T[], half: Half): T[] =>
  all.filter((_, at) => (at % 2 === 0) === (half === "tune"))

const STRING = { type: "string" } as const
const FACT = { on: { elements: STRING }, says: { elements: STRING } } as const

/** Questions by kind. */
export type ByKind = Readonly<Record<string, readonly JudgedQuestion[]>>

/** The questions in a file, by their `kind`. */
export const readQuestions = (file: URL): ByKind =>
  byKind(
    readJsonLines(file, {
      properties: {
        kind: STRING,
        text: STRING,
        facts: { elements: { properties: FACT }, nullable: true },
      },
    }),
  )

/** The tasks in a file. */
export const readTasks = (file: URL): readonly JudgedTask[] =>
  readJsonLines(file, {
    properties: {
      input: STRING,
      parts: { elements: { properties: { about: STRING, ...FACT } }, nullable: true },
    },
  })

export const byKind = (questions: readonly (JudgedQuestion & { readonly kind: string })[]): ByKind =>
  Object.fromEntries(
    [...Map.groupBy(questions, ({ kind }) => kind)].map(([kind, those]) => [
      kind,
      those.map(({ text, facts }) => ({ text, facts })),
    ]),
  )
