import type { Rule } from "#engine"

import { unprocessable } from "../../server/middleware/query-parameters.ts"
import { problemText, ruleProblems } from "./rule-schema.ts"

/**
 * The current rules, and the rules after the changes.
 * @param changes.rules rules to create, or to replace the rules that have the same ids
 * @param changes.without ids of the rules to delete
 * @throws ApiError 422
 */
export function changedRules(
  before: readonly Rule[],
  { rules = [], without = [] }: { readonly rules?: readonly unknown[]; readonly without?: readonly string[] },
): { readonly before: readonly Rule[]; readonly after: readonly Rule[] } {
  const changed = rules.map((rule, i) => readRule(rule, `rules[${i}].`))
  const dropped = new Set([...without, ...changed.map(({ id }) => id)])
  return { before, after: [...before.filter(({ id }) => !dropped.has(id)), ...changed] }
}

/** @throws ApiError 422 naming every invalid field */
export function readRule(value: unknown, at = ""): Rule {
  const problems = ruleProblems(value)
  if (problems.length === 0) return value as Rule
  throw unprocessable(
    problems.map((one) => {
      const field = problemText({ ...one, message: "" }).trim()
      return { field: `${at}${field}`, message: one.message }
    }),
  )
}
