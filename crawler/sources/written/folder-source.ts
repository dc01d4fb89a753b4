import { isAbsolute } from "node:path"
import type { SourceSpec } from "../../source.ts"
import type { SourceProblem } from "./source-problem.ts"

/** Fields that say how websites are read, and mean nothing for the files of a folder. */
export const OF_WEBSITES = [
  "scope",
  "rendering",
  "politeness",
  "ignoreNoindex",
  "allowedNetworks",
  "login",
  "caFile",
  "clientCert",
  "sitemaps",
  "feeds",
] as const satisfies readonly (keyof SourceSpec)[]

/** What is wrong in a source whose pages are the files of a folder. */
export function folderProblems(spec: SourceSpec): SourceProblem[] {
  const { folder = null, seeds } = spec
  if (folder === null) return []
  const [seed = ""] = seeds
  return [
    ...(isAbsolute(folder)
      ? []
      : [{ path: ["folder"], message: "must be an absolute path, such as /srv/handbook" }]),
    ...(seeds.length === 1 && /^[^?#]*\/$/.test(seed)
      ? []
      : [
          {
            path: ["seeds"],
            message: "must be one address that ends with /, below which the files have theirs",
          },
        ]),
    ...OF_WEBSITES.filter((field) => isSet(spec[field])).map((field) => ({
      path: [field],
      message: "means nothing for a folder; take it out",
    })),
  ]
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
