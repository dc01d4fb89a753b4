import { readJsonLines } from "../../data-files.ts"
import { byKind, type ByKind } from "../judged/judged-question.ts"

/** Sets by subject. Each has its own manuals, so tuning on one reveals nothing about another. */
const TRAINED = ["mail", "servers", "frameworks", "network", "computing"]
const TUNE = ["systems"]
const KEPT = ["office"]
/** About other pages of the manuals in `TRAINED`; nothing has been trained on them yet. */
const MORE = ["more"]

// `on` is the path of the page, `<package>/<path below usr/share>`; `says` has wordings, as in a `Fact`.
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

/** The 1,500 questions that the unit reader was trained on, by kind, with one fact each. */
export const TRAINED_QUESTIONS = asked(trained)
/** 300 questions about other manuals, used to choose the unit reader's margins. */
export const MANY_QUESTIONS = asked(tune)
/** 320 questions that were kept, about yet other manuals. */
export const KEPT_MANY_QUESTIONS = asked(kept)
/** 999 questions for training the next unit reader. */
export const MORE_QUESTIONS = asked(more)
/** The pages that the trained, tuning and kept questions are about. */
export const MANY_PAGES: readonly string[] = [
  ...new Set([...trained, ...tune, ...kept].map(({ on }) => on)),
].sort()
export const MORE_PAGES: readonly string[] = [...new Set(more.map(({ on }) => on))].sort()
