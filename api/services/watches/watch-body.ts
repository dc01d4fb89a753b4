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
import {
  anyObject,
  anyOf,
  listOf,
  object,
  type Of,
  oneOf,
  optional,
  orNull,
  text,
  whole,
  yesNo,
} from "../../server/schema/schemas.ts"
import { type ReadQuestion, CHANGES, type Subject, type WatchOptions } from "./watch.ts"

const MAX_NAME_CHARS = 100
const MAX_URL_CHARS = 2000
const MAX_EMAILS = 10
const MAX_PATTERNS = 50
/** A week. */
const MAX_EVERY_MINUTES = 10_080

const patterns = (description: string) =>
  listOf(text(undefined, { minLength: 1 }), description, { maxItems: MAX_PATTERNS })

const options = {
  name: text("Shown in lists, feeds and messages.", { maxLength: MAX_NAME_CHARS }),
  changes: listOf(oneOf(CHANGES), "The changes to report.", {
    minItems: 1,
    uniqueItems: true,
    default: CHANGES,
  }),
  webhook: orNull(
    text("Address that messages are sent to.", {
      maxLength: MAX_URL_CHARS,
      pattern: "^[Hh][Tt][Tt][Pp][Ss]?://",
    }),
  ),
  emails: listOf(text(), "E-mail addresses that messages are sent to.", {
    maxItems: MAX_EMAILS,
    uniqueItems: true,
    default: [],
  }),
  every_minutes: whole(0, MAX_EVERY_MINUTES, "Minimum minutes between two messages; 0 sends them at once.", {
    default: 0,
  }),
  paused: yesNo("Whether messages are held back; the feed continues.", { default: false }),
}

/** The fields of a watch that can be changed. Fields that are left out keep their values, so only a new watch gets the defaults. */
export const optionsBody = object(optional(options))
export type OptionsBody = Of<typeof optionsBody>

export const watchBody = object(
  optional({
    question: anyOf(
      [text(undefined, { minLength: 1 }), anyObject()],
      "A question, or a body of `/search`: watches the pages that it finds with a score of 0.25 or more.",
    ),
    source: text("Watches the pages of this source.", { minLength: 1 }),
    url: text("Watches this page.", { minLength: 1, maxLength: MAX_URL_CHARS }),
    include: patterns("With `source`: only addresses that match one of these patterns."),
    exclude: patterns("With `source`: skips addresses that match one of these patterns."),
    ...options,
  }),
)
export type WatchBody = Of<typeof watchBody>

/** @throws Refusal naming the wrong field */
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
    throw new Refusal("wrong", "Invalid include. include and exclude need source.")
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
      throw new Refusal("wrong", "Invalid url. This key may not see it.")
    }
    const page = await findPage(address, { reach, knowledge })
    return { kind: "page", urls: [...new Set([address, ...(page === null ? [] : [page.url])])] }
  }
  const search = typeof question === "string" ? { query: question } : { ...question }
  await readQuestion(search, limits, reach.names)
  return { kind: "question", search }
}

/** @throws Refusal naming the wrong field */
export function optionsOf(
  body: OptionsBody,
  before: WatchOptions | null,
  {
    key,
    emails: allowed,
    hasMailServer,
  }: {
    readonly key: Pick<ApiKey, "role">
    /** Addresses to which watches of any key may send mail. */
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
        `Invalid emails. FOSSICK_WATCH_EMAILS on this appliance does not let this key's watches write to ${one}.`,
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
