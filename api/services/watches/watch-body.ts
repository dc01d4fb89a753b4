import { Refusal } from "#base/errors.ts"
import { isMailbox } from "#crawler/alert-settings.ts"
import { PatternError } from "#crawler"
import { addressPatterns } from "#crawler/crawl/scope/globs.ts"

import type { ApiKey } from "../../identity/accounts/keys/keys.ts"
import type { Reach } from "../../identity/accounts/reach/reach.ts"
import { findPage } from "../../core/read/find-page.ts"
import type { PageKnowledge } from "../pages/page-knowledge.ts"
import { liveUrl } from "../../core/read/live-url.ts"
import { type SearchLimits } from "../../core/ask/question.ts"
import type { BodySchema } from "../../server/wire/body-schema.ts"
import { type ReadQuestion, type Change, CHANGES, type Subject, type WatchOptions } from "./watch.ts"

const MAX_NAME_CHARS = 100
const MAX_URL_CHARS = 2000
const MAX_EMAILS = 10
const MAX_PATTERNS = 50
/** A week. */
const MAX_EVERY_MINUTES = 10_080

/** What may be changed of a watch. */
export interface OptionsBody {
  readonly name?: string
  readonly changes?: readonly Change[]
  readonly webhook?: string | null
  readonly emails?: readonly string[]
  readonly every_minutes?: number
  readonly paused?: boolean
}

export interface WatchBody extends OptionsBody {
  readonly question?: string | Readonly<Record<string, unknown>>
  readonly source?: string
  readonly url?: string
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

const patterns = (description: string) => ({
  type: "array",
  maxItems: MAX_PATTERNS,
  items: { type: "string", minLength: 1 },
  description,
})

export const optionsBody: BodySchema<OptionsBody> = {
  properties: {
    name: { type: "string", maxLength: MAX_NAME_CHARS, description: "For lists, feeds and messages." },
    changes: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", enum: CHANGES },
      default: CHANGES,
      description: "What is told.",
    },
    webhook: {
      type: ["string", "null"],
      maxLength: MAX_URL_CHARS,
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
      description: "Address that messages are sent to.",
    },
    emails: {
      type: "array",
      maxItems: MAX_EMAILS,
      uniqueItems: true,
      items: { type: "string" },
      default: [],
      description: "Who is written to.",
    },
    every_minutes: {
      type: "integer",
      minimum: 0,
      maximum: MAX_EVERY_MINUTES,
      default: 0,
      description: "Messages are no closer together than this; 0 sends them at once.",
    },
    paused: { type: "boolean", default: false, description: "Messages wait; the feed goes on." },
  },
}

export const watchBody: BodySchema<WatchBody> = {
  properties: {
    question: {
      anyOf: [{ type: "string", minLength: 1 }, { type: "object" }],
      description:
        "Pages that a search finds with a score of 0.25 or more: a question, or a body of `/search`.",
    },
    source: { type: "string", minLength: 1, description: "Pages of a source." },
    url: { type: "string", minLength: 1, maxLength: MAX_URL_CHARS, description: "One page." },
    include: patterns("With `source`: only addresses that fit one of these patterns."),
    exclude: patterns("With `source`: none that fit one of these."),
    ...optionsBody.properties,
  },
}

/** @throws Refusal naming the field that is wrong */
export async function subjectOf(
  body: WatchBody,
  {
    reach,
    limits,
    knowledge,
    readQuestion,
  }: {
    readonly reach: Reach
    readonly limits: SearchLimits
    readonly knowledge: PageKnowledge
    readonly readQuestion: ReadQuestion
  },
): Promise<Subject> {
  const { question, source, url, include = [], exclude = [] } = body
  const given = [question, source, url].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw new Refusal("wrong", "Invalid watch. Must have exactly one of question, source and url.")
  if (source === undefined && include.length + exclude.length > 0) {
    throw new Refusal("wrong", "Invalid include. include and exclude go with source.")
  }
  if (source !== undefined) {
    await reach.names.named({ sources: source })
    for (const [field, list] of [
      ["include", include],
      ["exclude", exclude],
    ] as const) {
      try {
        if (list.length > 0) addressPatterns(field, list)
      } catch (error) {
        if (!(error instanceof PatternError)) throw error
        throw new Refusal("wrong", `Invalid ${field}. ${error.message}`)
      }
    }
    return { kind: "source", source, include, exclude }
  }
  if (url !== undefined) {
    const address = liveUrl(url)
    if (address === null) throw new Refusal("wrong", "Invalid url. Must be an http or https address.")
    if (!(await reach.addresses())(address)) {
      throw new Refusal("wrong", "Invalid url. It lies outside what this key may see.")
    }
    const page = await findPage(address, { reach, knowledge })
    return { kind: "page", urls: [...new Set([address, ...(page === null ? [] : [page.url])])] }
  }
  const search = typeof question === "string" ? { query: question } : { ...question }
  await readQuestion(search, limits, reach.names)
  return { kind: "question", search }
}

/** @throws Refusal naming the field that is wrong */
export function optionsOf(
  body: OptionsBody,
  before: WatchOptions | null,
  {
    key,
    emails: allowed,
    hasMailServer,
  }: {
    readonly key: Pick<ApiKey, "role">
    /** Who may be written to by anybody's watches. */
    readonly emails: readonly string[]
    readonly hasMailServer: boolean
  },
): WatchOptions {
  const { webhook, emails } = body
  if (typeof webhook === "string" && !/^https?:$/.test(URL.parse(webhook)?.protocol ?? "")) {
    throw new Refusal("wrong", "Invalid webhook. Must be an http or https address.")
  }
  for (const one of emails ?? []) {
    if (!isMailbox(one))
      throw new Refusal("wrong", "Invalid emails. Must be e-mail addresses such as ops@example.com.")
    const [, domain = ""] = one.toLowerCase().split("@")
    if (key.role !== "admin" && !allowed.includes(one.toLowerCase()) && !allowed.includes(`@${domain}`)) {
      throw new Refusal(
        "wrong",
        `Invalid emails. FOSSICK_WATCH_EMAILS of this appliance does not let this key's watches write to ${one}.`,
      )
    }
  }
  if ((emails?.length ?? 0) > 0 && !hasMailServer) {
    throw new Refusal("wrong", "Invalid emails. This appliance has no mail server (FOSSICK_SMTP_URL).")
  }
  return {
    name: body.name ?? before?.name ?? "",
    changes: body.changes ?? before?.changes ?? CHANGES,
    webhook: webhook === undefined ? (before?.webhook ?? null) : webhook,
    emails: emails ?? before?.emails ?? [],
    everyMinutes: body.every_minutes ?? before?.everyMinutes ?? 0,
    paused: body.paused ?? before?.paused ?? false,
  }
}
