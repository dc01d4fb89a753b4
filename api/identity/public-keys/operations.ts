import { MAX_NAME_CHARS } from "../accounts/keys/key-scope.ts"
import { MOST_MONTHLY_CREDITS, MOST_ORIGINS } from "../accounts/public-keys/read-spec.ts"
import { created, ok, operations } from "../../server/operation/operation.ts"
import { closedBody } from "../../server/operation/published.ts"
import { ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import {
  always,
  count,
  flag,
  listOf,
  namedObject,
  object,
  type Of,
  optional,
  orNull,
  text,
  time,
  whole,
  withDefault,
  yesNo,
} from "../../server/schema/schemas.ts"

const PublicKey = namedObject("PublicKey", {
  id: text(),
  key: text("The key itself, which is not secret."),
  name: text(),
  source: orNull(text("Source whose pages the key finds.")),
  collection: orNull(text("Collection whose pages the key finds.")),
  origins: listOf(text(), "Origins of the web pages that may use the key."),
  answers: yesNo("Whether the key may ask for answers."),
  rate_limits: orNull(
    text("Rate limits for each IP address; null for those in `FOSSICK_PUBLIC_RATE_LIMITS`."),
  ),
  credits: orNull(count("Credits that all callers together may use in a calendar month; null for no limit.")),
  created_at: time(),
  disabled_at: orNull(time("When the key was disabled; null if it is enabled.")),
})
const PublicKeys = namedObject("PublicKeys", {
  public_keys: listOf(PublicKey, "Oldest first."),
  total: ofSlice.total,
})
const DeletedPublicKey = namedObject("DeletedPublicKey", { id: text(), deleted: always(true) })

/** The body that makes or replaces a public key. */
const written = object({
  origins: listOf(
    text(),
    "Origins of the web pages that may use the key, such as `https://docs.example.com`.",
    {
      minItems: 1,
      maxItems: MOST_ORIGINS,
    },
  ),
  ...optional({
    name: withDefault(text("What the key is for.", { maxLength: MAX_NAME_CHARS }), ""),
    source: orNull(text("Source whose pages the key finds; give this or `collection`.")),
    collection: orNull(text("Collection whose pages the key finds; give this or `source`.")),
    answers: flag("Whether the key may ask for answers."),
    rate_limits: orNull(
      text(
        "Rate limits for each IP address, such as `search=60/m`; null for those in `FOSSICK_PUBLIC_RATE_LIMITS`.",
      ),
    ),
    credits: orNull(
      whole(
        0,
        MOST_MONTHLY_CREDITS,
        "Credits that all callers together may use in a calendar month; null for no limit.",
      ),
    ),
    disabled: flag("Whether the key is disabled."),
  }),
})
export type PublicKeyBody = Of<typeof written>

const body = closedBody(written, {
  // Exactly one of `source` and `collection` must be given.
  oneOf: ["source", "collection"].map((name) => ({ required: [name], properties: { [name]: text() } })),
})
const path = { id: text("Id of the key.") }
const none = { summary: "An unknown key", path: { id: "none" }, status: 404 }

/** Keys for web pages. */
export const publicKeyOperations = operations("Public keys", "admin", {
  listPublicKeys: {
    at: "GET /admin/public-keys",
    summary: "All public keys",
    query: sliceOf(),
    answers: ok(PublicKeys, "The keys."),
    examples: [{ summary: "All public keys" }],
  },
  createPublicKey: {
    at: "POST /admin/public-keys",
    summary: "Make a public key",
    description:
      "The key can be put in the source code of web pages: it works only from pages on its origins, finds only pages of one source or collection, and can do nothing else.",
    body,
    answers: created(PublicKey, "Made."),
    refusals: [409, 422],
    examples: [
      {
        summary: "For the pages of one site",
        body: { source: "docs", origins: ["https://docs.example.com"], answers: true },
      },
      {
        summary: "Without a source",
        body: { origins: ["https://docs.example.com"] },
        status: 422,
      },
    ],
  },
  getPublicKey: {
    at: "GET /admin/public-keys/{id}",
    summary: "One public key",
    path,
    answers: ok(PublicKey, "The key."),
    refusals: [404],
    examples: [none],
  },
  changePublicKey: {
    at: "PUT /admin/public-keys/{id}",
    summary: "Change a public key, or disable or enable it",
    description:
      "The body replaces all fields; a field that is left out gets its default. The key itself stays the same.",
    path,
    body,
    answers: ok(PublicKey, "Changed."),
    refusals: [404, 422],
    examples: [{ ...none, body: { source: "docs", origins: ["https://docs.example.com"] } }],
  },
  deletePublicKey: {
    at: "DELETE /admin/public-keys/{id}",
    summary: "Delete a public key",
    path,
    answers: ok(DeletedPublicKey, "Deleted."),
    refusals: [404],
    examples: [none],
  },
})
