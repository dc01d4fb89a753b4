import { isMap, isSeq } from "yaml"
import { stringify } from "yaml"

import type { Rule } from "#engine"
import { placeAt, readYaml } from "#crawler/sources/written/yaml-slips.ts"

import { MOST_RULES, problemText, ruleProblems } from "./rule-schema.ts"

/** An invalid rules file; the message has one line per problem: `rules.yaml:12:5: …`. */
export class RulesFileError extends Error {}

/**
 * The rules that a file's text declares: YAML 1.2 or JSON, a list under `rules`.
 * @throws RulesFileError
 */
export function parseRules(text: string, file: string): readonly Rule[] {
  const yaml = readYaml(text)
  const lines: string[] = yaml.slips.map(
    ({ place, text }) => `${file}:${place.line}:${place.column}: ${text}`,
  )
  if (lines.length > 0) throw new RulesFileError(lines.join("\n"))
  const wrong = (path: readonly (string | number)[], message: string) => {
    // A missing field has no position, so the rule's position is used.
    let place = null
    for (let end = path.length; place === null && end >= 0; end--) place = placeAt(yaml, path.slice(0, end))
    place ??= placeOfItem(path)
    lines.push(`${place === null ? file : `${file}:${place.line}:${place.column}`}: ${message}`)
  }
  const placeOfItem = (path: readonly (string | number)[]) => {
    const node = yaml.document.getIn(path.slice(0, 2), true)
    const start = isMap(node) || isSeq(node) ? node.range?.[0] : undefined
    return start === undefined ? null : yaml.placeOf(start)
  }
  const value = yaml.document.toJS({ maxAliasCount: 1000 }) as unknown
  const { rules, ...others } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly rules?: unknown
  }
  for (const name of Object.keys(others)) wrong([name], `${name} isn't a field of a rules file`)
  if (!Array.isArray(rules)) {
    wrong([], 'must have a list under "rules"; "rules: []" declares none')
    throw new RulesFileError(lines.join("\n"))
  }
  if (rules.length > MOST_RULES) wrong(["rules"], `rules has more than ${MOST_RULES} entries`)
  const seen = new Set<string>()
  for (const [i, rule] of rules.entries()) {
    for (const problem of ruleProblems(rule)) {
      wrong(["rules", i, ...problem.path], `rules[${i}]: ${problemText(problem)}`)
    }
    const { id } = (rule ?? {}) as { readonly id?: unknown }
    if (typeof id !== "string") continue
    if (seen.has(id)) wrong(["rules", i, "id"], `rules[${i}]: id ${id} appears twice`)
    seen.add(id)
  }
  if (lines.length > 0) throw new RulesFileError(lines.join("\n"))
  return rules as Rule[]
}

/** Rules in the form that {@link parseRules} reads. */
export const rulesText = (rules: readonly Rule[]): string => stringify({ rules }, { lineWidth: 0 })
