import { PRICES } from "../../../identity/accounts/billing/credits.ts"
import { addressesModels, degraded, warnings } from "../../../server/operation/shared-fields.ts"
import { researchSchema } from "../request.ts"
import { NOT_BLANK } from "../../../server/wire/validate.ts"
import { outputSchemas } from "../report/output-schema.ts"
import type { JsonSchema, Operation } from "../../../server/operation/operation.ts"
import { publishedBody } from "../../../server/operation/published.ts"
import { count, listOf, object, oneOf, orNull, ref, text, time } from "../../../server/operation/schemas.ts"

const responseTime = { type: "number", minimum: 0, description: "Seconds." }
const taskId = { type: "string", format: "uuid", description: "Id of the task." }

export const researchSchemas: Readonly<Record<string, JsonSchema>> = {
  ...outputSchemas,
  ResearchSource: object(
    {
      title: text(),
      url: text("`file:` and the name, of a file that came along."),
      favicon: orNull(text("Address of the site's icon.")),
    },
    { optional: { addresses_models: addressesModels } },
  ),
  ResearchTask: object(
    {
      request_id: taskId,
      created_at: time(),
      status: oneOf(["pending"]),
      input: text("As it was given."),
      model: oneOf(["mini", "pro"], "What `auto` chose."),
      response_time: responseTime,
    },
    { optional: { warnings } },
  ),
  ResearchInProgress: object({
    request_id: taskId,
    status: oneOf(["pending", "in_progress"]),
    progress: object({
      searches: count("Searches made so far."),
      sources: count("Pages and files that say something."),
      findings: count("Statements found."),
    }),
    response_time: responseTime,
  }),
  ResearchReport: {
    anyOf: [
      object(
        {
          request_id: taskId,
          created_at: time(),
          status: oneOf(["completed"]),
          content: {
            anyOf: [text("Markdown."), { type: "object", description: "Of the form in `output_schema`." }],
          },
          sources: listOf(ref("ResearchSource"), "In the order of their first citation."),
          response_time: responseTime,
        },
        {
          optional: {
            missing: listOf(text(), "Values of the form that nothing found gives; they are null."),
            degraded,
            usage: ref("Usage"),
          },
        },
      ),
      object({
        request_id: taskId,
        status: oneOf(["failed"]),
        error: text("Why."),
        response_time: responseTime,
      }),
    ],
  },
}

/** Reports that are made in the background. */
export const researchOperations: readonly Operation[] = [
  {
    id: "research",
    method: "post",
    path: "/research",
    tag: "Research",
    summary: "Have a report made",
    description: `Begins a task that runs in the background. With \`stream\` the answer is a stream of server-sent events (\`text/event-stream\`) that ends with \`event: done\`; hanging up ends the task. ${PRICES.research}`,
    access: "key",
    body: {
      schema: publishedBody(researchSchema, {
        input: { pattern: NOT_BLANK },
        output_schema: ref("OutputSchema"),
      }),
      required: true,
    },
    answers: {
      200: {
        description: "The task, which waits for its turn.",
        schema: ref("ResearchTask"),
        streams: true,
      },
    },
    refusals: [432, 433],
    examples: [
      { summary: "A task", body: { input: "How are roses pruned?", model: "mini" }, status: 200 },
      {
        summary: "A report of a form",
        body: {
          input: "Roses",
          output_schema: { properties: { season: { type: "string", description: "when to prune them" } } },
        },
        status: 200,
      },
      {
        summary: "A report as it is made",
        body: { input: "How are roses pruned?", model: "mini", stream: true },
        status: 200,
      },
      { summary: "A model that is not there", body: { input: "Roses", model: "max" }, status: 400 },
    ],
  },
  {
    id: "researchStatus",
    method: "get",
    path: "/research/{id}",
    tag: "Research",
    summary: "See a task and its report",
    access: "key",
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "`request_id` of the task.",
        schema: { type: "string", minLength: 1 },
      },
      {
        name: "include_usage",
        in: "query",
        description: "`true` adds `usage`, the credits that the report cost.",
        schema: { type: "string" },
      },
    ],
    answers: {
      200: { description: "The task has ended.", schema: ref("ResearchReport") },
      202: { description: "The task waits or is worked on.", schema: ref("ResearchInProgress") },
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
]
