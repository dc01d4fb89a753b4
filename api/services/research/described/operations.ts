import { PRICES } from "../../../identity/accounts/billing/credits.ts"
import {
  addressesModels,
  degraded,
  responseTime,
  usage,
  warnings,
} from "../../../server/operation/shared-fields.ts"
import { researchSchema } from "../request.ts"
import { operations } from "../../../server/operation/operation.ts"
import { publishedBody } from "../../../server/operation/published.ts"
import {
  anyObject,
  anyOf,
  byName,
  count,
  listOf,
  named,
  namedObject,
  object,
  oneOf,
  optional,
  orNull,
  text,
  time,
} from "../../../server/schema/schemas.ts"

const taskId = text("Id of the task.", { format: "uuid" })

const ResearchSource = namedObject("ResearchSource", {
  title: text(),
  url: text("Address of the page; for an attached file, `file:` and its name."),
  favicon: orNull(text("Address of the site's icon.")),
  ...optional({
    pages: listOf(
      text(),
      "In a PDF or a presentation: the pages or slides that the report cites, as numbered in the document; omitted if unknown.",
    ),
    addresses_models: addressesModels,
  }),
})
const ResearchTask = namedObject("ResearchTask", {
  request_id: taskId,
  created_at: time(),
  status: oneOf(["pending"]),
  input: text("As given."),
  model: oneOf(["mini", "pro"], "What `auto` chose."),
  response_time: responseTime,
  ...optional({ warnings }),
})
const ResearchInProgress = namedObject("ResearchInProgress", {
  request_id: taskId,
  status: oneOf(["pending", "in_progress"]),
  progress: object({
    searches: count("Searches made so far."),
    sources: count("Pages and files with statements."),
    findings: count("Statements found."),
  }),
  response_time: responseTime,
})
const ResearchReport = named(
  "ResearchReport",
  anyOf([
    object({
      request_id: taskId,
      created_at: time(),
      status: oneOf(["completed"]),
      content: anyOf([text("Markdown."), anyObject("An object of the form in `output_schema`.")]),
      sources: listOf(ResearchSource, "In the order of their first citation."),
      response_time: responseTime,
      ...optional({
        missing: listOf(text(), "Values in the form that no page gives; they are null."),
        missing_reasons: byName(text(), "Why a value is missing, if known, by its path."),
        degraded,
        usage,
      }),
    }),
    object({
      request_id: taskId,
      status: oneOf(["failed"]),
      error: text("Why it failed."),
      response_time: responseTime,
    }),
  ]),
)

/** Reports written in the background. */
export const researchOperations = operations("Research", "key", {
  research: {
    at: "POST /research",
    summary: "Create a report",
    description: `Starts a task that runs in the background. With \`stream\`, the answer is a stream of server-sent events (\`text/event-stream\`) that ends with \`event: done\`; closing the connection ends the task. ${PRICES.research}`,
    body: {
      schema: publishedBody(researchSchema),
      required: true,
    },
    answers: {
      200: {
        description: "The task, waiting for its turn.",
        schema: ResearchTask,
        streams: true,
      },
    },
    refusals: [432, 433],
    examples: [
      { summary: "A task", body: { input: "How are roses pruned?", model: "mini" } },
      {
        summary: "A structured report",
        body: {
          input: "Roses",
          output_schema: { properties: { season: { type: "string", description: "when to prune them" } } },
        },
      },
      {
        summary: "A streamed report",
        body: { input: "How are roses pruned?", model: "mini", stream: true },
      },
      { summary: "A model that doesn't exist", body: { input: "Roses", model: "max" }, status: 400 },
    ],
  },
  researchStatus: {
    at: "GET /research/{id}",
    summary: "Show a task and its report",
    path: { id: text("`request_id` of the task.", { minLength: 1 }) },
    query: { include_usage: text("`true` adds `usage`, the credits that the report cost.") },
    answers: {
      200: { description: "The task has ended.", schema: ResearchReport },
      202: { description: "The task is waiting or in progress.", schema: ResearchInProgress },
    },
    refusals: [404],
    examples: [
      {
        summary: "A task that doesn't exist",
        path: { id: "00000000-0000-4000-8000-000000000000" },
        status: 404,
      },
    ],
  },
})
