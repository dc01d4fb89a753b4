import { KEY_ROLES } from "../accounts/keys/keys.ts"
import { sessionSchema } from "./schema.ts"
import type { Operation } from "../../server/operation/operation.ts"
import { publishedBody } from "../../server/operation/published.ts"
import { listOf, object, oneOf, orNull, ref, text, time } from "../../server/operation/schemas.ts"

export const sessionSchemas = {
  Session: object({
    appliance_name: orNull(text("What the appliance is called; null: it has no name.")),
    signed_in: { type: "boolean", description: "Whether the cookie of this call is that of a session." },
    is_open: { type: "boolean", description: "Whether people may search without signing in." },
    role: orNull(oneOf(KEY_ROLES, "Of the key that the session began with.")),
    key_hint: orNull(text("Last characters of that key.")),
    expires_at: orNull(time("When to sign in again.")),
    ways: listOf(
      {
        anyOf: [
          object({ kind: { const: "key", description: "`POST /session` with an API key." } }),
          object({
            kind: { const: "link", description: "A page elsewhere that signs people in." },
            name: text("What it is called."),
            url: text("Where it is."),
          }),
        ],
      },
      "How to sign in.",
    ),
  }),
}

const tag = "Sessions"
const answer = (description: string) => ({ 200: { description, schema: ref("Session") } })

/** Signing in on the pages of the appliance. */
export const sessionOperations: readonly Operation[] = [
  {
    id: "getSession",
    method: "get",
    path: "/session",
    tag,
    summary: "Who is signed in",
    access: "none",
    answers: answer("The session of the cookie."),
    examples: [{ summary: "Nobody", status: 200 }],
  },
  {
    id: "signIn",
    method: "post",
    path: "/session",
    tag,
    summary: "Sign in with a key",
    description:
      "The answer sets a cookie that scripts cannot read. Calls that carry it do what the key may, within its limits; those that change something must come from a page of this appliance, as this one must. Other programs send their key with each call instead.",
    access: "none",
    body: { schema: publishedBody(sessionSchema), required: true },
    answers: answer("The session that has begun."),
    refusals: [401, 403, 429],
    examples: [{ summary: "From another page", body: { key: "fsk-none" }, status: 403 }],
  },
  {
    id: "signOut",
    method: "delete",
    path: "/session",
    tag,
    summary: "Sign out",
    description: "Ends the session of the cookie for good.",
    access: "none",
    answers: answer("No session."),
    refusals: [403],
    examples: [{ summary: "From another page", status: 403 }],
  },
]
