import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/limits/admission.ts"
import type { Feature } from "../../feature.ts"
import type { MissKnowledge } from "../misses/miss-knowledge.ts"
import type { PageKnowledge } from "./page-knowledge.ts"
import type { Thumbnails } from "./thumbnails.ts"

interface Needs {
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  readonly pages: PageKnowledge
  /** Says why a page is not there; left out: nothing does. */
  readonly misses?: MissKnowledge
  /** The images themselves; left out, none are served. */
  readonly thumbnails?: Thumbnails
  readonly config: { readonly about: string }
}

/** Stored pages by their address, and what the index holds. */
export const pages = {
  name: "pages",
  async describe() {
    const { pageOperations, pageSchemas } = await import("./described/operations.ts")
    return { operations: pageOperations, schemas: pageSchemas }
  },
  async serve(router, { accounts, admissions, pages: knowledge, misses = null, thumbnails, config }) {
    const { PAGE_PATHS, pageRoutes } = await import("./routes.ts")
    const { keys } = accounts
    pageRoutes(router, { keys, admissions, knowledge, misses, about: config.about, images: thumbnails })
    return { endpoints: PAGE_PATHS, toolEndpoints: ["pages"] }
  },
} as const satisfies Feature<Needs>
