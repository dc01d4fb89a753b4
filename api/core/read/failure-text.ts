import { UNREACHABLE_HOST } from "#crawler/fetch/concealed.ts"
import type { FailureReason, Reading, ReadResult, SkipReason } from "#crawler"

const skips: Readonly<Record<SkipReason, string>> = {
  robots: "robots.txt disallows it",
  noindex: "the page asks not to be indexed",
  "out-of-scope": "it is outside the source's scope",
  logout: "it is a logout link",
  duplicate: "it is a copy of another page",
  trap: "it is one of an endless series of addresses",
  "soft-404": "there is no such page, though the site says otherwise",
  gone: "it is no longer there",
  "unsupported-type": "it is not a kind of document that can be read",
  undecodable: "its fonts don't map to letters",
  "too-large": "it is too large",
  empty: "no main content was found",
}

/** Reasons whose detail is shown, because it is about the site and not about this machine's network. */
const detailed: ReadonlySet<FailureReason> = new Set(["http-status", "redirect-loop", "bad-encoding", "tls"])

const failures: Readonly<Record<FailureReason, string>> = {
  "http-status": "the site answered with an error",
  dns: UNREACHABLE_HOST,
  refused: "the connection was refused",
  tls: "no secure connection could be made",
  timeout: "the site took too long",
  "redirect-loop": "it redirects endlessly",
  "blocked-address": "the address is in a network that is not allowed",
  "bad-encoding": "the answer was cut off or damaged",
  unreadable: "the content could not be read",
  crashed: "the content could not be read",
  cancelled: "the call ended first",
}

export const TIMED_OUT = "Request timed out"
/** The error for a page whose text cannot be processed. */
export const UNREADABLE = `Failed to fetch url: ${failures.unreadable}`

type NotRead = Exclude<ReadResult, { kind: "read" }>

/** Why a page could not be read, as a sentence. */
export const failureText = (result: NotRead): string =>
  result.kind === "failed" && (result.because === "timeout" || result.because === "cancelled")
    ? TIMED_OUT
    : `Failed to fetch url: ${failureReason(result)}`

/** The skip reason for a page that has no text and redirects its readers; null for other pages. */
export const skippedAsEmpty = ({ extracted, emptyBecause }: Reading): NotRead | null =>
  extracted.refresh !== undefined && extracted.markdown.trim() === ""
    ? { kind: "skipped", because: "empty", detail: emptyBecause ?? skips.empty }
    : null

/** Why a page could not be read, worded for the middle of a sentence. */
export function failureReason(result: NotRead): string {
  switch (result.kind) {
    case "skipped":
      return (result.because === "empty" && result.detail) || skips[result.because]
    case "postponed":
      return `the site asks crawlers to wait until ${result.until.toISOString()}`
    default: {
      const detail = detailed.has(result.because) ? result.detail : ""
      return detail === "" ? failures[result.because] : detail
    }
  }
}
