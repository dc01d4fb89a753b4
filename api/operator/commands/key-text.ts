import type { MadeKey } from "../../identity/accounts/keys/keys.ts"
import { table } from "#crawler/commands/sources/sources-text.ts"

import type { KeyUse, Use } from "../../identity/accounts/key-use.ts"
import { ENDPOINTS } from "../../identity/accounts/keys/key-scope.ts"
import { rateLimitsText } from "../../identity/accounts/rates/rate-limits.ts"

/** Describes a key on one line. */
export function keyLine(key: MadeKey): string {
  const { scope, creditLimit } = key
  const state = [
    `made ${dayOf(key.createdAt)}`,
    key.disabledAt ? `disabled ${dayOf(key.disabledAt)}` : "",
    key.expiresAt
      ? `${key.expiresAt.getTime() > Date.now() ? "expires" : "expired"} ${endOf(key.expiresAt)}`
      : "",
  ]
  const limits = [
    creditLimit ? `${creditLimit.credits} credits ${creditLimit.per === "month" ? "a month" : "in all"}` : "",
    key.rateLimits ? `at most ${rateLimitsText(key.rateLimits)}` : "",
    ...[scope.endpoints, scope.sources, scope.collections, scope.domains, key.projects, key.principals].map(
      (names, i) => (names?.length ? `${KINDS[i]} ${names.join(", ")}` : ""),
    ),
    key.actsForPeople === null ? "" : `acts for people, named in ${key.actsForPeople}`,
    key.mayMakeKeys && key.role !== "admin" ? "may make keys" : "",
  ]
  const given = (parts: readonly string[], between: string) =>
    parts.filter((part) => part !== "").join(between)
  return given([key.id, key.role.padEnd(8), given(state, ", "), key.name, given(limits, "; ")], "  ")
}

/** A table of keys' usage; an endpoint is shown with its calls, and its credits if there are any: `120 (60 cr)`. */
export function useLines(
  use: readonly KeyUse[],
  names: ReadonlyMap<string, string>,
  by: "day" | "month",
): string[] {
  const cell = ({ calls, credits }: Use) => (credits === 0 ? String(calls) : `${calls} (${credits} cr)`)
  return table([
    [by.toUpperCase(), "KEY", "NAME", "CALLS", "CREDITS", ...ENDPOINTS.map((name) => name.toUpperCase())],
    ...use.map(({ time, keyId, calls, credits, endpoints }) => [
      time,
      keyId,
      names.get(keyId) ?? "",
      String(calls),
      String(credits),
      ...ENDPOINTS.map((name) => cell(endpoints[name])),
    ]),
  ])
}

const KINDS = ["endpoints", "sources", "collections", "domains", "projects", "reads as"]

/** If the time is midnight, only the day is shown, because people who enter only a day get midnight. */
const endOf = (time: Date): string =>
  time.getTime() % 86_400_000 === 0 ? dayOf(time) : `${dayOf(time)} ${time.toISOString().slice(11, 16)} UTC`

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
