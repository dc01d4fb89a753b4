/** A source as its form shows it: texts, as somebody writes them. */
export interface Draft {
  readonly name: string
  /** An address a line. */
  readonly seeds: string
  readonly scope: "host" | "domain" | "prefix"
  /** A pattern a line. */
  readonly include: string
  readonly exclude: string
  readonly pages: string
  readonly depth: string
  readonly rendering: "auto" | "http" | "browser"
  readonly robots: "as-set" | "obeyed" | "ignored"
  readonly delayMs: string
  readonly when: "by-hand" | "hours" | "cron"
  readonly everyHours: string
  readonly cron: string
  readonly timeZone: string
  readonly login: "none" | "basic" | "headers" | "cookies" | "form"
  readonly user: string
  readonly password: string
  readonly loginUrl: string
  /** Headers, cookies or fields: a name, a colon and a value a line. */
  readonly values: string
  readonly proof: string
  readonly sitemaps: string
  readonly language: string
  /** What the form does not show, which stays as it is. */
  readonly rest: Written
}

/** A source as a file has it, or what was written in its place. */
export type Written = Readonly<Record<string, unknown>>

export const EMPTY: Draft = {
  name: "",
  seeds: "",
  scope: "host",
  include: "",
  exclude: "",
  pages: "",
  depth: "",
  rendering: "auto",
  robots: "as-set",
  delayMs: "",
  when: "hours",
  everyHours: "24",
  cron: "",
  timeZone: "",
  login: "none",
  user: "",
  password: "",
  loginUrl: "",
  values: "",
  proof: "",
  sitemaps: "",
  language: "",
  rest: {},
}

/** The draft of a source that is there, or was proposed. */
export function draftOf(source: Written): Draft {
  const limits = groupOf(source["limits"])
  const politeness = groupOf(source["politeness"])
  const pages = groupOf(source["pages"])
  const login = groupOf(source["login"])
  const schedule =
    typeof source["schedule"] === "string" ? { cron: source["schedule"] } : groupOf(source["schedule"])
  const { robots } = politeness
  return {
    ...EMPTY,
    name: textOf(source["name"]),
    seeds: linesOf(source["seeds"]),
    scope: oneOf(source["scope"], ["host", "domain", "prefix"], EMPTY.scope),
    include: linesOf(source["include"]),
    exclude: linesOf(source["exclude"]),
    pages: textOf(limits["pages"]),
    depth: textOf(limits["depth"]),
    rendering: oneOf(source["rendering"], ["auto", "http", "browser"], EMPTY.rendering),
    robots: robots === true ? "obeyed" : robots === false ? "ignored" : "as-set",
    delayMs: textOf(politeness["delayMs"]),
    when: schedule["cron"] != null ? "cron" : schedule["everyHours"] != null ? "hours" : "by-hand",
    everyHours: textOf(schedule["everyHours"]),
    cron: textOf(schedule["cron"]),
    timeZone: textOf(schedule["timeZone"]),
    login: oneOf(login["kind"], ["basic", "headers", "cookies", "form"], "none"),
    user: textOf(login["user"]),
    password: textOf(login["password"]),
    loginUrl: textOf(login["url"]),
    values: pairsOf(login["headers"] ?? login["cookies"] ?? login["fields"]),
    proof: textOf(login["proof"]),
    sitemaps: linesOf(source["sitemaps"]),
    language: textOf(pages["language"]),
    rest: source,
  }
}

/** The source that a draft means, in the order of the handbook. What is not said is left out. */
export function sourceOf(draft: Draft): Written {
  const { rest } = draft
  const fields: Record<string, unknown> = {
    name: draft.name.trim(),
    seeds: listOf(draft.seeds),
    scope: draft.scope === "host" ? undefined : draft.scope,
    include: some(listOf(draft.include)),
    exclude: some(listOf(draft.exclude)),
    limits: group(rest["limits"], { pages: numberOf(draft.pages), depth: numberOf(draft.depth) }),
    rendering: draft.rendering === "auto" ? undefined : draft.rendering,
    politeness: group(rest["politeness"], {
      delayMs: numberOf(draft.delayMs),
      robots: draft.robots === "as-set" ? undefined : draft.robots === "obeyed",
    }),
    login: loginOf(draft),
    pages: group(rest["pages"], { language: draft.language.trim() || undefined }),
    sitemaps: some(listOf(draft.sitemaps)),
    schedule: scheduleOf(draft),
  }
  const others = Object.entries(rest).filter(([field]) => !(field in fields))
  const { schedule, ...before } = fields
  return Object.fromEntries(
    [...Object.entries(before), ...others, ["schedule", schedule] as const].filter(
      ([, value]) => value !== undefined,
    ),
  )
}

function loginOf(draft: Draft): object | undefined {
  const values = Object.fromEntries(
    listOf(draft.values).map((line): [string, string] => {
      const [, name = line, value = ""] = /^([^:]*):(.*)$/.exec(line) ?? []
      return [name.trim(), value.trim()]
    }),
  )
  switch (draft.login) {
    case "basic":
      return { kind: "basic", user: draft.user.trim(), password: draft.password.trim() }
    case "headers":
      return { kind: "headers", headers: values }
    case "cookies":
      return { kind: "cookies", cookies: values }
    case "form":
      return {
        kind: "form",
        url: draft.loginUrl.trim(),
        fields: values,
        ...(draft.proof.trim() === "" ? {} : { proof: draft.proof.trim() }),
      }
    default:
      return undefined
  }
}

function scheduleOf({ when, everyHours, cron, timeZone, rest }: Draft): object | undefined {
  if (when === "by-hand") return undefined
  const { jitterMinutes } = groupOf(rest["schedule"])
  const jitter = jitterMinutes === undefined ? {} : { jitterMinutes }
  if (when === "hours") return { everyHours: numberOf(everyHours) ?? everyHours, ...jitter }
  return { cron: cron.trim(), ...(timeZone.trim() === "" ? {} : { timeZone: timeZone.trim() }), ...jitter }
}

/** A number where one was written; else the text, which is told to be none. Nothing for nothing. */
function numberOf(text: string): number | string | undefined {
  const given = text.trim()
  if (given === "") return undefined
  const number = Number(given)
  return Number.isFinite(number) ? number : given
}

/** A group of fields: those of the form, and the others as they were. */
function group(old: unknown, fields: Readonly<Record<string, unknown>>): object | undefined {
  const all = Object.entries({ ...groupOf(old), ...fields }).filter(([, value]) => value !== undefined)
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

const groupOf = (value: unknown): Written =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Written) : {}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : ""

const linesOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(textOf).join("\n") : textOf(value)

const pairsOf = (value: unknown): string =>
  Object.entries(groupOf(value))
    .map(([name, one]) => `${name}: ${textOf(one)}`)
    .join("\n")

const listOf = (lines: string): string[] =>
  lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const some = (list: readonly string[]): readonly string[] | undefined =>
  list.length === 0 ? undefined : list

function oneOf<Value extends string>(given: unknown, values: readonly Value[], usual: Value): Value
function oneOf<Value extends string, Usual extends string>(
  given: unknown,
  values: readonly Value[],
  usual: Usual,
): Value | Usual
function oneOf(given: unknown, values: readonly string[], usual: string): string {
  return values.find((value) => value === given) ?? usual
}
