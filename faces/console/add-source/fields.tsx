import type { ComponentChildren } from "preact"

import type { Draft } from "./draft.ts"

/** A field of the form. */
export interface FormField {
  readonly name: Exclude<keyof Draft, "rest">
  /**
   * Fields of the source that it fills in, as problems name them; the first is left with it. Left out: the one that
   * {@link PLACES} has.
   */
  readonly at?: string | readonly string[]
  readonly label: string
  readonly hint?: ComponentChildren
  /** In place of the hint where the source is there: the field is then only read. */
  readonly fixed?: string
  readonly placeholder?: string
  /** It has a line for each entry. */
  readonly isTall?: boolean
  /** The values to choose from, with their labels. */
  readonly options?: Readonly<Record<string, string>>
  /** Whether it is shown; left out: always. */
  readonly isFor?: (draft: Draft) => boolean
  /** The one value at which its problems are told here: at others they are told at the fields for it. */
  readonly toldAt?: string
  /** The group that it is in: what is wrong with all of that is told here, too. */
  readonly partOf?: string
}

const loggingIn =
  (...kinds: readonly string[]) =>
  ({ login }: Draft) =>
    kinds.includes(login)

const SECRET = (
  <>
    Names the secret: <code>{"${WIKI_PASSWORD}"}</code>. Over the console only those that{" "}
    <code>FOSSICK_API_SECRETS</code> lists.
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
      A name, a colon and a value a line: <code>{example}</code>. {SECRET}
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
      hint: "An address a line. Every run starts here.",
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
          A pattern a line, such as <code>*.pdf</code> or <code>/archive/**</code>.
        </>
      ),
    },
    {
      name: "include",
      label: "Only these",
      isTall: true,
      hint: "Patterns; empty: all in the scope.",
    },
    {
      name: "depth",
      label: "Link steps from the start at most",
      placeholder: "usually 10",
    },
    { name: "sitemaps", label: "Sitemaps beside those the site names", isTall: true },
  ],
  "How they are read": [
    {
      name: "rendering",
      label: "Browser",
      options: { auto: "Where a page comes without text", http: "Never", browser: "For every page" },
    },
    {
      name: "robots",
      label: "robots.txt",
      options: {
        "": "As the appliance is set",
        true: "Obey it",
        false: "Pass it over: the site is mine",
      },
    },
    {
      name: "delayMs",
      label: "Milliseconds between two requests",
      placeholder: "as the appliance is set",
    },
    { name: "language", label: "Language of pages that name none", placeholder: "en" },
  ],
  Login: [
    {
      name: "login",
      toldAt: "none",
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
      label: "A text that only those see who are logged in",
      placeholder: "Log out",
      isFor: loggingIn("form"),
    },
  ],
  "When it runs": [
    {
      name: "when",
      at: "schedule",
      toldAt: "by-hand",
      label: "Schedule",
      options: { hours: "Every so many hours", cron: "By a cron line", "by-hand": "When it is asked to" },
    },
    {
      name: "everyHours",
      at: "schedule",
      label: "Hours from run to run",
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
