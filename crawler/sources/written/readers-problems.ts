import { principalOf, type WrittenReaders } from "#engine/index/page/readers.ts"
import type { SourceProblem } from "./source-problem.ts"

/** Finds entries that aren't `user:NAME`, `group:NAME` or `signed-in`, by `allow` or `deny` and their index. */
export const readersProblems = (readers: WrittenReaders): SourceProblem[] =>
  (["allow", "deny"] as const).flatMap((field) =>
    [...(readers[field] ?? []).entries()]
      .filter(([, text]) => principalOf(text) === null)
      .map(([index]) => ({
        path: [field, index],
        message: "must be user:NAME, group:NAME or signed-in",
      })),
  )
