import { COMPARISON_QUESTIONS } from "./comparison-questions.ts"
import { FACT_QUESTIONS } from "./fact-questions.ts"
import { HOW_TO_QUESTIONS } from "./how-to-questions.ts"
import type { JudgedQuestion } from "./judged-question.ts"
import { LATEST_QUESTIONS } from "./latest-questions.ts"
import { OFF_TOPIC_QUESTIONS, UNANSWERABLE_QUESTIONS } from "./refused-questions.ts"
import { YES_NO_QUESTIONS } from "./yes-no-questions.ts"

/** All questions over the judged manuals, by kind. */
export const JUDGED_QUESTIONS: Readonly<Record<string, readonly JudgedQuestion[]>> = {
  fact: FACT_QUESTIONS,
  "how-to": HOW_TO_QUESTIONS,
  "yes/no": YES_NO_QUESTIONS,
  comparison: COMPARISON_QUESTIONS,
  latest: LATEST_QUESTIONS,
  unanswerable: UNANSWERABLE_QUESTIONS,
  "off-topic": OFF_TOPIC_QUESTIONS,
}
