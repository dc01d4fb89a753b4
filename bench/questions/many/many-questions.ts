import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type JudgedQuestion } from "../judged/judged-question.ts"

/** A line of a file. */
interface Line {
  readonly text: string
  readonly kind: string
  /** Path of the page, `<package>/<path below usr/share>`. */
  readonly on: string
  /** As {@link JudgedQuestion.facts}'s wordings. */
  readonly says: readonly string[]
}

/** By what they are about; each has manuals of its own, so that what was learned of one says nothing of another. */
const TRAINED = ["mail", "servers", "frameworks", "network", "computing"]
const TUNE = ["systems"]
const KEPT = ["office"]
/** Over other pages of the first five's manuals; nothing was learned of them yet. */
const MORE = ["more"]

const linesOf = (names: readonly string[]): Line[] =>
  names.flatMap((name) =>
    readFileSync(join(import.meta.dirname, `${name}.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line),
  )

const byKind = (lines: readonly Line[]): Readonly<Record<string, readonly JudgedQuestion[]>> =>
  Object.fromEntries(
    [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, those]) => [
      kind,
      those.map(({ text, on, says }) => ({ text, facts: [{ on: [on], says }] })),
    ]),
  )

const [trained, tune, kept, more] = [linesOf(TRAINED), linesOf(TUNE), linesOf(KEPT), linesOf(MORE)]

/** 1,500 questions of one fact each, by kind, that the reranker of statements was trained on. */
export const TRAINED_QUESTIONS = byKind(trained)
/** 300 more, over other manuals, by which its margins were chosen. */
export const MANY_QUESTIONS = byKind(tune)
/** 320 that were kept, over others again. */
export const KEPT_MANY_QUESTIONS = byKind(kept)
/** 999 more, for the next to be trained. */
export const MORE_QUESTIONS = byKind(more)
/** The pages that the first three are about. */
export const MANY_PAGES: readonly string[] = [
  ...new Set([...trained, ...tune, ...kept].map(({ on }) => on)),
].sort()
export const MORE_PAGES: readonly string[] = [...new Set(more.map(({ on }) => on))].sort()
