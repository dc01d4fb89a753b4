/** What each way to end a visit means to the operator. */
const MEANINGS: Readonly<Record<string, string>> = {
  indexed: "new or changed, now searchable",
  unchanged: "the same as in the index",
  postponed: "the site asked to come back later",
  "skipped:robots": "robots.txt disallows them",
  "skipped:noindex": "the pages ask not to be indexed",
  "skipped:out-of-scope": "redirected out of the crawl's scope",
  "skipped:duplicate": "the same page under another address",
  "skipped:trap": "rows of addresses without end, such as a calendar's",
  "skipped:soft-404": "not there, though the site says 200",
  "skipped:unsupported-type": "no text that can be read",
  "skipped:too-large": "larger than pages may be",
  "skipped:empty": "no main content found",
  "failed:http-status": "the site answered with an error",
  "failed:dns": "the host name cannot be resolved",
  "failed:refused": "the connection was refused or lost",
  "failed:tls": "no secure connection",
  "failed:timeout": "no answer in time",
  "failed:redirect-loop": "redirects that never end",
  "failed:blocked-address": "a private address that is not allowed",
  "failed:bad-encoding": "the body is truncated or corrupt",
  "failed:unreadable": "the page cannot be read",
  "failed:crashed": "reading the page took down the crawler's process",
  "failed:cancelled": "cut short; the next run visits them",
}

export const meaningOf = (outcome: string): string => MEANINGS[outcome] ?? ""

/** `failed: dns`. */
export const shownOutcome = (outcome: string): string => outcome.replace(":", ": ").replaceAll("-", " ")

export type Kind = "pages" | "skipped" | "failed" | "postponed"

export const kindOf = (outcome: string): Kind => {
  if (outcome.startsWith("failed")) return "failed"
  if (outcome.startsWith("skipped")) return "skipped"
  return outcome === "postponed" ? "postponed" : "pages"
}

/** The outcomes of a run, most frequent first. */
export const byCount = (outcomes: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
  Object.entries(outcomes).toSorted(([, a], [, b]) => b - a)

/** Whether an outcome is among those that a part of the address asks for: one of them, or all that failed. */
export const isMeant = (outcome: string, wanted: string | null): boolean =>
  wanted === null || outcome === wanted || outcome.startsWith(`${wanted}:`)
