import { ENDPOINTS, MAX_ENTRIES, MAX_NAME_CHARS } from "../../../identity/accounts/keys/key-scope.ts"
import { ACTS_BY, KEY_ROLES } from "../../../identity/accounts/keys/keys.ts"
import { created, ok, operations } from "../../../server/operation/operation.ts"
import { bodyOf, closedBody } from "../../../server/operation/published.ts"
import { noBody, ofSlice, sliceOf } from "../../../server/operation/shared-fields.ts"
import {
  always,
  count,
  type JsonSchema,
  listOf,
  namedObject,
  object,
  type Of,
  oneOf,
  optional,
  orNull,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../../server/schema/schemas.ts"
import { NOT_BLANK } from "../../../server/wire/characters.ts"

const MAX_KEY_NAME_CHARS = 100
const MOST_CREDITS = 1_000_000_000
const MOST_PROJECTS = 100
const MAX_PROJECT_CHARS = 200
const MAX_RATES_CHARS = 500
/** A rotation accepts both keys for a week at most, for programs that get the new key later. */
const MOST_OVERLAP_HOURS = 168

const role = oneOf(KEY_ROLES)
const period = oneOf(["month", "total"])
const seen = (description: string) => orNull(listOf(text(), description))

const key = {
  id: text("Stable; logs and usage name the key by it."),
  role,
  name: text("Whom or what it is for; may be empty."),
  ends_with: text("Its last characters; the rest is not kept."),
  created_at: time(),
  expires_at: orNull(time("When it ends by itself.")),
  disabled_at: orNull(time("Since when it is refused.")),
  may_make_keys: yesNo(),
  made_by: orNull(text("Id of the key that made it; null for those of the operator.")),
  credit_limit: orNull(count("Credits that it may use.")),
  limit_per: orNull(period),
  rate_limits: orNull(text("As `search=100/m`; null: as the settings say.")),
  endpoints: orNull(listOf(oneOf(ENDPOINTS), "It may call these alone; null: all.")),
  sources: seen("Sources whose pages the key sees; null for all."),
  collections: seen("Collections whose pages the key sees."),
  domains: seen("The only domains whose pages the key sees; null for all."),
  principals: orNull(
    listOf(
      text(),
      "Users and groups that the key reads as, in addition to the pages that everybody may read; null: it reads every page.",
    ),
  ),
  acts_for_people: orNull(
    oneOf(
      ACTS_BY,
      "The key asks for people, each with the rights of that person: `tokens` takes signed names, `headers` also plain ones.",
    ),
  ),
  projects: listOf(text(), "Projects that it may name; empty: any."),
  status: oneOf(["active", "disabled", "expired"]),
  last_used_at: orNull(time("Of its last counted call; to the day where the call itself is forgotten.")),
  gone_sources: listOf(text(), "Those of its sources that are no longer there."),
  gone_collections: listOf(text()),
}

const Key = namedObject("Key", key)
const NewKey = namedObject("NewKey", {
  key: text("The key itself, shown only here."),
  signing_secret: orNull(
    text(
      "The secret that the key's service signs user names with (HS256), if the key asks for people. Shown only here.",
    ),
  ),
  ...key,
})
const Keys = namedObject("Keys", {
  keys: listOf(Key, "Oldest first; the key in `FOSSICK_API_KEY` is not among them."),
  current_key_id: text("Id of the key of this call; `operator` for the one in `FOSSICK_API_KEY`."),
  operator_last_used_at: orNull(time("When the key in `FOSSICK_API_KEY` was last used.")),
  collections: listOf(text(), "All collections."),
  ...ofSlice,
})
const DeletedKey = namedObject("DeletedKey", { id: text(), deleted: always(true) })

const names = (description: string, items: JsonSchema, maxItems: number) =>
  listOf(text(undefined, { pattern: NOT_BLANK, ...items }), description, { minItems: 1, maxItems })

const made = object(
  optional({
    role: withDefault({ ...role, description: "What the key may do." }, "search"),
    name: withDefault(text("Who or what the key is for.", { maxLength: MAX_KEY_NAME_CHARS }), ""),
    expires_at: text("When the key expires: a future time, such as `2027-01-31T00:00:00Z`; left out, never."),
    credits: whole(0, MOST_CREDITS, "Credits that the key may use; left out, it has no limit of its own."),
    per: withDefault({ ...period, description: "Period of the credit limit." }, "month"),
    rate_limits: text("Rate limits such as `search=100/m`, instead of those of the settings.", {
      maxLength: MAX_RATES_CHARS,
    }),
    may_make_keys: yesNo("Whether the key may make keys, which may do no more than it does."),
    endpoints: names("The only endpoints that the key may call.", { enum: ENDPOINTS }, MAX_ENTRIES),
    sources: names("Sources whose pages the key sees.", { maxLength: MAX_NAME_CHARS }, MAX_ENTRIES),
    collections: names("Collections whose pages the key sees.", { maxLength: MAX_NAME_CHARS }, MAX_ENTRIES),
    domains: names("The only domains whose pages the key sees.", {}, MAX_ENTRIES),
    principals: names(
      "Users and groups that the key reads as, such as `group:hr`; without it, only pages that everybody may read.",
      {},
      MAX_ENTRIES,
    ),
    acts_for_people: oneOf(
      ACTS_BY,
      "The key asks for people, each with the rights of that person: `tokens` takes signed names, `headers` also plain ones.",
    ),
    projects: names("Projects that the key may name.", { maxLength: MAX_PROJECT_CHARS }, MOST_PROJECTS),
  }),
)
export type MakeKeyBody = Of<typeof made>

const path = { id: text("Id of the key.", { minLength: 1 }) }
const missing = [{ summary: "An unknown key", path: { id: "000000000000" }, status: 404 }]

/** Keys, one by one. */
export const keyOperations = operations("Usage", "admin", {
  listKeys: {
    at: "GET /admin/keys",
    summary: "All keys, what each may do, and when it was used last",
    query: sliceOf("Keys"),
    answers: ok(Keys, "The keys."),
    examples: [{ summary: "All keys" }],
  },
  makeKey: {
    at: "POST /admin/keys",
    summary: "Make a key",
    description: "Only the answer has the key itself. A key of the role `admin` cannot be limited to a part.",
    body: closedBody(made),
    answers: created(NewKey, "Made."),
    refusals: [422],
    examples: [
      { summary: "A key for searches", body: { name: "chat on the intranet", credits: 1000 } },
      { summary: "A key that reads what a group may", body: { name: "HR chat", principals: ["group:hr"] } },
      { summary: "An end that is past", body: { expires_at: "2020-01-01T00:00:00Z" }, status: 422 },
    ],
  },
  disableKey: {
    at: "POST /admin/keys/{id}/disable",
    summary: "Have a key refused, until it is enabled again",
    path,
    body: noBody,
    answers: ok(Key, "Disabled."),
    refusals: [404, 409, 422],
    examples: missing,
  },
  enableKey: {
    at: "POST /admin/keys/{id}/enable",
    summary: "Have a disabled key accepted again",
    path,
    body: noBody,
    answers: ok(Key, "Enabled, unless the key has expired."),
    refusals: [404, 422],
    examples: missing,
  },
  rotateKey: {
    at: "POST /admin/keys/{id}/rotate",
    summary: "Make a key that may do the same, and end this one",
    description:
      "At once, or after some hours in which both are accepted. The credits of the new key begin anew.",
    path,
    body: bodyOf(
      optional({
        overlap_hours: withDefault(
          whole(0, MOST_OVERLAP_HOURS, "Hours for which the old key is still accepted."),
          0,
        ),
      }),
    ),
    answers: created(NewKey, "The new key."),
    refusals: [404, 409, 422],
    examples: missing,
  },
  deleteKey: {
    at: "DELETE /admin/keys/{id}",
    summary: "Delete a key for good",
    description: "What it used stays counted under its id.",
    path,
    answers: ok(DeletedKey, "Deleted."),
    refusals: [404, 409],
    examples: missing,
  },
})
