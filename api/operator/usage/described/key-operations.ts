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
/** Maximum time during which both keys are accepted after a rotation, one week, for programs that get the new key later. */
const MOST_OVERLAP_HOURS = 168

const role = oneOf(KEY_ROLES)
const period = oneOf(["month", "total"])
const seen = (description: string) => orNull(listOf(text(), description))

const key = {
  id: text("Stable id, used in logs and usage."),
  role,
  name: text("Who or what the key is for; can be empty."),
  ends_with: text("Last characters of the key; the rest isn't stored."),
  created_at: time(),
  expires_at: orNull(time("When the key expires.")),
  disabled_at: orNull(time("When the key was disabled; null if it is enabled.")),
  may_make_keys: yesNo(),
  made_by: orNull(text("Id of the key that made this one; null for keys made by the operator.")),
  credit_limit: orNull(count("Credits that the key may use.")),
  limit_per: orNull(period),
  rate_limits: orNull(text("Rate limits such as `search=100/m`; null for those in the settings.")),
  endpoints: orNull(listOf(oneOf(ENDPOINTS), "The only endpoints that the key may call; null for all.")),
  sources: seen("Sources whose pages the key sees; null for all."),
  collections: seen("Collections whose pages the key sees."),
  domains: seen("The only domains whose pages the key sees; null for all."),
  principals: orNull(
    listOf(
      text(),
      "Users and groups that the key reads as, in addition to the pages that everybody may read; null if it reads every page.",
    ),
  ),
  acts_for_people: orNull(
    oneOf(
      ACTS_BY,
      "Whether the key acts for people, each with that person's rights: `tokens` takes signed names, `headers` also plain ones.",
    ),
  ),
  projects: listOf(text(), "Projects that the key may name; empty for any."),
  status: oneOf(["active", "disabled", "expired"]),
  last_used_at: orNull(
    time("When the key made its last counted call; only the day if that call is no longer in the log."),
  ),
  gone_sources: listOf(text(), "Sources of the key that no longer exist."),
  gone_collections: listOf(text()),
}

const Key = namedObject("Key", key)
const NewKey = namedObject("NewKey", {
  key: text("The key itself, shown only here."),
  signing_secret: orNull(
    text(
      "The secret that the key's service signs user names with (HS256), if the key acts for people. Shown only here.",
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
    expires_at: text(
      "When the key expires: a future time, such as `2027-01-31T00:00:00Z`; never by default.",
    ),
    credits: whole(
      0,
      MOST_CREDITS,
      "Credits that the key may use; without it, the key has no limit of its own.",
    ),
    per: withDefault({ ...period, description: "Period of the credit limit." }, "month"),
    rate_limits: text("Rate limits such as `search=100/m`, instead of those in the settings.", {
      maxLength: MAX_RATES_CHARS,
    }),
    may_make_keys: yesNo("Whether the key may make keys, which can do no more than it can."),
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
      "Whether the key acts for people, each with that person's rights: `tokens` takes signed names, `headers` also plain ones.",
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
    summary: "All keys, what each may do, and when it was last used",
    query: sliceOf("keys"),
    answers: ok(Keys, "The keys."),
    examples: [{ summary: "All keys" }],
  },
  makeKey: {
    at: "POST /admin/keys",
    summary: "Make a key",
    description:
      "The key itself is only in this answer. A key with the role `admin` can't be limited to a part of the index.",
    body: closedBody(made),
    answers: created(NewKey, "Made."),
    refusals: [422],
    examples: [
      { summary: "A key for searches", body: { name: "chat on the intranet", credits: 1000 } },
      { summary: "A key that reads what a group may", body: { name: "HR chat", principals: ["group:hr"] } },
      { summary: "An expiry in the past", body: { expires_at: "2020-01-01T00:00:00Z" }, status: 422 },
    ],
  },
  disableKey: {
    at: "POST /admin/keys/{id}/disable",
    summary: "Disable a key until it is enabled again",
    path,
    body: noBody,
    answers: ok(Key, "Disabled."),
    refusals: [404, 409, 422],
    examples: missing,
  },
  enableKey: {
    at: "POST /admin/keys/{id}/enable",
    summary: "Enable a disabled key",
    path,
    body: noBody,
    answers: ok(Key, "Enabled, unless the key has expired."),
    refusals: [404, 422],
    examples: missing,
  },
  rotateKey: {
    at: "POST /admin/keys/{id}/rotate",
    summary: "Replace a key with a new one that may do the same",
    description:
      "The old key ends at once, or after some hours in which both are accepted. The new key starts with no credits used.",
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
    description: "Its usage stays counted under its id.",
    path,
    answers: ok(DeletedKey, "Deleted."),
    refusals: [404, 409],
    examples: missing,
  },
})
