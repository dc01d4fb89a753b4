import { readJsonLines } from "../../data-files.ts"

/** A question about the judged manuals of `corpora/manuals.ts`. */
export interface JudgedQuestion {
  readonly text: string
  /** Everything a right answer must contain; a comparison has one fact for each side. Null: no page has the answer, and the question must be refused. */
  readonly facts: readonly Fact[] | null
}

/** Something that a page says. */
export interface Fact {
  /** Paths of the pages that say it, `<manual>/<file>`. One is as good as another. */
  readonly on: readonly string[]
  /**
   * Wordings, one of which occurs in any text that states the fact: white space as single blanks, no backticks, straight quotes, any
   * letter case. `…` matches up to a hundred characters.
   */
  readonly says: readonly string[]
}

/** A task for research. */
export interface JudgedTask {
  readonly input: string
  /** The parts a report must cover. Null: there is nothing to find, and the report must say so. */
  readonly parts: readonly TaskPart[] | null
}

/** A part of a task, with facts of which the report must contain at least one. */
export interface TaskPart extends Fact {
  readonly about: string
}

/** Every second question in a list is kept for a last run; you can look at `tune` while you work on a change. */
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
