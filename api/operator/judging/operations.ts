import { DEPTHS, importBody, judgedPreviewBody, pagesBody, questionBody, runBody } from "./judged-bodies.ts"
import { RUN_STATES } from "./run-store.ts"
import { type BodySchema, DEFAULT_LIMIT, MAX_LIMIT } from "../../server/wire/body-schema.ts"
import { NOT_BLANK } from "../../server/wire/validate.ts"
import { type JsonSchema, type Operation, type Parameter, query } from "../../server/operation/operation.ts"
import {
  count,
  listOf,
  object,
  oneOf,
  orNull,
  ref,
  text,
  time,
  yesNo,
} from "../../server/operation/schemas.ts"

const share = (description: string): JsonSchema => ({ type: "number", minimum: 0, maximum: 1, description })
const ndcg = share("nDCG@10.")
const rank: JsonSchema = {
  type: ["integer", "null"],
  minimum: 1,
  maximum: 10,
  description: "Of the first expected page; null: none is among the first ten.",
}
const mark = { ndcg, rank }
const sums = {
  ndcg: share("Mean nDCG@10."),
  hit1: share("Share with an expected page first."),
  hit3: share("Share with one among the first three."),
}
const question = {
  id: text("The same for each spelling of the question that differs in case and white space."),
  question: text(),
  pages: listOf(object({ url: text(), grade: { type: "integer", minimum: 1, maximum: 10 } })),
  changed_at: time(),
}
const run = {
  id: count(),
  state: oneOf(RUN_STATES, "`interrupted`: its process ended before it did."),
  started_at: time(),
  ended_at: orNull(time()),
  depth: oneOf(DEPTHS),
  note: text(),
  questions: count("To ask."),
  asked: count("So far."),
  ndcg: orNull(sums.ndcg),
  hit1: orNull(sums.hit1),
  hit3: orNull(sums.hit3),
  generation: text("Name of the index's generation."),
  embedder: text("Id of the model that made its vectors."),
  pages: count("In the index."),
  rules_version: count(),
  rules_digest: text("The same for the same rules."),
  problem: orNull(text("Why it failed, or what some of its questions were answered without.")),
}
const list = { total: count(), limit: count(), offset: count() }
const ofRun = orNull(object({ run: count("Number of the run."), ...mark }))

export const judgedSchemas = {
  JudgedQuestion: object(question),
  JudgedQuestions: object({
    questions: listOf(
      object({ ...question, latest: ofRun, before: ofRun }),
      "The worst of the latest run first.",
    ),
    ...list,
  }),
  JudgedHistory: object({
    ...question,
    history: listOf(object({ run: ref("JudgedRun"), ...mark }), "The newest run first."),
  }),
  JudgedFile: object({
    questions: listOf(
      object({
        question: text(),
        pages: listOf(
          object(
            { url: text() },
            {
              optional: { grade: { ...count("How well it answers; left out: 1."), minimum: 1, maximum: 10 } },
            },
          ),
        ),
      }),
    ),
  }),
  ImportedQuestions: object({
    added: count(),
    changed: count("Those that got other pages."),
    deleted: count(),
    total: count("All there are."),
  }),
  DeletedJudgedQuestion: object({ id: text(), deleted: yesNo() }),
  JudgedPreview: object({
    total: count("All judged questions."),
    asked: count(),
    before: object(sums),
    after: object(sums),
    better: count("Questions whose pages would rank better."),
    worse: count(),
    questions: listOf(
      object({ id: text(), question: text(), before: object(mark), after: object(mark) }),
      "Those that differ; what loses most comes first.",
    ),
  }),
  JudgedRun: object(run),
  JudgedRuns: object({ runs: listOf(ref("JudgedRun"), "Newest first."), ...list }),
  ComparedRun: object({
    run: ref("JudgedRun"),
    against: orNull(ref("JudgedRun")),
    questions: listOf(
      object({ id: text(), question: text(), ...mark, before: orNull(object(mark)) }),
      "What lost most comes first.",
    ),
    ...list,
  }),
  DeletedJudgedRun: object({ id: count(), deleted: yesNo() }),
}

const strict = <T>(schema: BodySchema<T>): JsonSchema => ({
  type: "object",
  ...schema,
  additionalProperties: false,
})
const slice = [
  query("limit", "Entries at most.", {
    type: "integer",
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  }),
  query("offset", "Entries to leave out.", { type: "integer", minimum: 0, default: 0 }),
]
const inPath = (description: string, schema: JsonSchema): Parameter => ({
  name: "id",
  in: "path",
  required: true,
  description,
  schema,
})
const questionId = inPath("Id of the question.", { type: "string", minLength: 1 })
const runId = inPath("Number of the run.", { type: "integer", minimum: 1 })
const NONE = { id: "000000000000" }
const NO_RUN = { id: "999999" }
const INSTALL = {
  question: "how do I install it",
  pages: [{ url: "https://docs.example.com/install", grade: 3 }],
}
const operation = (given: Omit<Operation, "access" | "tag">): Operation => ({
  access: "admin",
  tag: "Judged questions",
  ...given,
})
const ok = (schema: string, description: string) => ({ 200: { description, schema: ref(schema) } })

/** Questions whose right pages are known, and how well these rank. */
export const judgedOperations: readonly Operation[] = [
  operation({
    id: "listJudgedQuestions",
    method: "get",
    path: "/admin/judged-questions",
    summary: "Judged questions, with how each did in the last two runs",
    parameters: [
      query("question", "This one alone, whatever its case and white space.", {
        type: "string",
        pattern: NOT_BLANK,
      }),
      ...slice,
    ],
    answers: ok("JudgedQuestions", "The questions."),
    examples: [{ summary: "The worst ones", query: { limit: "10" }, status: 200 }],
  }),
  operation({
    id: "createJudgedQuestion",
    method: "post",
    path: "/admin/judged-questions",
    summary: "Add a question with the pages that answer it",
    body: { schema: strict(questionBody), required: true },
    answers: { 201: { description: "Added.", schema: ref("JudgedQuestion") } },
    refusals: [409, 422],
    examples: [{ summary: "A question with one page", body: INSTALL, status: 201 }],
  }),
  operation({
    id: "exportJudgedQuestions",
    method: "get",
    path: "/admin/judged-questions.yaml",
    summary: "All judged questions as a file that `fossick judge` reads",
    answers: { 200: { description: "YAML.", schema: ref("JudgedFile"), type: "application/yaml" } },
    examples: [{ summary: "All of them", status: 200 }],
  }),
  operation({
    id: "importJudgedQuestions",
    method: "post",
    path: "/admin/judged-questions/import",
    summary: "Add the questions of a file",
    description: "A question that is there gets the pages of the file. A file that is wrong changes nothing.",
    body: { schema: strict(importBody), required: true },
    answers: ok("ImportedQuestions", "Added."),
    refusals: [409, 422],
    examples: [
      {
        summary: "A file of one question",
        body: {
          text: "questions:\n  - question: pump\n    pages: [{ url: https://docs.example.com/pump }]\n",
        },
        status: 200,
      },
      { summary: "A file that is wrong", body: { text: "questions: []" }, status: 422 },
    ],
  }),
  operation({
    id: "previewJudgedQuestions",
    method: "post",
    path: "/admin/judged-questions/preview",
    summary: "How judged questions would do with other rules",
    description: "Nothing is saved. Each question is asked with the rules as they are and as they would be.",
    body: {
      schema: {
        ...strict(judgedPreviewBody),
        properties: {
          ...judgedPreviewBody.properties,
          rules: { ...judgedPreviewBody.properties.rules, items: ref("Rule") },
        },
      },
      required: false,
    },
    answers: ok("JudgedPreview", "Before and after."),
    refusals: [422],
    examples: [
      {
        summary: "A synonym, tried",
        body: { rules: [{ id: "pumps", kind: "synonym", words: ["pump", "impeller"] }] },
        status: 200,
      },
    ],
  }),
  operation({
    id: "getJudgedQuestion",
    method: "get",
    path: "/admin/judged-questions/{id}",
    summary: "A judged question, and how it did in each run",
    parameters: [questionId],
    answers: ok("JudgedHistory", "The question."),
    refusals: [404],
    examples: [{ summary: "A question that there is not", path: NONE, status: 404 }],
  }),
  operation({
    id: "changeJudgedQuestion",
    method: "put",
    path: "/admin/judged-questions/{id}",
    summary: "Give a judged question other pages",
    parameters: [questionId],
    body: { schema: strict(pagesBody), required: true },
    answers: ok("JudgedQuestion", "Changed."),
    refusals: [404, 409, 422],
    examples: [
      { summary: "A question that there is not", path: NONE, body: { pages: INSTALL.pages }, status: 404 },
    ],
  }),
  operation({
    id: "deleteJudgedQuestion",
    method: "delete",
    path: "/admin/judged-questions/{id}",
    summary: "Delete a judged question",
    description: "With its marks; the sums of runs stay as they were.",
    parameters: [questionId],
    answers: ok("DeletedJudgedQuestion", "Deleted."),
    refusals: [404],
    examples: [{ summary: "A question that there is not", path: NONE, status: 404 }],
  }),
  operation({
    id: "listJudgedRuns",
    method: "get",
    path: "/admin/judged-runs",
    summary: "Runs of the judged questions",
    parameters: slice,
    answers: ok("JudgedRuns", "The runs."),
    examples: [{ summary: "All runs", status: 200 }],
  }),
  operation({
    id: "startJudgedRun",
    method: "post",
    path: "/admin/judged-runs",
    summary: "Ask all judged questions of the index as it is",
    description: "The run goes on after this answer, one at a time. Ask for it again to see how far it is.",
    body: { schema: strict(runBody), required: false },
    answers: { 202: { description: "Begun.", schema: ref("JudgedRun") } },
    refusals: [409, 422],
    examples: [{ summary: "With a note", body: { note: "before the new model" }, status: 202 }],
  }),
  operation({
    id: "getJudgedRun",
    method: "get",
    path: "/admin/judged-runs/{id}",
    summary: "A run, beside another one",
    parameters: [
      runId,
      query("against", "Number of the run to compare with; default: the finished one before.", {
        type: "integer",
        minimum: 1,
      }),
      ...slice,
    ],
    answers: ok("ComparedRun", "The run, question by question."),
    refusals: [404],
    examples: [{ summary: "A run that there is not", path: NO_RUN, status: 404 }],
  }),
  operation({
    id: "deleteJudgedRun",
    method: "delete",
    path: "/admin/judged-runs/{id}",
    summary: "Delete a run; one that is under way ends",
    parameters: [runId],
    answers: ok("DeletedJudgedRun", "Deleted."),
    refusals: [404],
    examples: [{ summary: "A run that there is not", path: NO_RUN, status: 404 }],
  }),
]
