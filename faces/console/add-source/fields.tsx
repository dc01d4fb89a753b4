import type { ComponentChildren } from "preact"

import type { Draft } from "./draft.ts"

/** A field of the form. */
export interface FormField {
  readonly name: Exclude<keyof Draft, "rest">
  /**
   * Fields of the source that this form field fills in, by their names in problems; leaving the form field counts as
   * leaving the first of them. Default: its place in `PLACES`.
   */
  readonly at?: string | readonly string[]
  readonly label: string
  readonly hint?: ComponentChildren
  /** Replaces the hint once the source exists, when the field becomes read-only. */
  readonly fixed?: string
  readonly placeholder?: string
  /** Whether the field has one entry per line. */
  readonly isTall?: boolean
  /** The values to choose from, with their labels. */
  readonly options?: Readonly<Record<string, string>>
  /** Whether the field is shown. Default: always. */
  readonly isFor?: (draft: Draft) => boolean
  /** The only value with which this field shows its problems; with any other value, the fields that then appear show them. */
  readonly showsProblemsAt?: string
  /** The group that the field is in: problems with the whole group are shown here, too. */
  readonly partOf?: string
}

const loggingIn =
  (...kinds: readonly string[]) =>
  ({ login }: Draft) =>
    kinds.includes(login)

const SECRET = (
  <>
    For a secret, enter its name, such as <code>{"${WIKI_PASSWORD}"}</code>. The console accepts only those
    listed in <code>FOSSICK_API_SECRETS</code>.
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
  "What to crawl": [
    {
      name: "name",
      label: "Name",
      hint: "Pages are stored under this name.",
      fixed: "The name cannot be changed: pages are stored under it.",
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
        prefix: "Only the folder of the start address",
        domain: "All hosts in the domain",
      },
    },
    { name: "pages", label: "Maximum number of pages", placeholder: "10000 by default" },
    {
      name: "exclude",
      label: "Exclude",
      isTall: true,
      hint: (
        <>
          One pattern per line, such as <code>*.pdf</code> or <code>/archive/**</code>.
        </>
      ),
    },
    {
      name: "include",
      label: "Include only",
      isTall: true,
      hint: "One pattern per line. Leave it empty for all pages in the scope.",
    },
    {
      name: "depth",
      label: "Maximum number of links from the start",
      placeholder: "10 by default",
    },
    { name: "sitemaps", label: "Additional sitemaps", isTall: true },
  ],
  "How pages are read": [
    {
      name: "rendering",
      label: "Browser",
      options: { auto: "When text is missing", http: "Never", browser: "For every page" },
    },
    {
      name: "robots",
      label: "robots.txt",
      options: {
        "": "Appliance default",
        true: "Obey it",
        false: "Ignore it (I own this site)",
      },
    },
    {
      name: "delayMs",
      label: "Milliseconds between requests",
      placeholder: "appliance default",
    },
    { name: "language", label: "Language of pages that don't declare one", placeholder: "en" },
  ],
  Login: [
    {
      name: "login",
      showsProblemsAt: "none",
      label: "How the crawler logs in",
      options: {
        none: "No login",
        form: "Form",
        basic: "User and password (basic authentication)",
        headers: "Token in a header",
        cookies: "Session cookie",
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
      label: "Address of the login page",
      isFor: loggingIn("form"),
    },
    valuesOf("headers", "Headers", "Authorization: Bearer ${TOKEN}"),
    valuesOf("cookies", "Cookies", "session: ${WIKI_SESSION}"),
    valuesOf("form", "Form fields", "password: ${WIKI_PASSWORD}"),
    {
      name: "proof",
      at: "login.proof",
      label: "Text that only logged-in users see",
      placeholder: "Log out",
      isFor: loggingIn("form"),
    },
  ],
  "Who may read the pages": [
    {
      name: "readable",
      at: "readers",
      showsProblemsAt: "everybody",
      label: "Readers",
      options: { everybody: "Everybody", some: "Only these", nobody: "Only admins" },
    },
    {
      name: "allow",
      label: "Allow",
      isTall: true,
      isFor: ({ readable }) => readable === "some",
      hint: (
        <>
          One per line: <code>group:hr</code>, <code>user:anna@example.com</code>, or <code>signed-in</code>{" "}
          for everybody who has signed in.
        </>
      ),
    },
    {
      name: "deny",
      label: "Deny",
      isTall: true,
      isFor: ({ readable }) => readable !== "nobody",
      hint: "One per line, such as group:hr or user:anna@example.com. Denied readers cannot read the pages, even if they are allowed. Changes take effect when you save, without a run.",
    },
  ],
  "When to run": [
    {
      name: "when",
      at: "schedule",
      showsProblemsAt: "by-hand",
      label: "Schedule",
      options: { hours: "Every few hours", cron: "Cron expression", "by-hand": "Only manually" },
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
      label: "Cron expression",
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
