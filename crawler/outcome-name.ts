import type { CrawlOutcome, FailureReason, SkipReason } from "./outcome.ts"

/** An outcome as it is counted, recorded and displayed. */
export type OutcomeName =
  | "indexed"
  | "unchanged"
  | "postponed"
  | `skipped:${SkipReason}`
  | `failed:${FailureReason}`

/** Number of visits with each outcome. */
export type OutcomeCounts = Readonly<Partial<Record<OutcomeName, number>>>

/** Outcomes of visits that found a page. */
export const PAGE_OUTCOMES = ["indexed", "unchanged"] as const satisfies readonly OutcomeName[]
const SKIPPED = "skipped:"
const FAILED = "failed:"

/** {@link isUnread} as a condition in SQL. @param like the store's `like` that ignores case */
export const unreadSql = (like: string) => `(outcome = 'postponed' or outcome ${like} '${FAILED}%')`
/** The outcomes for which {@link isFailure} is true, as a pattern for `like` in SQL. */
export const FAILURES_LIKE = `${FAILED}%`

/** The counts as a list of entries. */
export const entriesOf = (counts: OutcomeCounts) => Object.entries(counts) as [OutcomeName, number][]

export function outcomeName(outcome: CrawlOutcome): OutcomeName {
  switch (outcome.kind) {
    case "skipped":
      return `${SKIPPED}${outcome.because}`
    case "failed":
      return `${FAILED}${outcome.because}`
    default:
      return outcome.kind
  }
}

/** Whether the visit found a page, new or known. */
export const isPageOutcome = (name: OutcomeName): boolean =>
  (PAGE_OUTCOMES as readonly OutcomeName[]).includes(name)

/** Whether the index must not contain the address. */
export const isSkip = (name: OutcomeName): boolean => name.startsWith(SKIPPED)

/** Whether something went wrong, on our side or the site's. */
export const isFailure = (name: OutcomeName): boolean => name.startsWith(FAILED)

/** Whether a visit found no page for a reason that is temporary or can be fixed. */
export const isUnread = (name: OutcomeName): boolean => name === "postponed" || isFailure(name)

/** The groups of outcomes. */
export const OUTCOME_KINDS = ["pages", "postponed", "skipped", "failed"] as const

export function outcomeKind(name: OutcomeName): (typeof OUTCOME_KINDS)[number] {
  if (isPageOutcome(name)) return "pages"
  if (isSkip(name)) return "skipped"
  return isFailure(name) ? "failed" : "postponed"
}

/** The number of visits that found a page. */
export const pagesIn = (counts: OutcomeCounts): number =>
  PAGE_OUTCOMES.reduce((sum, name) => sum + (counts[name] ?? 0), 0)

/** Whether a response says that nothing exists at its address. */
export const isMissing = (status: number | null | undefined): boolean => status === 404 || status === 410

/** The name as displayed in lists: `failed: dns`. */
export const shownOutcome = (name: OutcomeName): string => name.replace(":", ": ")

/** Whether this text means the outcome: `failed:dns`, `failed: dns`, its last word `dns`, or `failed` for all failures. */
export function isMeantBy(name: OutcomeName, text: string): boolean {
  const wanted = text.replaceAll(/\s/g, "").toLowerCase()
  return name === wanted || name.startsWith(`${wanted}:`) || name.endsWith(`:${wanted}`)
}
