import type { AnswerOf } from "../../../api/client/client.ts"

type Outcome = AnswerOf<"GET /admin/outcomes">["outcomes"][number]

/** The outcome's label, such as `failed: dns`. */
export const shownOutcome = (outcome: string): string => outcome.replace(":", ": ").replaceAll("-", " ")

export type Kind = Outcome["kind"]

export const kindOf = (outcome: string): Kind => {
  if (outcome.startsWith("failed")) return "failed"
  if (outcome.startsWith("skipped")) return "skipped"
  return outcome === "postponed" ? "postponed" : "pages"
}

/** The outcomes of a run, most frequent first. */
export const byCount = (outcomes: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
  Object.entries(outcomes).toSorted(([, a], [, b]) => b - a)

/** Whether an outcome matches the filter in the address: a single outcome, or a group such as all failures. */
export const isMeant = (outcome: string, wanted: string | null): boolean =>
  wanted === null || outcome === wanted || outcome.startsWith(`${wanted}:`)
