import { JOB_STATES } from "#crawler/job.ts"
import { OUTCOME_WORDS } from "#crawler/jobs/progress.ts"

import {
  ADDRESS_CURSOR,
  DELIVERY_STATES,
  MAX_LINES,
  MAX_NEXT_RUNS,
  MAX_QUERY_CHARS,
  modelBody,
  noFields,
  REMOVAL_STATES,
  removalsBody,
  skipHostBody,
  RESTORED_BY,
  RUN_BY,
  restoreBody,
  runBody,
  proposeBody,
  recrawlBody,
  draftBody,
  runSeveralBody,
  STREAM_SECONDS,
  USE_PERIODS,
  DEFAULT_USE_DAYS,
  tryBody,
} from "../schemas.ts"
import { applianceBody } from "../../../faces/appliance-body.ts"
import { type BodySchema, DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"
import { NOT_BLANK } from "../../../server/wire/validate.ts"
import {
  EVENT_STREAM,
  EVENTS,
  type Example,
  type JsonSchema,
  type Operation,
  type Parameter,
  query,
} from "../../../server/operation/operation.ts"
import { ref } from "../../../server/operation/schemas.ts"
import { slice } from "../../../server/operation/shared-fields.ts"
import { sourceNameField } from "./answers.ts"
import { paymentOperations } from "../../../doors/x402/books/operations.ts"

const strict = <T>(schema: BodySchema<T>): JsonSchema => ({
  type: "object",
  ...schema,
  additionalProperties: false,
})

const path = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: "path",
  required: true,
  description,
  schema,
})
const whole = (minimum: number, maximum: number, value: number): JsonSchema => ({
  type: "integer",
  minimum,
  maximum,
  default: value,
})

/** What an address has to begin with, as far as a schema can say what one is. */
const webAddress: JsonSchema = { type: "string", pattern: String.raw`^\s*[Hh][Tt][Tt][Pp][Ss]?://` }
/** A text in a query: blank ones are refused. */
const notBlank: JsonSchema = { type: "string", pattern: NOT_BLANK }
const ofSource = query("source", "Of this source only; a name that there is not is refused.", notBlank)
const newSourceName = path("name", "Name of the source.", sourceNameField)
const sourceName = path("name", "Name of the source.", { type: "string", minLength: 1 })
const jobId = path("id", "Number of the job.", { type: "integer", minimum: 1 })

const SOURCE = { name: "docs" }
const list = (schema: string, description: string) => ({ 200: { description, schema: ref(schema) } })
const one = (summary: string, given: Partial<Example> = {}): readonly Example[] => [
  { summary, status: 200, ...given },
]

/** The parts of an operation that all of the admin API share. */
const admin = (
  given: Omit<Operation, "access" | "tag"> & {
    readonly tag: "Sources" | "Jobs" | "Removals" | "Pages" | "Webhooks" | "Feedback" | "Usage"
  },
): Operation => ({ access: "admin", ...given })
const noBody = { schema: strict(noFields), required: false }

const sourceActions = (["pause", "resume"] as const).map((action) =>
  admin({
    id: `${action}Source`,
    method: "post",
    path: `/admin/sources/{name}/${action}`,
    tag: "Sources",
    summary: action === "pause" ? "Hold its schedule" : "Let its schedule go on",
    parameters: [sourceName],
    body: noBody,
    answers: list("SourceEntry", "The source."),
    refusals: [404, 409, 422],
    examples: one(action === "pause" ? "Hold it" : "Go on", { path: SOURCE }),
  }),
)

const jobActions = (["pause", "resume", "cancel"] as const).map((action) =>
  admin({
    id: `${action}Job`,
    method: "post",
    path: `/admin/jobs/{id}/${action}`,
    tag: "Jobs",
    summary: { pause: "Interrupt it", resume: "Let it go on", cancel: "End it for good" }[action],
    description: "A job that is running finishes the pages in hand first.",
    parameters: [jobId],
    body: noBody,
    answers: { 202: { description: "The job as it stands.", schema: ref("Job") } },
    refusals: [404, 409, 422],
    examples: one({ pause: "Interrupt", resume: "Go on", cancel: "End" }[action], {
      path: { id: "1" },
      status: 202,
    }),
  }),
)

const skipHost = admin({
  id: "skipHost",
  method: "post",
  path: "/admin/jobs/{id}/skip-host",
  tag: "Jobs",
  summary: "Give up a host for this run",
  description:
    "Its addresses end at once, as those of a host that was given up; pages that are known stay, and the next run visits it again.",
  parameters: [jobId],
  body: { schema: strict(skipHostBody), required: true },
  answers: { 202: { description: "The job as it stands.", schema: ref("Job") } },
  refusals: [404, 409, 422],
  examples: one("Nothing waits there", { path: { id: "1" }, body: { host: "old.example.org" }, status: 409 }),
})

const removalAnswers = (["approve", "reject"] as const).map((answer) =>
  admin({
    id: `${answer}Removals`,
    method: "post",
    path: `/admin/removals/${answer}`,
    tag: "Removals",
    summary: answer === "approve" ? "What waits is removed" : "What waits stays",
    body: { schema: strict(removalsBody), required: true },
    answers: { 202: { description: "The crawler carries it out.", schema: ref("RemovalsAnswered") } },
    refusals: [409, 422],
    examples: one("Nothing waits", { body: { source: "docs" }, status: 409 }),
  }),
)

/** `/admin/…`. */
export const adminOperations: readonly Operation[] = [
  admin({
    id: "getAppliance",
    method: "get",
    path: "/admin/appliance",
    tag: "Pages",
    summary: "What the appliance is called, and whether it is new",
    answers: list("Appliance", "The appliance."),
    examples: one("The appliance"),
  }),
  admin({
    id: "nameAppliance",
    method: "put",
    path: "/admin/appliance",
    tag: "Pages",
    summary: "Name it",
    body: { schema: strict(applianceBody), required: true },
    answers: list("Appliance", "The appliance."),
    refusals: [422],
    examples: one("A name", { body: { name: "Pump works" } }),
  }),
  admin({
    id: "listSources",
    method: "get",
    path: "/admin/sources",
    tag: "Sources",
    summary: "The declared sources",
    parameters: slice,
    answers: list("SourceList", "The sources."),
    examples: one("All sources"),
  }),
  admin({
    id: "putSource",
    method: "put",
    path: "/admin/sources/{name}",
    tag: "Sources",
    summary: "Declare a source, or replace it whole",
    description: "What is left out has its default again. A source of the file of sources is changed there.",
    parameters: [
      newSourceName,
      query("run", "Whether it is run at once.", { type: "boolean", default: false }),
    ],
    body: { schema: ref("Source"), required: true },
    answers: {
      200: { description: "Replaced.", schema: ref("SourceEntry") },
      201: { description: "Declared.", schema: ref("SourceEntry") },
    },
    refusals: [409, 422],
    examples: [
      {
        summary: "A site, every night",
        path: SOURCE,
        body: { seeds: ["https://docs.example.com/"], schedule: "15 3 * * *" },
        status: 201,
      },
      { summary: "No site", path: SOURCE, body: {}, status: 422 },
    ],
  }),
  admin({
    id: "getSource",
    method: "get",
    path: "/admin/sources/{name}",
    tag: "Sources",
    summary: "One source",
    parameters: [sourceName],
    answers: list("SourceEntry", "The source."),
    refusals: [404],
    examples: one("One source", { path: SOURCE }),
  }),
  admin({
    id: "nextRuns",
    method: "get",
    path: "/admin/sources/{name}/next-runs",
    tag: "Sources",
    summary: "When it runs next",
    parameters: [sourceName, query("count", "Runs to name.", whole(1, MAX_NEXT_RUNS, 5))],
    answers: list("NextRuns", "The times."),
    refusals: [404],
    examples: one("The next three", { path: SOURCE, query: { count: "3" } }),
  }),
  admin({
    id: "fullCrawl",
    method: "get",
    path: "/admin/sources/{name}/full-crawl",
    tag: "Sources",
    summary: "How long a run over all of it takes",
    description:
      "By what earlier runs know and the pace of its hosts; nothing is fetched. A site that is slow, or asks for more patience, takes longer.",
    parameters: [sourceName],
    answers: list("FullCrawl", "Pages and seconds."),
    refusals: [404],
    examples: one("Before it is run", { path: SOURCE }),
  }),
  ...sourceActions,
  admin({
    id: "runSource",
    method: "post",
    path: "/admin/sources/{name}/run",
    tag: "Sources",
    summary: "Run it now",
    parameters: [sourceName],
    body: { schema: strict(runBody), required: false },
    answers: { 202: { description: "The job.", schema: ref("Job") } },
    refusals: [404, 409, 422],
    examples: one("What is due", { path: SOURCE, body: { visits: "due" }, status: 202 }),
  }),
  admin({
    id: "runSources",
    method: "post",
    path: "/admin/sources/run",
    tag: "Sources",
    summary: "Run several now",
    description:
      "All of them, or none when a name is unknown. One that runs already is answered with that job.",
    body: {
      schema: { ...strict(runSeveralBody), oneOf: RUN_BY.map((field) => ({ required: [field] })) },
      required: true,
    },
    answers: { 202: { description: "The jobs.", schema: ref("JobsStarted") } },
    refusals: [422],
    examples: one("All of them", { body: { all: true }, status: 202 }),
  }),
  admin({
    id: "listJobs",
    method: "get",
    path: "/admin/jobs",
    tag: "Jobs",
    summary: "Runs, newest first",
    parameters: [
      ofSource,
      query("state", "In this state only.", { type: "string", enum: JOB_STATES }),
      ...slice,
    ],
    answers: list("JobList", "The jobs."),
    examples: one("The last five", { query: { limit: "5" } }),
  }),
  admin({
    id: "getJob",
    method: "get",
    path: "/admin/jobs/{id}",
    tag: "Jobs",
    summary: "One run: its counts, its log, what failed",
    parameters: [
      jobId,
      query("log_limit", "Lines of its log at most.", whole(0, MAX_LINES, 100)),
      query("failure_limit", "Failures at most.", whole(0, MAX_LINES, 100)),
    ],
    answers: list("JobDetail", "The job."),
    refusals: [404],
    examples: [
      { summary: "One run", path: { id: "1" }, status: 200 },
      { summary: "No such run", path: { id: "999999" }, status: 404 },
    ],
  }),
  admin({
    id: "listAddressesOfJob",
    method: "get",
    path: "/admin/jobs/{id}/addresses",
    tag: "Jobs",
    summary: "Every address of a run, by how its visit ended",
    description:
      "Addresses that failed are kept of the last 20 runs of a source. Others are listed with the run that visited them last.",
    parameters: [
      jobId,
      query("outcome", "Only those that ended so: `skipped:empty`, `empty`, or `failed` for all of them.", {
        type: "string",
        enum: OUTCOME_WORDS,
      }),
      query("limit", "Addresses at most.", whole(1, MAX_LIMIT, DEFAULT_LIMIT)),
      query("after", "`next` of the answer before.", { type: "string", pattern: ADDRESS_CURSOR }),
    ],
    answers: list("JobAddresses", "The addresses."),
    refusals: [404],
    examples: [
      { summary: "All of one run", path: { id: "1" }, status: 200 },
      { summary: "Those that failed", path: { id: "1" }, query: { outcome: "failed" }, status: 200 },
    ],
  }),
  ...jobActions,
  skipHost,
  admin({
    id: "deleteSource",
    method: "delete",
    path: "/admin/sources/{name}",
    tag: "Sources",
    summary: "Take it away, and cancel its jobs",
    parameters: [
      sourceName,
      query("remove_pages", "Whether its pages leave the index.", { type: "boolean", default: false }),
    ],
    answers: list("SourceDeleted", "It is gone."),
    refusals: [404, 409],
    examples: one("With its pages", { path: SOURCE, query: { remove_pages: "true" } }),
  }),
  admin({
    id: "listRemovals",
    method: "get",
    path: "/admin/removals",
    tag: "Removals",
    summary: "Pages that are gone, or seem to be",
    parameters: [
      query("state", "In this state.", { type: "string", enum: REMOVAL_STATES, default: "held" }),
      ofSource,
      ...slice,
    ],
    answers: list("Removals", "The pages, and what waits for an answer."),
    examples: one("What waits"),
  }),
  ...removalAnswers,
  admin({
    id: "restoreRemovals",
    method: "post",
    path: "/admin/removals/restore",
    tag: "Removals",
    summary: "Put removed pages back",
    body: {
      schema: { ...strict(restoreBody), oneOf: RESTORED_BY.map((field) => ({ required: [field] })) },
      required: true,
    },
    answers: { 202: { description: "The crawler carries it out.", schema: ref("RemovalsRestored") } },
    refusals: [409, 422],
    examples: one("Nothing to put back", { body: { source: "docs" }, status: 409 }),
  }),
  admin({
    id: "why",
    method: "get",
    path: "/admin/why",
    tag: "Pages",
    summary: "Why a page is found, or is not",
    parameters: [
      query("url", "The page.", webAddress, true),
      query("query", "Where it stands among the results for this is said, too.", {
        ...notBlank,
        maxLength: MAX_QUERY_CHARS,
      }),
    ],
    answers: list("Trace", "Step by step."),
    refusals: [503],
    examples: one("A page that is not there", { query: { url: "https://docs.example.com/missing" } }),
  }),
  admin({
    id: "try",
    method: "post",
    path: "/admin/try",
    tag: "Pages",
    summary: "Read a page now as a run would, and index nothing",
    body: {
      schema: strict({
        ...tryBody,
        properties: { ...tryBody.properties, url: { ...tryBody.properties.url, ...webAddress } },
      }),
      required: true,
    },
    answers: list("Tried", "What a run would make of it."),
    refusals: [404, 409, 422],
    examples: one("An address that may not be read", {
      body: { url: "http://127.0.0.1:9/", rendering: "http" },
    }),
  }),
  admin({
    id: "pageState",
    method: "get",
    path: "/admin/page",
    tag: "Pages",
    summary: "One page as the index holds it: its passages, its dates, what links to it",
    description: "Asks no site. Links are looked for in up to 20,000 pages of each of its sources.",
    parameters: [query("url", "The page.", webAddress, true)],
    answers: list("PageState", "The page."),
    refusals: [503],
    examples: one("A page that is not there", { query: { url: "https://docs.example.com/missing" } }),
  }),
  admin({
    id: "recrawlPage",
    method: "post",
    path: "/admin/page/recrawl",
    tag: "Pages",
    summary: "Visit a page again now",
    description:
      "Its sources run over what is due, this page among the first; it is read in full whatever its site says of changes. A source that runs already is answered with that job.",
    body: {
      schema: strict({
        ...recrawlBody,
        properties: { url: { ...recrawlBody.properties.url, ...webAddress } },
      }),
      required: true,
    },
    answers: { 202: { description: "The jobs.", schema: ref("PageRecrawl") } },
    refusals: [409, 422],
    examples: one("A page that no source has met", {
      body: { url: "https://docs.example.com/missing" },
      status: 409,
    }),
  }),
  admin({
    id: "listAlerts",
    method: "get",
    path: "/admin/alerts",
    tag: "Webhooks",
    summary: "Sources and backups that go wrong, and the messages that tell of it",
    parameters: [
      query(
        "mail_limit",
        "Messages at most by each channel, newest first.",
        whole(0, MAX_LIMIT, DEFAULT_LIMIT),
      ),
    ],
    answers: list("Alerts", "What goes wrong now; `told_at` is null while its bad runs are few."),
    examples: one("All of them"),
  }),
  admin({
    id: "testAlerts",
    method: "post",
    path: "/admin/alerts/test",
    tag: "Webhooks",
    summary: "Send a test to each receiver of alerts now",
    description:
      "One message to each address of `FOSSICK_ALERT_EMAIL`, to `FOSSICK_ALERT_NTFY` and to `FOSSICK_ALERT_WEBHOOK`. It answers when all of them have; nothing is tried again.",
    body: noBody,
    answers: list("AlertsTested", "How it went, receiver by receiver."),
    refusals: [409, 422],
    examples: one("No receiver is set", { status: 409 }),
  }),
  admin({
    id: "proposeSource",
    method: "post",
    path: "/admin/sources/propose",
    tag: "Sources",
    summary: "Look once at a site, and propose how to crawl it",
    description:
      "A dozen requests at most, politely; it takes seconds, for a slow site up to a minute and a half. Declares nothing: `source` is what `PUT /admin/sources/{name}` takes.",
    body: {
      schema: strict({
        ...proposeBody,
        properties: { ...proposeBody.properties, url: { ...proposeBody.properties.url, ...webAddress } },
      }),
      required: true,
    },
    answers: list("Proposal", "What was found, and the source that fits."),
    refusals: [409, 422],
    examples: one("An address that may not be read", { body: { url: "http://127.0.0.1:9/" } }),
  }),
  admin({
    id: "previewSource",
    method: "post",
    path: "/admin/sources/preview",
    tag: "Sources",
    summary: "What a source would be, without declaring it",
    description:
      "The same checks as `PUT /admin/sources/{name}`, told as an answer; the text for a file of sources; how long a run would take. Nothing is fetched.",
    body: { schema: strict(draftBody), required: true },
    answers: list("SourcePreview", "What is wrong, and how it is written."),
    refusals: [422],
    examples: one("While it is written", { body: { source: { name: "docs", seeds: [] } } }),
  }),
  admin({
    id: "trySource",
    method: "post",
    path: "/admin/sources/trial",
    tag: "Sources",
    summary: "Try a source before it is declared: its login, and up to five of its pages",
    description:
      "As a run would read them, with the pauses that the site is due; it takes seconds, for a slow site up to a minute and a half. Indexes nothing. One that may not be declared is not tried: `problems` say why.",
    body: { schema: strict(draftBody), required: true },
    answers: list("SourceTrial", "How it went."),
    refusals: [409, 422],
    examples: one("A source that may not be declared", {
      body: { source: { name: "router", seeds: ["http://127.0.0.1:9/"] } },
    }),
  }),
  admin({
    id: "sourceWritten",
    method: "get",
    path: "/admin/sources/{name}/written",
    tag: "Sources",
    summary: "One source as a file of sources would have it",
    parameters: [sourceName],
    answers: list("SourceWritten", "The source."),
    refusals: [404],
    examples: one("No such source", { path: { name: "none" }, status: 404 }),
  }),
  admin({
    id: "listDeliveries",
    method: "get",
    path: "/admin/webhooks/deliveries",
    tag: "Webhooks",
    summary: "What was sent to webhooks, newest first",
    parameters: [query("state", "In this state only.", { type: "string", enum: DELIVERY_STATES }), ...slice],
    answers: list("DeliveryList", "The messages."),
    examples: one("All of them"),
  }),
  admin({
    id: "retryDelivery",
    method: "post",
    path: "/admin/webhooks/deliveries/{id}/retry",
    tag: "Webhooks",
    summary: "Send one again now",
    parameters: [path("id", "Of the message.", { type: "string", minLength: 1 })],
    body: noBody,
    answers: { 202: { description: "It waits to be sent.", schema: ref("DeliveryRetried") } },
    refusals: [404, 422],
    examples: one("No such message", { path: { id: "none" }, status: 404 }),
  }),
  admin({
    id: "followEvents",
    method: "get",
    path: "/admin/events",
    tag: "Jobs",
    summary: "What runs, told as it changes",
    description: `Server-sent events, each all of its topic: \`runs\` (\`{"jobs", "running", "queued", "last"}\`, jobs as in \`/admin/jobs\`), \`vectors\` (\`index\` as in \`/admin/index\`) and \`removals\` (\`held\` as in \`/admin/removals\`). The stream begins with all of them; with the header \`Last-Event-ID\` with those that changed since. It ends after a minute: clients ask again. At most \`FOSSICK_EVENT_STREAMS\` are open at a time.`,
    parameters: [
      query("seconds", "After which the stream ends.", {
        type: "integer",
        minimum: 1,
        maximum: STREAM_SECONDS,
        default: STREAM_SECONDS,
      }),
    ],
    answers: {
      200: { description: "The events.", schema: EVENTS, type: EVENT_STREAM },
    },
    refusals: [429],
    examples: one("For a second", { query: { seconds: "1" } }),
  }),
  admin({
    id: "listFeedback",
    method: "get",
    path: "/admin/feedback",
    tag: "Feedback",
    summary: "What callers think of their answers, newest first",
    parameters: slice,
    answers: list("FeedbackList", "The feedback."),
    examples: one("All of it"),
  }),
  admin({
    id: "listPageRequests",
    method: "get",
    path: "/admin/page-requests",
    tag: "Feedback",
    summary: "Pages that callers ask for, what most keys want first",
    parameters: slice,
    answers: list("PageRequestList", "What is asked for."),
    examples: one("All of it"),
  }),
  admin({
    id: "settlePageRequest",
    method: "delete",
    path: "/admin/page-requests/{id}",
    tag: "Feedback",
    summary: "Forget a request, since it was met or will not be",
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "Of the request.",
        schema: { type: "string", minLength: 1 },
      },
    ],
    answers: list("PageRequestSettled", "It is gone."),
    refusals: [404],
    examples: one("No such request", { path: { id: "none" }, status: 404 }),
  }),
  admin({
    id: "listGrants",
    method: "get",
    path: "/admin/oauth/grants",
    tag: "Usage",
    summary: "Programs that were let in over OAuth, newest first",
    parameters: slice.filter(({ name }) => name === "limit"),
    answers: list("GrantList", "The grants."),
    examples: one("All of them"),
  }),
  admin({
    id: "revokeGrant",
    method: "delete",
    path: "/admin/oauth/grants/{id}",
    tag: "Usage",
    summary: "Let a program in no more",
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "Of the grant.",
        schema: { type: "string", minLength: 1 },
      },
    ],
    answers: list("GrantRevoked", "Its tokens are refused from now on."),
    refusals: [404],
    examples: [{ summary: "One that there is not", path: { id: "1" }, status: 404 }],
  }),
  admin({
    id: "indexState",
    method: "get",
    path: "/admin/index",
    tag: "Pages",
    summary: "What the index holds, how far its vectors are, and the room on the machine",
    description:
      "Pages are found by their words at once; their vectors are made in the background. `seconds_left` goes by the rate of the last minute, with whatever else the machine does meanwhile.",
    answers: list("IndexState", "The index."),
    examples: one("The index", {}),
  }),
  admin({
    id: "modelState",
    method: "get",
    path: "/admin/model",
    tag: "Pages",
    summary: "Which embedding model is used and why, which there are, and how far a change is",
    description:
      "`change` is null when no other model is to come. While one is, the index in use answers, with its own model.",
    answers: list("ModelState", "The model."),
    refusals: [503],
    examples: one("The model", {}),
  }),
  admin({
    id: "changeModel",
    method: "post",
    path: "/admin/model",
    tag: "Pages",
    summary: "Use another embedding model",
    description:
      "As `fossick index model` does: the crawler process builds an index for it beside the one in use, from the pages that are there, and searches switch to it when it is complete. `auto` leaves the choice to what the index holds. Refused with 409 where the settings name a model.",
    body: { schema: strict(modelBody), required: true },
    answers: { 202: { description: "The model as it stands.", schema: ref("ModelState") } },
    refusals: [409, 422, 503],
    examples: one("As at the beginning", { body: { model: "auto" }, status: 202 }),
  }),
  admin({
    id: "keyUsage",
    method: "get",
    path: "/admin/usage",
    tag: "Usage",
    summary: "What each key used, by day or month, newest first",
    description: "Answered calls and the credits that fell due with them, in UTC. Known for 396 days.",
    parameters: [
      query("key_id", "Of this key only.", notBlank),
      query("days", "The last days, today among them.", {
        type: "integer",
        minimum: 1,
        maximum: 396,
        default: DEFAULT_USE_DAYS,
      }),
      query("by", "What is summed up.", { type: "string", enum: USE_PERIODS, default: "day" }),
    ],
    answers: list("KeyUsage", "The usage."),
    examples: one("By month", { query: { by: "month", days: "396" } }),
  }),
  ...paymentOperations,
]
