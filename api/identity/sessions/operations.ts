import { KEY_ROLES } from "../accounts/keys/keys.ts"
import { sessionSchema } from "./schema.ts"
import { ok, operations } from "../../server/operation/operation.ts"
import { publishedBody } from "../../server/operation/published.ts"
import {
  always,
  anyOf,
  listOf,
  namedObject,
  object,
  oneOf,
  orNull,
  text,
  time,
  yesNo,
} from "../../server/schema/schemas.ts"

const Session = namedObject("Session", {
  appliance_name: orNull(text("Name of the appliance; null if it has none.")),
  signed_in: yesNo("Whether the cookie sent with this call belongs to a session."),
  is_open: yesNo("Whether people may search without signing in."),
  role: orNull(oneOf(KEY_ROLES, "Role of the key or the person.")),
  user: orNull(
    text("User name of the person at their identity provider; null for a session that began with a key."),
  ),
  key_hint: orNull(text("Last characters of the key that began the session.")),
  expires_at: orNull(
    time(
      "When the session ends; null without a session, and for a person whom a proxy vouches for with each call.",
    ),
  ),
  ways: listOf(
    anyOf([
      object({ kind: always("key", "`POST /session` with an API key.") }),
      object({
        kind: always("link", "A page on another site that signs people in."),
        name: text("Name of the page."),
        url: text("Address of the page."),
      }),
    ]),
    "How to sign in.",
  ),
  sign_out_url: orNull(
    text("After signing out: where the person can also sign out at their identity provider; otherwise null."),
  ),
})

/** Signing in on the pages of the appliance. */
export const sessionOperations = operations("Sessions", "none", {
  getSession: {
    at: "GET /session",
    summary: "Who is signed in",
    answers: ok(Session, "The current session."),
    examples: [{ summary: "No one" }],
  },
  signIn: {
    at: "POST /session",
    summary: "Sign in with a key",
    description:
      "The answer sets a cookie that scripts cannot read. Calls with the cookie can do what the key can, within its limits. Calls that change something, and this call, must come from a page of this appliance. Other programs send their key with each call instead.",
    body: { schema: publishedBody(sessionSchema), required: true },
    answers: ok(Session, "The new session."),
    refusals: [401, 403, 429],
    examples: [{ summary: "From another page", body: { key: "fsk-none" }, status: 403 }],
  },
  signOut: {
    at: "DELETE /session",
    summary: "Sign out",
    description: "Ends the cookie's session for good.",
    answers: ok(Session, "No session."),
    refusals: [403],
    examples: [{ summary: "From another page", status: 403 }],
  },
})
