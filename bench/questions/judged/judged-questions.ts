import { readQuestions, readTasks } from "./judged-question.ts"

const file = (name: string) => new URL(`${name}.jsonl`, import.meta.url)

/** Questions about the judged manuals. */
export const JUDGED_QUESTIONS = readQuestions(file("manuals"))
/** Tasks about the judged manuals, of one to three clauses each, several with a pronoun as the subject; two have no answer. */
export const JUDGED_TASKS = readTasks(file("manuals-tasks"))
/** Questions about `laterManuals`; they were asked once, and have been used for tuning since. */
export const LATER_QUESTIONS = readQuestions(file("later"))
/** Questions about `programManuals`; they were asked once, and have been used for tuning since. */
export const PROGRAM_QUESTIONS = readQuestions(file("programs"))
/** Questions about `guideManuals`: the half for tuning. */
export const GUIDE_QUESTIONS = readQuestions(file("guides"))
export const GUIDE_TASKS = readTasks(file("guides-tasks"))
/** The half that is kept and never used for tuning. */
export const KEPT_GUIDE_QUESTIONS = readQuestions(file("guides-kept"))
export const KEPT_GUIDE_TASKS = readTasks(file("guides-kept-tasks"))
