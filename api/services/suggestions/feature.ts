import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { Feature } from "../../feature.ts"
import type { QueryLog } from "../queries/query-log.ts"

interface Needs {
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  /** Where questions are kept; left out: nowhere. */
  readonly queries?: Pick<QueryLog, "alike"> | undefined
}

/** Titles and headings while somebody types. */
export const suggestions = {
  name: "suggestions",
  async describe() {
    const { suggestionOperations, suggestionSchemas } = await import("./operations.ts")
    return { operations: suggestionOperations, schemas: suggestionSchemas }
  },
  async serve(router, { accounts, admissions, queries }) {
    const { SUGGEST_PATH, suggestRoutes } = await import("./routes.ts")
    suggestRoutes(router, { keys: accounts.keys, admissions, queries })
    return { endpoints: [SUGGEST_PATH] }
  },
} as const satisfies Feature<Needs>
