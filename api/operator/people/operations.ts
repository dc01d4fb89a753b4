import { KEY_ROLES } from "../../identity/accounts/keys/keys.ts"
import { ok, operations } from "../../server/operation/operation.ts"
import { filled, noBody, ofSlice, sliceOf } from "../../server/operation/shared-fields.ts"
import { always, count, listOf, namedObject, oneOf, orNull, text, time } from "../../server/schema/schemas.ts"

const Person = namedObject("Person", {
  id: text(),
  user: text("User name, as it appears after `user:` in the readers of pages."),
  name: text("Empty if the provider doesn't say."),
  email: text("Empty if the provider doesn't say."),
  provider: text("Identity provider that vouches for the person."),
  groups: listOf(text(), "Groups of the person, as they appear after `group:` in the readers of pages."),
  role: orNull(
    oneOf(KEY_ROLES, "What the person may do, as the role of a key; null if they may do nothing."),
  ),
  refusal: orNull(text("Why the person has no access; null if they have access.")),
  first_seen_at: time("First sign-in."),
  last_seen_at: time("Last sign-in."),
  proved_at: time("When the provider last vouched for the person."),
  proof: orNull(
    oneOf(
      ["fresh", "due", "over"],
      "Whether the provider's confirmation is still valid: `fresh`: yes; `due`: yes, and the next call asks the provider again; `over`: not until the provider vouches for the person again. Null if no provider signs people in.",
    ),
  ),
  disabled_at: orNull(time("When the person was disabled; null if they are not.")),
  sign_ins: count("Browsers in which the person is signed in."),
})
const People = namedObject("People", {
  people: listOf(Person, "Latest sign-in first."),
  ...ofSlice,
})
const SignIns = namedObject("SignIns", {
  sign_ins: listOf(
    namedObject("SignIn", { id: text(), created_at: time(), expires_at: time() }),
    "One for each browser, newest first.",
  ),
})
const SignInsEnded = namedObject("SignInsEnded", { id: text("Id of the person."), ended: count() })
const SignInEnded = namedObject("SignInEnded", { id: text("Id of the sign-in."), ended: always(true) })
const Groups = namedObject("Groups", {
  groups: listOf(
    namedObject("Group", {
      name: text("Name of the group, as it appears after `group:` in the readers of pages."),
      people: count("People in the group who have signed in."),
      sources: listOf(text(), "Sources that name the group in their readers, or in those of some pages."),
    }),
    "Most people first.",
  ),
  ...ofSlice,
})

const path = { id: text("Id of a person.", { pattern: "^person-[0-9a-f]+$" }) }
const NOBODY = { id: "person-000000000000" }
const SIGN_IN = "0".repeat(64)
const none = { summary: "An unknown person", path: NOBODY, status: 404 }

/** People who signed in through identity providers, and their groups. */
export const peopleOperations = operations("People", "admin", {
  listPeople: {
    at: "GET /admin/people",
    summary: "The people who have signed in",
    query: {
      search: filled("Part of the user name, name or e-mail address."),
      group: filled("Only people in this group."),
      ...sliceOf("people"),
    },
    answers: ok(People, "The people."),
    examples: [
      { summary: "Everybody" },
      { summary: "The people of a group", query: { group: "hr", limit: "10" } },
    ],
  },
  getPerson: {
    at: "GET /admin/people/{id}",
    summary: "One person",
    path,
    answers: ok(Person, "The person."),
    refusals: [404],
    examples: [none],
  },
  disablePerson: {
    at: "POST /admin/people/{id}/disable",
    summary: "Disable a person and sign them out everywhere",
    description:
      "Takes effect at once, also for programs that act for the person. Signing in again does not undo it: only enabling does.",
    path,
    body: noBody,
    answers: ok(Person, "The person."),
    refusals: [404, 422],
    examples: [none],
  },
  enablePerson: {
    at: "POST /admin/people/{id}/enable",
    summary: "Enable a disabled person",
    path,
    body: noBody,
    answers: ok(Person, "The person."),
    refusals: [404, 422],
    examples: [none],
  },
  listSignIns: {
    at: "GET /admin/people/{id}/sign-ins",
    summary: "Where a person is signed in",
    path,
    answers: ok(SignIns, "The sign-ins."),
    refusals: [404],
    examples: [none],
  },
  endSignIns: {
    at: "DELETE /admin/people/{id}/sign-ins",
    summary: "Sign a person out everywhere",
    description: "They can sign in again at their provider. To keep them out, disable them.",
    path,
    answers: ok(SignInsEnded, "Ended."),
    refusals: [404],
    examples: [none],
  },
  endSignIn: {
    at: "DELETE /admin/people/{id}/sign-ins/{sign_in}",
    summary: "Sign a person out of one browser",
    path: { ...path, sign_in: text("Id of a sign-in.", { pattern: "^[0-9a-f]{64}$" }) },
    answers: ok(SignInEnded, "Ended."),
    refusals: [404],
    examples: [{ ...none, path: { ...NOBODY, sign_in: SIGN_IN } }],
  },
  listGroups: {
    at: "GET /admin/groups",
    summary: "The groups that people are in or that readers name",
    query: { search: filled("Part of the name."), ...sliceOf("groups") },
    answers: ok(Groups, "The groups."),
    refusals: [503],
    examples: [{ summary: "All groups" }],
  },
})
