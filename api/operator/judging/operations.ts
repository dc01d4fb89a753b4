import type { SearchDepth } from "#engine"

import { accepted, created, ok, operations } from "../../server/operation/operation.ts"
import { bodyOf } from "../../server/operation/published.ts"
import { filled, ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import {
  always,
  count,
  flag,
  listOf,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  share,
  text,
  time,
  whole,
  withDefault,
} from "../../server/schema/schemas.ts"
import { triedRules } from "../rules/operations.ts"
import { gradeSchema, pagesSchema, questionSchema } from "./judged-schema.ts"
import { RUN_STATES } from "./run-steps.ts"

/** Maximum number of questions in one preview; each is asked twice, one question at a time. */
const MOST_PREVIEWED = 200
const MAX_NOTE_CHARS = 200

const depth = oneOf(["ultra-fast", "fast", "basic", "advanced"] as const satisfies readonly SearchDepth[])
const mark = {
  ndcg: share("nDCG@10."),
  rank: orNull(whole(1, 10, "Rank of the first expected page; null if none is among the first ten.")),
}
const sums = {
  ndcg: share("Mean nDCG@10."),
  hit1: share("Share of questions with an expected page first."),
  hit3: share("Share of questions with an expected page among the first three."),
}
const question = {
  id: text("The same for all spellings of the question that differ only in case and white space."),
  question: text(),
  pages: listOf(object({ url: text(), grade: gradeSchema })),
  changed_at: time(),
}
const ofRun = orNull(object({ run: count("Number of the run."), ...mark }))

const JudgedQuestion = namedObject("JudgedQuestion", question)
const JudgedQuestions = namedObject("JudgedQuestions", {
  questions: listOf(object({ ...question, latest: ofRun, before: ofRun }), "Worst in the latest run first."),
  ...ofSlice,
})
const JudgedRun = namedObject("JudgedRun", {
  id: count(),
  state: oneOf(RUN_STATES, "`interrupted`: its process ended before it did."),
  started_at: time(),
  ended_at: orNull(time()),
  depth,
  note: text(),
  questions: count("Number of questions to ask."),
  asked: count("Number of questions asked so far."),
  ndcg: orNull(sums.ndcg),
  hit1: orNull(sums.hit1),
  hit3: orNull(sums.hit3),
  generation: text("Name of the index's generation."),
  embedder: text("Id of the model that made its vectors."),
  pages: count("Pages in the index."),
  rules_version: count(),
  rules_digest: text("Digest of the rules, the same for the same rules."),
  problem: orNull(text("Why the run failed, or which parts were missing when some questions were answered.")),
})
const JudgedRuns = namedObject("JudgedRuns", { runs: listOf(JudgedRun, "Newest first."), ...ofSlice })
const JudgedHistory = namedObject("JudgedHistory", {
  ...question,
  history: listOf(object({ run: JudgedRun, ...mark }), "The newest run first."),
})
const JudgedFile = namedObject("JudgedFile", {
  questions: listOf(
    object({
      question: text(),
      pages: listOf(
        object({
          url: text(),
          ...optional({
            grade: { ...gradeSchema, description: "How well the page answers the question; 1 by default." },
          }),
        }),
      ),
    }),
  ),
})
const ImportedQuestions = namedObject("ImportedQuestions", {
  added: count(),
  changed: count("Questions whose pages changed."),
  deleted: count(),
  total: count("All questions after the import."),
})
const DeletedJudgedQuestion = namedObject("DeletedJudgedQuestion", { id: text(), deleted: always(true) })
const JudgedPreview = namedObject("JudgedPreview", {
  total: count("All judged questions."),
  asked: count(),
  before: object(sums),
  after: object(sums),
  better: count("Questions whose pages would rank better."),
  worse: count(),
  questions: listOf(
    object({ id: text(), question: text(), before: object(mark), after: object(mark) }),
    "Questions that differ, biggest losses first.",
  ),
})
const ComparedRun = namedObject("ComparedRun", {
  run: JudgedRun,
  against: orNull(JudgedRun),
  questions: listOf(
    object({ id: text(), question: text(), ...mark, before: orNull(object(mark)) }),
    "Biggest losses first.",
  ),
  ...ofSlice,
})
const DeletedJudgedRun = namedObject("DeletedJudgedRun", { id: count(), deleted: always(true) })

const pages = {
  ...pagesSchema,
  description: "Pages that answer the question; `grade` says how well, from 1 (the default) to 10.",
}
const depthAsked = withDefault({ ...depth, description: "Depth of the searches." }, "basic")

const ofQuestion = { id: text("Id of the question.", { minLength: 1 }) }
const ofOneRun = { id: count("Number of the run.", { minimum: 1 }) }
const INSTALL = {
  question: "how do I install it",
  pages: [{ url: "https://docs.example.com/install", grade: 3 }],
}
const noQuestion = { summary: "An unknown question", path: { id: "000000000000" }, status: 404 }
const noRun = { summary: "An unknown run", path: { id: "999999" }, status: 404 }

/** Questions for which the right pages are known, and how well those pages rank. */
export const judgedOperations = operations("Judged questions", "admin", {
  listJudgedQuestions: {
    at: "GET /admin/judged-questions",
    summary: "Judged questions, with how each did in the last two runs",
    query: { question: filled("Only this question, regardless of case and white space."), ...sliceOf() },
    answers: ok(JudgedQuestions, "The questions."),
    examples: [{ summary: "The worst ones", query: { limit: "10" } }],
  },
  createJudgedQuestion: {
    at: "POST /admin/judged-questions",
    summary: "Add a question with the pages that answer it",
    body: bodyOf({ question: { ...questionSchema, description: "As people ask it." }, pages }),
    answers: created(JudgedQuestion, "Added."),
    refusals: [409, 422],
    examples: [{ summary: "A question with one page", body: INSTALL }],
  },
  exportJudgedQuestions: {
    at: "GET /admin/judged-questions.yaml",
    summary: "All judged questions as a file that `fossick judge` reads",
    answers: { 200: { description: "YAML.", schema: JudgedFile, type: "application/yaml" } },
    examples: [{ summary: "All of them" }],
  },
  importJudgedQuestions: {
    at: "POST /admin/judged-questions/import",
    summary: "Add the questions in a file",
    description:
      "A question that already exists gets the pages in the file. A file with errors changes nothing.",
    body: bodyOf({
      text: text("Contents of a file of judged questions, YAML or JSON."),
      ...optional({ alone: flag("Deletes all other questions.") }),
    }),
    answers: ok(ImportedQuestions, "Added."),
    refusals: [409, 422],
    examples: [
      {
        summary: "A file with one question",
        body: {
          text: "questions:\n  - question: pump\n    pages: [{ url: https://docs.example.com/pump }]\n",
        },
      },
      { summary: "A file with an error", body: { text: "questions: []" }, status: 422 },
    ],
  },
  previewJudgedQuestions: {
    at: "POST /admin/judged-questions/preview",
    summary: "How judged questions would do with other rules",
    description: "Nothing is saved. Each question is asked with the current rules and with the changed ones.",
    body: bodyOf(
      optional({
        ...triedRules,
        depth: depthAsked,
        most: withDefault(
          whole(
            1,
            MOST_PREVIEWED,
            "Maximum number of questions; if there are more, the same ones are asked each time.",
          ),
          MOST_PREVIEWED,
        ),
      }),
    ),
    answers: ok(JudgedPreview, "Before and after."),
    refusals: [422],
    examples: [
      {
        summary: "A synonym, tried",
        body: { rules: [{ id: "pumps", kind: "synonym", words: ["pump", "impeller"] }] },
      },
    ],
  },
  getJudgedQuestion: {
    at: "GET /admin/judged-questions/{id}",
    summary: "A judged question, and how it did in each run",
    path: ofQuestion,
    answers: ok(JudgedHistory, "The question."),
    refusals: [404],
    examples: [noQuestion],
  },
  changeJudgedQuestion: {
    at: "PUT /admin/judged-questions/{id}",
    summary: "Change the pages of a judged question",
    path: ofQuestion,
    body: bodyOf({ pages }),
    answers: ok(JudgedQuestion, "Changed."),
    refusals: [404, 409, 422],
    examples: [{ ...noQuestion, body: { pages: INSTALL.pages } }],
  },
  deleteJudgedQuestion: {
    at: "DELETE /admin/judged-questions/{id}",
    summary: "Delete a judged question",
    description: "Its marks are deleted too; the totals of runs don't change.",
    path: ofQuestion,
    answers: ok(DeletedJudgedQuestion, "Deleted."),
    refusals: [404],
    examples: [noQuestion],
  },
  listJudgedRuns: {
    at: "GET /admin/judged-runs",
    summary: "Runs of the judged questions",
    query: sliceOf(),
    answers: ok(JudgedRuns, "The runs."),
    examples: [{ summary: "All runs" }],
  },
  startJudgedRun: {
    at: "POST /admin/judged-runs",
    summary: "Ask the current index all judged questions",
    description:
      "The run continues after this answer; only one runs at a time. Fetch the run to see its progress.",
    body: bodyOf(
      optional({
        depth: depthAsked,
        note: withDefault(text("A note to find the run by.", { maxLength: MAX_NOTE_CHARS }), ""),
      }),
    ),
    answers: accepted(JudgedRun, "Started."),
    refusals: [409, 422],
    examples: [{ summary: "With a note", body: { note: "before the new model" } }],
  },
  getJudgedRun: {
    at: "GET /admin/judged-runs/{id}",
    summary: "A run, compared with another one",
    path: ofOneRun,
    query: {
      against: count("Number of the run to compare with; the finished run before it by default.", {
        minimum: 1,
      }),
      ...sliceOf(),
    },
    answers: ok(ComparedRun, "The run, question by question."),
    refusals: [404],
    examples: [noRun],
  },
  deleteJudgedRun: {
    at: "DELETE /admin/judged-runs/{id}",
    summary: "Delete a run; a run in progress ends",
    path: ofOneRun,
    answers: ok(DeletedJudgedRun, "Deleted."),
    refusals: [404],
    examples: [noRun],
  },
})
