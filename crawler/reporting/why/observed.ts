import type { Page } from "#engine"
import { observationsOf } from "../../fetch/observe/observations.ts"
import { dateText } from "./dates-and-counts.ts"
import type { Step, Subject } from "./step.ts"

/** Says which observers could see the page, and why the others could not. */
export async function observersStep({ url, parts }: Subject, page: Page | null): Promise<Step | null> {
  const { db, only = null, conceals = false } = parts
  const seen = (await observationsOf(db, url)).filter(({ source }) => only?.includes(source) !== false)
  if (page === null || seen.length === 0) return null
  const all = seen.map((one) => ({
    ...one,
    // The reason why an observer could not visit the page may reveal a private network.
    reason: conceals ? one.reason.replace(/^could not look:.*/s, "could not look") : one.reason,
  }))
  return {
    name: "observers",
    verdict: "note",
    text: all
      .map(
        ({ observer, shown, reason, at }) =>
          `${observer} ${shown ? "was shown it" : `was not shown it (${reason})`} on ${dateText(at)}`,
      )
      .join("; "),
    facts: {
      observers: all.map(({ source, observer, shown, reason, at }) => ({
        source,
        observer,
        shown,
        reason,
        at: new Date(at),
      })),
    },
  }
}
