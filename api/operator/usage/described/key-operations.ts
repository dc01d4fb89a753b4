import { ENDPOINTS } from "../../../identity/accounts/keys/key-scope.ts"
import { makeKeyBody, noKeyFields, rotateKeyBody } from "../key-bodies.ts"
import { type BodySchema, DEFAULT_LIMIT, MAX_LIMIT } from "../../../server/wire/body-schema.ts"
import {
  type JsonSchema,
  type Operation,
  type Parameter,
  query,
} from "../../../server/operation/operation.ts"
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
} from "../../../server/operation/schemas.ts"

const names = (description: string) => orNull(listOf(text(), description))

const key = {
  id: text("Stable; logs and usage name the key by it."),
  role: oneOf(["search", "admin"]),
  name: text("Whom or what it is for; may be empty."),
  ends_with: text("Its last characters; the rest is not kept."),
  created_at: time(),
  expires_at: orNull(time("When it ends by itself.")),
  disabled_at: orNull(time("Since when it is refused.")),
  may_make_keys: yesNo(),
  made_by: orNull(text("Id of the key that made it; null for those of the operator.")),
  credit_limit: orNull(count("Credits that it may use.")),
  limit_per: orNull(oneOf(["month", "total"])),
  rate_limits: orNull(text("As `search=100/m`; null: as the settings say.")),
  endpoints: orNull(listOf(oneOf(ENDPOINTS), "It may call these alone; null: all.")),
  sources: names("It sees pages of these; null: of all."),
  collections: names("It sees pages of these."),
  domains: names("It sees pages on these domains alone; null: on all."),
  projects: listOf(text(), "Projects that it may name; empty: any."),
  status: oneOf(["active", "disabled", "expired"]),
  last_used_at: orNull(time("Of its last counted call; to the day where the call itself is forgotten.")),
  gone_sources: listOf(text(), "Those of its sources that are no longer there."),
  gone_collections: listOf(text()),
}

export const keySchemas = {
  Key: object(key),
  NewKey: object({ key: text("The key itself, shown only here."), ...key }),
  Keys: object({
    keys: listOf(ref("Key"), "Oldest first; the key in `FOSSICK_API_KEY` is not among them."),
    current_key_id: text("Of the key of this call; `operator` for the one in `FOSSICK_API_KEY`."),
    operator_last_used_at: orNull(time("When the key in `FOSSICK_API_KEY` was used last.")),
    collections: listOf(text(), "Those that there are."),
    total: count(),
    limit: count(),
    offset: count(),
  }),
  DeletedKey: object({ id: text(), deleted: yesNo() }),
}

const strict = <T>(schema: BodySchema<T>): JsonSchema => ({
  type: "object",
  ...schema,
  additionalProperties: false,
})
const id: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the key.",
  schema: { type: "string", minLength: 1 },
}
const NONE = { id: "000000000000" }
const noBody = { schema: strict(noKeyFields), required: false }
const operation = (given: Omit<Operation, "access" | "tag">): Operation => ({
  access: "admin",
  tag: "Usage",
  ...given,
})
const missing = [{ summary: "A key that there is not", path: NONE, status: 404 }]

/** Keys, one by one. */
export const keyOperations: readonly Operation[] = [
  operation({
    id: "listKeys",
    method: "get",
    path: "/admin/keys",
    summary: "All keys, what each may do, and when it was used last",
    parameters: [
      query("limit", "Keys at most.", {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      query("offset", "Keys to leave out.", { type: "integer", minimum: 0, default: 0 }),
    ],
    answers: { 200: { description: "The keys.", schema: ref("Keys") } },
    examples: [{ summary: "All keys", status: 200 }],
  }),
  operation({
    id: "makeKey",
    method: "post",
    path: "/admin/keys",
    summary: "Make a key",
    description: "Only the answer has the key itself. A key of the role `admin` cannot be limited to a part.",
    body: { schema: strict(makeKeyBody), required: false },
    answers: { 201: { description: "Made.", schema: ref("NewKey") } },
    refusals: [422],
    examples: [
      { summary: "A key for searches", body: { name: "chat on the intranet", credits: 1000 }, status: 201 },
      { summary: "An end that is past", body: { expires_at: "2020-01-01T00:00:00Z" }, status: 422 },
    ],
  }),
  operation({
    id: "disableKey",
    method: "post",
    path: "/admin/keys/{id}/disable",
    summary: "Have a key refused, until it is enabled again",
    parameters: [id],
    body: noBody,
    answers: { 200: { description: "Disabled.", schema: ref("Key") } },
    refusals: [404, 409, 422],
    examples: missing,
  }),
  operation({
    id: "enableKey",
    method: "post",
    path: "/admin/keys/{id}/enable",
    summary: "Have a disabled key accepted again",
    parameters: [id],
    body: noBody,
    answers: { 200: { description: "Enabled, unless it is over.", schema: ref("Key") } },
    refusals: [404, 422],
    examples: missing,
  }),
  operation({
    id: "rotateKey",
    method: "post",
    path: "/admin/keys/{id}/rotate",
    summary: "Make a key that may do the same, and end this one",
    description:
      "At once, or after some hours in which both are accepted. The credits of the new key begin anew.",
    parameters: [id],
    body: { schema: strict(rotateKeyBody), required: false },
    answers: { 201: { description: "The new key.", schema: ref("NewKey") } },
    refusals: [404, 409, 422],
    examples: missing,
  }),
  operation({
    id: "deleteKey",
    method: "delete",
    path: "/admin/keys/{id}",
    summary: "Delete a key for good",
    description: "What it used stays counted under its id.",
    parameters: [id],
    answers: { 200: { description: "Deleted.", schema: ref("DeletedKey") } },
    refusals: [404, 409],
    examples: missing,
  }),
]
