import { ENDPOINTS, MAX_ENTRIES, MAX_NAME_CHARS } from "../../identity/accounts/keys/key-scope.ts"
import { LONGEST_PRINCIPAL } from "#engine/index/page/readers.ts"
import {
  anyOf,
  flag,
  type JsonSchema,
  listOf,
  number,
  object,
  type Of,
  oneOf,
  optional,
  text,
  whole,
  withDefault,
} from "../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../server/wire/characters.ts"

// The request bodies for keys, logs and feedback, in wire format.

/** A blank entry in a key's limit is refused. */
const limits = (description: string, maxItems: number, items: JsonSchema, more?: JsonSchema) =>
  listOf(text(undefined, items), description, { maxItems, "x-blank-entries": "refused", ...more })
const names = (description: string, maxItems: number, maxLength: number) =>
  limits(
    description,
    maxItems,
    { pattern: NOT_BLANK, maxLength },
    {
      "x-allowed": `at most ${maxItems} names of 1 to ${maxLength} characters`,
    },
  )
const date = (description: string) =>
  text(description, { format: "date", "x-allowed": "a date of the form YYYY-MM-DD" })

export const logsSchema = object(
  optional({
    limit: withDefault(whole(1, 10_000, "Maximum number of calls."), 10),
    start_date: date("Calls on this day or later, in UTC."),
    end_date: date("Calls on this day or earlier, in UTC."),
    endpoints: anyOf([text(), listOf(text())], `Only calls to these endpoints: ${ENDPOINTS.join(", ")}.`, {
      "x-judged": { anyOf: [oneOf(ENDPOINTS), listOf(oneOf(ENDPOINTS))] },
    }),
    project_id: text("Only calls for this project."),
    filter_by_api_key: flag("Only calls with this key; keys with the role `search` never see others."),
  }),
)

export type LogsRequest = Of<typeof logsSchema>

const MAX_PROJECTS = 100
/** Limited because the principals are stored with each of the keys. */
const MAX_PRINCIPALS = 50
const MAX_PROJECT_CHARS = 200

export const GENERATE_KEYS = "api:generate_keys"

export const generateKeysSchema = object({
  permission_level: oneOf(["admin", "user"], "`user` keys search and read; `admin` keys can do everything."),
  ...optional({
    name: text("What the keys are for; numbered if there are several.", {
      maxLength: 100,
      "x-allowed": "a string of at most 100 characters",
    }),
    scope: listOf(oneOf([GENERATE_KEYS]), `\`["${GENERATE_KEYS}"]\` lets a \`user\` key make keys itself.`, {
      "x-allowed": `the list ['${GENERATE_KEYS}']`,
      "x-blank-entries": "refused",
    }),
    key_type: withDefault(
      oneOf(["development", "production"], "A label; both types work the same."),
      "development",
    ),
    key_limit: withDefault(whole(1, 100_000, "Total credits that each key may use."), 200),
    ttl_hours: withDefault(whole(1, 8760, "Hours after which the keys end."), 10),
    count: withDefault(whole(1, 200, "Keys to make."), 1),
    endpoints: limits(
      "Endpoints that the keys may use.",
      MAX_ENTRIES,
      { enum: ENDPOINTS },
      {
        "x-allowed": `some of ${ENDPOINTS.join(", ")}`,
      },
    ),
    sources: names("Sources whose pages the keys may see.", MAX_ENTRIES, MAX_NAME_CHARS),
    collections: names("Collections of sources whose pages the keys may see.", MAX_ENTRIES, MAX_NAME_CHARS),
    domains: limits("Domains whose pages the keys may see.", MAX_ENTRIES, { pattern: NOT_BLANK }),
    principals: names(
      "Users and groups that the keys read as, such as `group:hr`; without it, only pages that everybody may read.",
      MAX_PRINCIPALS,
      LONGEST_PRINCIPAL,
    ),
    projects: names("Projects that the keys may name.", MAX_PROJECTS, MAX_PROJECT_CHARS),
  }),
})

export type GenerateKeysRequest = Of<typeof generateKeysSchema>

export const deactivateKeysSchema = object(
  optional({
    request_id: text("Id of the call that made the keys; the key of this call by default."),
  }),
)

/** Maximum size in bytes of a feedback body, whatever the limit for other bodies. */
export const FEEDBACK_BYTES = 262_144

const score = (description: string) => anyOf([number(), text(undefined, { maxLength: 64 })], description)
const upTo = (maxLength: number, description: string) => text(description, { maxLength })
const listed = <S extends JsonSchema>(maxItems: number, items: S, description: string) =>
  listOf(items, description, { maxItems })
const labelled = (maxItems: number, description: string) =>
  listed(maxItems, object({ label: upTo(64, "What was rated."), value: score("The rating.") }), description)

/** At least one of these fields is given and not blank. */
const anyGiven = (...fields: readonly string[]) =>
  fields.map((field) => ({
    required: [field],
    properties: { [field]: text(undefined, { pattern: NOT_BLANK }) },
  }))

export const pageRequestSchema = object(
  optional({
    url: upTo(2000, "The missing page; give this or `query`."),
    query: upTo(400, "What was searched for and not found."),
    comment: upTo(1000, "Why the page is wanted."),
  }),
  undefined,
  { "x-judged": { anyOf: anyGiven("url", "query") } },
)

export const feedbackSchema = object(
  optional({
    request_id: upTo(200, "Id of the request whose answer is rated; give this or `session_id`."),
    session_id: upTo(200, "Id of the session that is rated."),
    agent_score: score("A program's rating."),
    human_score: score("A person's rating."),
    extra_scores: labelled(50, "Further ratings."),
    comment: upTo(10_000, "A comment."),
    response_delivered: upTo(50_000, "The response that the program made from the answer."),
    used_ids: listed(100, text(), "Ids of the results that were used."),
    used_urls: listed(100, text(), "Addresses of the results that were used."),
    used_citations: listed(100, text(), "Citations that were used."),
    urls_scores: listed(
      100,
      object(
        optional({
          id: text("Id of the result; give this or `url`."),
          url: text("Address of the result."),
          agent_score: score("A program's rating."),
          scores: labelled(20, "Further ratings."),
          comment: upTo(2000, "A comment."),
        }),
        undefined,
        { anyOf: [{ required: ["id"] }, { required: ["url"] }] },
      ),
      "Ratings of single results.",
    ),
  }),
  undefined,
  { "x-judged": { anyOf: anyGiven("request_id", "session_id") } },
)

export type FeedbackRequest = Of<typeof feedbackSchema>
