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
  url: text("`file:` and the name, of a file that came along."),
  favicon: orNull(text("Address of the site's icon.")),
  ...optional({
    pages: listOf(
      text(),
      "In a PDF or a presentation: the pages or slides that the report cites, as readers know them; left out when they are not known.",
    ),
    addresses_models: addressesModels,
  }),
})
const ResearchTask = namedObject("ResearchTask", {
  request_id: taskId,
  created_at: time(),
  status: oneOf(["pending"]),
  input: text("As it was given."),
  model: oneOf(["mini", "pro"], "What `auto` chose."),
  response_time: responseTime,
  ...optional({ warnings }),
})
const ResearchInProgress = namedObject("ResearchInProgress", {
  request_id: taskId,
  status: oneOf(["pending", "in_progress"]),
  progress: object({
    searches: count("Searches made so far."),
    sources: count("Pages and files that say something."),
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
      content: anyOf([text("Markdown."), anyObject("Of the form in `output_schema`.")]),
      sources: listOf(ResearchSource, "In the order of their first citation."),
      response_time: responseTime,
      ...optional({
        missing: listOf(text(), "Values of the form that nothing found gives; they are null."),
        missing_reasons: byName(text(), "Why a value is missing, if known; by its path."),
        degraded,
        usage,
      }),
    }),
    object({
      request_id: taskId,
      status: oneOf(["failed"]),
      error: text("Why."),
      response_time: responseTime,
    }),
  ]),
)

/** Reports that are made in the background. */
export const researchOperations = operations("Research", "key", {
  research: {
    at: "POST /research",
    summary: "Have a report made",
    description: `Begins a task that runs in the background. With \`stream\` the answer is a stream of server-sent events (\`text/event-stream\`) that ends with \`event: done\`; hanging up ends the task. ${PRICES.research}`,
    body: {
      schema: publishedBody(researchSchema),
      required: true,
    },
    answers: {
      200: {
        description: "The task, which waits for its turn.",
        schema: ResearchTask,
        streams: true,
      },
    },
    refusals: [432, 433],
    examples: [
      { summary: "A task", body: { input: "How are roses pruned?", model: "mini" } },
      {
        summary: "A report of a form",
        body: {
          input: "Roses",
          output_schema: { properties: { season: { type: "string", description: "when to prune them" } } },
        },
      },
      {
        summary: "A report as it is made",
        body: { input: "How are roses pruned?", model: "mini", stream: true },
      },
      { summary: "A model that is not there", body: { input: "Roses", model: "max" }, status: 400 },
    ],
  },
  researchStatus: {
    at: "GET /research/{id}",
    summary: "See a task and its report",
    path: { id: text("`request_id` of the task.", { minLength: 1 }) },
    query: { include_usage: text("`true` adds `usage`, the credits that the report cost.") },
    answers: {
      200: { description: "The task has ended.", schema: ResearchReport },
      202: { description: "The task waits or is worked on.", schema: ResearchInProgress },
    },
    refusals: [404],
    examples: [
      {
        summary: "A task that is not there",
        path: { id: "00000000-0000-4000-8000-000000000000" },
        status: 404,
      },
    ],
  },
})
