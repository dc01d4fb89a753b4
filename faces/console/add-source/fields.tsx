import type { ComponentChildren } from "preact"

import type { Draft } from "./draft.ts"

/** A field of the form. */
export interface FormField {
  readonly name: Exclude<keyof Draft, "rest">
  /**
   * Fields of the source that it fills in, as problems name them; leaving it counts as leaving the first. Default: its place in `PLACES`.
   */
  readonly at?: string | readonly string[]
  readonly label: string
  readonly hint?: ComponentChildren
  /** Replaces the hint once the source exists, and makes the field read-only. */
  readonly fixed?: string
  readonly placeholder?: string
  /** Whether it has one entry per line. */
  readonly isTall?: boolean
  /** The values to choose from, with their labels. */
  readonly options?: Readonly<Record<string, string>>
  /** Whether it is shown. Default: always. */
  readonly isFor?: (draft: Draft) => boolean
  /** The only value at which this field shows its problems; at others, the fields that then appear show them. */
  readonly showsProblemsAt?: string
  /** The group that it is in: problems of the whole group are shown here, too. */
  readonly partOf?: string
}

const loggingIn =
  (...kinds: readonly string[]) =>
  ({ login }: Draft) =>
    kinds.includes(login)

const SECRET = (
  <>
    Name a secret: <code>{"${WIKI_PASSWORD}"}</code>. The console takes only those listed in{" "}
    <code>FOSSICK_API_SECRETS</code>.
  </>
)

const valuesOf = (login: string, label: string, example: string): FormField => ({
  name: "values",
  at: ["login.fields", "login.headers", "login.cookies"],
  partOf: "login",
  label,
  isTall: true,
  isFor: loggingIn(login),
  hint: (
    <>
      One name and value per line: <code>{example}</code>. {SECRET}
    </>
  ),
})

/** The fields of a source that the form shows, in groups. */
export const GROUPS: Readonly<Record<string, readonly FormField[]>> = {
  What: [
    {
      name: "name",
      label: "Name",
      hint: "Its pages are filed under it.",
      fixed: "The name stays: its pages are filed under it.",
    },
    {
      name: "seeds",
      label: "Start addresses",
      isTall: true,
      hint: "One address per line. Every run starts here.",
    },
  ],
  "Which pages": [
    {
      name: "scope",
      label: "Scope",
      options: {
        host: "The whole host",
        prefix: "Only below the folder of the start",
        domain: "All hosts of the domain",
      },
    },
    { name: "pages", label: "Pages at most", placeholder: "usually 10000" },
    {
      name: "exclude",
      label: "Leave out",
      isTall: true,
      hint: (
        <>
          One pattern per line, such as <code>*.pdf</code> or <code>/archive/**</code>.
        </>
      ),
    },
    {
      name: "include",
      label: "Only these",
      isTall: true,
      hint: "Patterns; leave it empty for all pages in the scope.",
    },
    {
      name: "depth",
      label: "Link steps from the start at most",
      placeholder: "usually 10",
    },
    { name: "sitemaps", label: "Sitemaps that the site doesn't name", isTall: true },
  ],
  "How they are read": [
    {
      name: "rendering",
      label: "Browser",
      options: { auto: "When text is missing", http: "Never", browser: "For every page" },
    },
    {
      name: "robots",
      label: "robots.txt",
      options: {
        "": "As set for the appliance",
        true: "Obey it",
        false: "Ignore it (I own this site)",
      },
    },
    {
      name: "delayMs",
      label: "Milliseconds between two requests",
      placeholder: "as set for the appliance",
    },
    { name: "language", label: "Language of pages that don't name one", placeholder: "en" },
  ],
  Login: [
    {
      name: "login",
      showsProblemsAt: "none",
      label: "How the crawler logs in",
      options: {
        none: "It does not",
        form: "By a form",
        basic: "User and password (basic authentication)",
        headers: "By a token in a header",
        cookies: "By the cookie of a session",
      },
    },
    { name: "user", at: "login.user", label: "User", isFor: loggingIn("basic") },
    {
      name: "password",
      at: "login.password",
      partOf: "login",
      label: "Password",
      placeholder: "${WIKI_PASSWORD}",
      hint: SECRET,
      isFor: loggingIn("basic"),
    },
    {
      name: "loginUrl",
      at: "login.url",
      label: "Address of the page with the form",
      isFor: loggingIn("form"),
    },
    valuesOf("headers", "Headers", "Authorization: Bearer ${TOKEN}"),
    valuesOf("cookies", "Cookies", "session: ${WIKI_SESSION}"),
    valuesOf("form", "Fields of the form", "password: ${WIKI_PASSWORD}"),
    {
      name: "proof",
      at: "login.proof",
      label: "A text that only logged-in users see",
      placeholder: "Log out",
      isFor: loggingIn("form"),
    },
  ],
  "Who may read it": [
    {
      name: "readable",
      at: "readers",
      showsProblemsAt: "everybody",
      label: "Readers",
      options: { everybody: "Everybody", some: "Only these", nobody: "Only admins" },
    },
    {
      name: "allow",
      label: "Who is let in",
      isTall: true,
      isFor: ({ readable }) => readable === "some",
      hint: (
        <>
          One per line: <code>group:hr</code>, <code>user:anna@example.com</code>, or <code>signed-in</code>{" "}
          for everybody who signed in.
        </>
      ),
    },
    {
      name: "deny",
      label: "Who is kept out",
      isTall: true,
      isFor: ({ readable }) => readable !== "nobody",
      hint: "One per line, as above; counts even for those who are let in. Changes take effect when you save, without a run.",
    },
  ],
  "When it runs": [
    {
      name: "when",
      at: "schedule",
      showsProblemsAt: "by-hand",
      label: "Schedule",
      options: { hours: "Every so many hours", cron: "By a cron line", "by-hand": "Only by hand" },
    },
    {
      name: "everyHours",
      at: "schedule",
      label: "Hours between runs",
      isFor: ({ when }) => when === "hours",
    },
    {
      name: "cron",
      at: "schedule.cron",
      label: "Cron line",
      placeholder: "15 3 * * *",
      hint: "Minute, hour, day of month, month, day of week.",
      isFor: ({ when }) => when === "cron",
    },
    {
      name: "timeZone",
      at: "schedule.timeZone",
      label: "Time zone",
      placeholder: "UTC",
      isFor: ({ when }) => when === "cron",
    },
  ],
}
