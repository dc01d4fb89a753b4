import { readQuestions, readTasks } from "./judged-question.ts"

const file = (name: string) => new URL(`${name}.jsonl`, import.meta.url)

/** Over the judged manuals. */
export const JUDGED_QUESTIONS = readQuestions(file("manuals"))
/** Tasks of one to three clauses over them, several with a pronoun for their subject; two have no answer. */
export const JUDGED_TASKS = readTasks(file("manuals-tasks"))
/** Over the manuals of `laterManuals`; they were asked once, and have been tuned for since. */
export const LATER_QUESTIONS = readQuestions(file("later"))
/** Over the manuals of `programManuals`; they were asked once, and have been tuned for since. */
export const PROGRAM_QUESTIONS = readQuestions(file("programs"))
/** Over the manuals of `guideManuals`: the half for tuning. */
export const GUIDE_QUESTIONS = readQuestions(file("guides"))
export const GUIDE_TASKS = readTasks(file("guides-tasks"))
/** The half that is kept, and never tuned for. */
export const KEPT_GUIDE_QUESTIONS = readQuestions(file("guides-kept"))
export const KEPT_GUIDE_TASKS = readTasks(file("guides-kept-tasks"))
