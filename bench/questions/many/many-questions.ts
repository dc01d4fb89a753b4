import { readJsonLines } from "../../data-files.ts"
import { byKind, type ByKind } from "../judged/judged-question.ts"

/** By subject; each has its own manuals, so that tuning on one tells nothing about another. */
const TRAINED = ["mail", "servers", "frameworks", "network", "computing"]
const TUNE = ["systems"]
const KEPT = ["office"]
/** Over other pages of the first five's manuals; nothing was learned of them yet. */
const MORE = ["more"]

// `on` is the path of the page, `<package>/<path below usr/share>`; `says` has wordings as those of a `Fact`.
const SHAPE = {
  properties: {
    text: { type: "string" },
    kind: { type: "string" },
    on: { type: "string" },
    says: { elements: { type: "string" } },
  },
} as const

const linesOf = (names: readonly string[]) =>
  names.flatMap((name) => readJsonLines(new URL(`${name}.jsonl`, import.meta.url), SHAPE))
const asked = (lines: ReturnType<typeof linesOf>): ByKind =>
  byKind(lines.map(({ text, kind, on, says }) => ({ text, kind, facts: [{ on: [on], says }] })))

const [trained, tune, kept, more] = [linesOf(TRAINED), linesOf(TUNE), linesOf(KEPT), linesOf(MORE)]

/** 1,500 questions of one fact each, by kind, that the reader of units was trained on. */
export const TRAINED_QUESTIONS = asked(trained)
/** 300 more, over other manuals, by which its margins were chosen. */
export const MANY_QUESTIONS = asked(tune)
/** 320 that were kept, over others again. */
export const KEPT_MANY_QUESTIONS = asked(kept)
/** 999 more, for the next to be trained. */
export const MORE_QUESTIONS = asked(more)
/** The pages that the first three are about. */
export const MANY_PAGES: readonly string[] = [
  ...new Set([...trained, ...tune, ...kept].map(({ on }) => on)),
].sort()
export const MORE_PAGES: readonly string[] = [...new Set(more.map(({ on }) => on))].sort()
