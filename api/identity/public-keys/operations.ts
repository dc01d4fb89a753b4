import { publicKeyBody } from "./schema.ts"
import type { Operation, Parameter } from "../../server/operation/operation.ts"
import { count, listOf, object, orNull, ref, text, time, yesNo } from "../../server/operation/schemas.ts"
import { slice } from "../../server/operation/shared-fields.ts"

export const publicKeySchemas = {
  PublicKey: object({
    id: text(),
    key: text("The key itself; it is no secret."),
    name: text(),
    source: orNull(text("The source whose pages it finds.")),
    collection: orNull(text("The collection whose sources' pages it finds.")),
    origins: listOf(text(), "Origins of the web pages that may use it."),
    answers: yesNo("Whether it may ask for answers."),
    rate_limits: orNull(text("Calls from each address; null: as `FOSSICK_PUBLIC_RATE_LIMITS` says.")),
    credits: orNull(count("Credits of all its callers in a calendar month; null: no limit.")),
    created_at: time(),
    disabled_at: orNull(time("Since when it is refused; null while it is not.")),
  }),
  PublicKeys: object({ public_keys: listOf(ref("PublicKey"), "Oldest first."), total: count() }),
  DeletedPublicKey: object({ id: text(), deleted: yesNo() }),
}

const id: Parameter = {
  name: "id",
  in: "path",
  required: true,
  description: "Id of the key.",
  schema: { type: "string" },
}
/** One of them is given, and not both. */
const reach = ["source", "collection"].map((name) => ({
  required: [name],
  properties: { [name]: { type: "string" } },
}))
const body = {
  schema: { type: "object", additionalProperties: false, ...publicKeyBody, oneOf: reach },
  required: true,
}
const operation = (given: Omit<Operation, "access" | "tag">): Operation => ({
  access: "admin",
  tag: "Public keys",
  ...given,
})
const none = { summary: "A key that there is not", path: { id: "none" }, status: 404 }

/** Keys for web pages. */
export const publicKeyOperations: readonly Operation[] = [
  operation({
    id: "listPublicKeys",
    method: "get",
    path: "/admin/public-keys",
    summary: "All public keys",
    parameters: slice,
    answers: { 200: { description: "The keys.", schema: ref("PublicKeys") } },
    examples: [{ summary: "All public keys", status: 200 }],
  }),
  operation({
    id: "createPublicKey",
    method: "post",
    path: "/admin/public-keys",
    summary: "Make a public key",
    description:
      "It may stand in the source of web pages: it finds pages of one source or collection, from pages of its origins, and can do nothing else.",
    body,
    answers: { 201: { description: "Made.", schema: ref("PublicKey") } },
    refusals: [409, 422],
    examples: [
      {
        summary: "For the pages of one site",
        body: { source: "docs", origins: ["https://docs.example.com"], answers: true },
        status: 201,
      },
      {
        summary: "Without a source",
        body: { origins: ["https://docs.example.com"] },
        status: 422,
      },
    ],
  }),
  operation({
    id: "getPublicKey",
    method: "get",
    path: "/admin/public-keys/{id}",
    summary: "One public key",
    parameters: [id],
    answers: { 200: { description: "The key.", schema: ref("PublicKey") } },
    refusals: [404],
    examples: [none],
  }),
  operation({
    id: "changePublicKey",
    method: "put",
    path: "/admin/public-keys/{id}",
    summary: "Hold a public key to something else, or switch it off and on",
    description: "The body replaces the whole; what is left out has its default again. The key itself stays.",
    parameters: [id],
    body,
    answers: { 200: { description: "Changed.", schema: ref("PublicKey") } },
    refusals: [404, 422],
    examples: [{ ...none, body: { source: "docs", origins: ["https://docs.example.com"] } }],
  }),
  operation({
    id: "deletePublicKey",
    method: "delete",
    path: "/admin/public-keys/{id}",
    summary: "Delete a public key",
    parameters: [id],
    answers: { 200: { description: "Deleted.", schema: ref("DeletedPublicKey") } },
    refusals: [404],
    examples: [none],
  }),
]
