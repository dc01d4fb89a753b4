import { kindOf } from "../../fetch/content/kinds.ts"
import { contentFieldsOf, type SourceSpec } from "../../source.ts"
import type { SourceProblem } from "./source-problem.ts"

/** Fields that control how websites are read and mean nothing for other content. */
export const OF_WEBSITES = [
  "scope",
  "rendering",
  "politeness",
  "ignoreNoindex",
  "allowedNetworks",
  "login",
  "caFile",
  "clientCert",
  "observers",
  "sitemaps",
  "feeds",
] as const satisfies readonly (keyof SourceSpec)[]

/** Problems with a source whose pages don't come from websites. */
export function contentProblems(spec: SourceSpec): SourceProblem[] {
  const [field, ...others] = contentFieldsOf(spec)
  if (field !== "folder" && (spec.folderReaders ?? "none") !== "none")
    return [{ path: ["folderReaders"], message: "has no effect without folder; remove it" }]
  if (field === undefined) return []
  if (others.length > 0)
    return others.map((other) => ({
      path: [other],
      message: `can't be combined with ${field}; make two sources`,
    }))
  return [
    ...kindOf(field).problems(spec),
    ...OF_WEBSITES.filter((name) => isSet(spec[name])).map((name) => ({
      path: [name],
      message: `has no effect with ${field}; remove it`,
    })),
  ]
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
