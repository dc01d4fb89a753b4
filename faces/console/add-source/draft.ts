import { linesOf } from "../words.ts"

/** A source as written in a file, or whatever else was written there. */
export type Written = Readonly<Record<string, unknown>>

/** A source as its form shows it: texts, as people type them. */
export type Draft = Readonly<typeof EMPTY>

export const EMPTY = {
  name: "",
  /** Addresses, one per line. */
  seeds: "",
  scope: "host",
  /** Patterns, one per line. */
  include: "",
  exclude: "",
  pages: "",
  depth: "",
  rendering: "auto",
  robots: "",
  delayMs: "",
  when: "hours",
  everyHours: "24",
  cron: "",
  timeZone: "",
  login: "none",
  user: "",
  password: "",
  loginUrl: "",
  /** Headers, cookies or fields, one `name: value` per line. */
  values: "",
  proof: "",
  sitemaps: "",
  language: "",
  readable: "everybody",
  /** Principals, one per line. */
  allow: "",
  deny: "",
  /** The source as it was, with the fields that the form doesn't show. */
  rest: {} as Written,
}

/** The fields of a source in the order of the handbook, each with a function that reads its text; undefined leaves the field out. */
const FIELDS: readonly (readonly [
  at: string,
  name: Exclude<keyof Draft, "rest">,
  read: (text: string, draft: Draft) => unknown,
])[] = [
  ["name", "name", (text) => text.trim()],
  ["seeds", "seeds", linesOf],
  ["scope", "scope", (text) => (text === EMPTY.scope ? undefined : text)],
  ["include", "include", someOf],
  ["exclude", "exclude", someOf],
  ["limits.pages", "pages", numberOf],
  ["limits.depth", "depth", numberOf],
  ["rendering", "rendering", (text) => (text === EMPTY.rendering ? undefined : text)],
  ["politeness.delayMs", "delayMs", numberOf],
  ["politeness.robots", "robots", (text) => (text === "" ? undefined : text === "true")],
  ["login", "login", (_, draft) => loginOf(draft)],
  ["pages.language", "language", (text) => text.trim() || undefined],
  ["readers.allow", "allow", allowedOf],
  ["readers.deny", "deny", someOf],
  ["sitemaps", "sitemaps", someOf],
]

/** Names of a source's fields, as they appear in problems. */
export const PLACES: ReadonlyMap<string, string> = new Map(FIELDS.map(([at, name]) => [name, at]))

/** The draft of an existing or proposed source. */
export function draftOf(source: Written): Draft {
  const login = groupOf(source["login"])
  const schedule =
    typeof source["schedule"] === "string" ? { cron: source["schedule"] } : groupOf(source["schedule"])
  const texts = FIELDS.map(([at, name]) => {
    const value = at.split(".").reduce<unknown>((group, field) => groupOf(group)[field], source)
    return [name, textOf(value) || EMPTY[name]]
  })
  return {
    ...EMPTY,
    ...(Object.fromEntries(texts) as Partial<Draft>),
    when: schedule["cron"] != null ? "cron" : schedule["everyHours"] != null ? "hours" : "by-hand",
    everyHours: textOf(schedule["everyHours"]),
    cron: textOf(schedule["cron"]),
    timeZone: textOf(schedule["timeZone"]),
    login: textOf(login["kind"]) || EMPTY.login,
    user: textOf(login["user"]),
    password: textOf(login["password"]),
    loginUrl: textOf(login["url"]),
    values: pairsOf(login["headers"] ?? login["cookies"] ?? login["fields"]),
    proof: textOf(login["proof"]),
    readable: readableOf(groupOf(source["readers"])["allow"]),
    rest: source,
  }
}

/** The source that a draft describes, in the order of the handbook. Empty fields are left out. */
export function sourceOf(draft: Draft): Written {
  const { rest } = draft
  const fields: Record<string, unknown> = {}
  for (const [at, name, read] of FIELDS) {
    const [field = at, part] = at.split(".")
    const value = read(draft[name], draft)
    const group = groupOf(field in fields ? fields[field] : rest[field])
    fields[field] = part === undefined ? value : given({ ...group, [part]: value })
  }
  const { schedule: _, ...others } = rest
  // Spread twice: first to set the order of the fields, then to override the other ones.
  return given({ ...fields, ...others, ...fields, schedule: scheduleOf(draft) }) ?? {}
}

const readableOf = (allow: unknown): string =>
  allow === undefined ? "everybody" : [allow].flat().length === 0 ? "nobody" : "some"

/** An empty list denies access to everyone; without a list, anyone may read. */
function allowedOf(lines: string, { readable }: Draft): string[] | undefined {
  if (readable === "everybody") return undefined
  return readable === "nobody" ? [] : linesOf(lines)
}

function loginOf(draft: Draft): object | undefined {
  const values = Object.fromEntries(
    linesOf(draft.values).map((line): [string, string] => {
      const [, name = line, value = ""] = /^([^:]*):(.*)$/.exec(line) ?? []
      return [name.trim(), value.trim()]
    }),
  )
  switch (draft.login) {
    case "basic":
      return { kind: "basic", user: draft.user.trim(), password: draft.password.trim() }
    case "headers":
    case "cookies":
      return { kind: draft.login, [draft.login]: values }
    case "form": {
      const proof = draft.proof.trim() || undefined
      return given({ kind: "form", url: draft.loginUrl.trim(), fields: values, proof })
    }
    default:
      return undefined
  }
}

function scheduleOf({ when, everyHours, cron, timeZone, rest }: Draft): object | undefined {
  const { jitterMinutes } = groupOf(rest["schedule"])
  if (when === "hours") return given({ everyHours: numberOf(everyHours) ?? everyHours, jitterMinutes })
  if (when === "cron")
    return given({ cron: cron.trim(), timeZone: timeZone.trim() || undefined, jitterMinutes })
  return undefined
}

/** The text as a number if it is one; otherwise the text itself, which the API rejects. Undefined for an empty text. */
function numberOf(text: string): number | string | undefined {
  const written = text.trim()
  if (written === "") return undefined
  const number = Number(written)
  return Number.isFinite(number) ? number : written
}

/** The fields that have a value, or undefined. */
function given(fields: Written): Written | undefined {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined)
  return all.length === 0 ? undefined : Object.fromEntries(all)
}

const groupOf = (value: unknown): Written =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Written) : {}

/** A value as its field shows it: a list with one entry per line, a group as an empty text. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join("\n")
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : ""
}

const pairsOf = (value: unknown): string =>
  Object.entries(groupOf(value))
    .map(([name, one]) => `${name}: ${textOf(one)}`)
    .join("\n")

function someOf(lines: string): string[] | undefined {
  const list = linesOf(lines)
  return list.length === 0 ? undefined : list
}
