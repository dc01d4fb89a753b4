import { PAGE_TYPES } from "#engine/index/page/page-type.ts"

import { MAX_ENTRIES } from "../../identity/accounts/keys/key-scope.ts"
import type { FieldSchema } from "../wire/validate.ts"

const names = (description: string): FieldSchema => ({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" }, maxItems: MAX_ENTRIES }],
  description,
})

export const TYPES_ALLOWED = `one or several of ${PAGE_TYPES.map((type) => `'${type}'`).join(", ")}`

/** Fields of a body that say where to look, wherever a search is described. */
export const filterFields = {
  sources: names("Pages of these sources only, and of those in `collections`."),
  collections: names("Pages of the sources in these collections only, and of `sources`."),
  types: {
    anyOf: [
      { type: "string", enum: PAGE_TYPES },
      { type: "array", items: { type: "string", enum: PAGE_TYPES } },
    ],
    "x-allowed": TYPES_ALLOWED,
    description: "Pages of these types only: what they are written in.",
  },
} satisfies Record<string, FieldSchema>
