import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import {
  FAILURES_LIKE,
  isFailure,
  isPageOutcome,
  isSkip,
  isUnread,
  outcomeName,
  type OutcomeName,
  pagesIn,
  unreadSql,
} from "./outcome-name.ts"

const NAMES: readonly OutcomeName[] = [
  "indexed",
  "unchanged",
  "postponed",
  "skipped:robots",
  "skipped:soft-404",
  "failed:dns",
  "failed:http-status",
]

test("an outcome is found, left out, failed or waiting, and the store agrees with the code", () => {
  expect(NAMES.filter(isPageOutcome)).toEqual(["indexed", "unchanged"])
  expect(NAMES.filter(isSkip)).toEqual(["skipped:robots", "skipped:soft-404"])
  expect(NAMES.filter(isFailure)).toEqual(["failed:dns", "failed:http-status"])
  expect(pagesIn({ indexed: 2, unchanged: 3, "failed:dns": 4 })).toBe(5)
  using db = new DatabaseSync(":memory:")
  const judge = db.prepare(
    `select ${unreadSql("like")} as unread, outcome like '${FAILURES_LIKE}' as failure from (select ? as outcome)`,
  )
  for (const name of NAMES) {
    expect(judge.get(name)).toEqual({ unread: Number(isUnread(name)), failure: Number(isFailure(name)) })
  }
})

test("an outcome's name includes its reason", () => {
  expect(outcomeName({ kind: "skipped", because: "noindex" })).toBe("skipped:noindex")
  expect(outcomeName({ kind: "failed", because: "tls", detail: "" })).toBe("failed:tls")
  expect(outcomeName({ kind: "postponed", until: new Date() })).toBe("postponed")
})

test("no other code parses an outcome's name", () => {
  const matching = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "outcome-name.ts")
    .filter((name) =>
      /["'`](?:skipped|failed):(?:%|["'`]|\$\{)/.test(readFileSync(join(import.meta.dirname, name), "utf8")),
    )
  expect(matching).toEqual([])
})
