import { isDoubtful, type Result, type Suggestion } from "./ask.ts"
import type { Asked } from "./use-asked.ts"

/** A row of the list. */
export type Row =
  | { readonly kind: "answer"; readonly key: string; readonly question: string }
  | { readonly kind: "name"; readonly key: string; readonly suggestion: Suggestion }
  /** Shown instead of poor results, until the user wants to see them. */
  | { readonly kind: "weak"; readonly key: string; readonly count: number }
  | { readonly kind: "result"; readonly key: string; readonly result: Result }

/** Number of names shown along with results. */
const NAMES_BESIDE = 3

/**
 * The list for the typed text: an offer to answer, names that begin with it, then the search's results. Poor results
 * are collapsed, and come without an offer to answer.
 */
export function rowsOf(
  { suggestions, found, question }: Asked,
  typed: string,
  { hasAnswers, showsWeak }: { readonly hasAnswers: boolean; readonly showsWeak: boolean },
): Row[] {
  const isWeak = found !== null && isDoubtful(found)
  const results = found?.results ?? []
  const pages = new Set(results.map(({ url }) => pageOf(url)))
  const names = suggestions.filter(({ url }) => !pages.has(pageOf(url)))
  const shown = found === null || question !== typed ? names : names.slice(0, NAMES_BESIDE)
  return [
    ...(hasAnswers && !isWeak && typed.length > 1 && (results.length > 0 || names.length > 0)
      ? [{ kind: "answer" as const, key: "answer", question: typed }]
      : []),
    ...shown.map((suggestion) => ({ kind: "name" as const, key: `name ${suggestion.url}`, suggestion })),
    ...(isWeak && !showsWeak ? [{ kind: "weak" as const, key: "weak", count: results.length }] : []),
    ...(isWeak && !showsWeak ? [] : results).map((result) => ({
      kind: "result" as const,
      key: `result ${result.url}`,
      result,
    })),
  ]
}

const pageOf = (url: string): string => url.replace(/#.*/, "")

/** The row that Enter opens before the user chooses one: the first with a link. */
export const firstLink = (rows: readonly Row[]): number =>
  Math.max(
    0,
    rows.findIndex(({ kind }) => kind !== "answer"),
  )
