import { PAGE_TYPES } from "#engine/index/page/page-type.ts"

import { MAX_ENTRIES } from "../../identity/accounts/keys/key-scope.ts"
import { anyOf, listOf, oneOf, text } from "../schema/schemas.ts"

const names = (description: string) =>
  anyOf([text(), listOf(text(), undefined, { maxItems: MAX_ENTRIES })], description)

/** The words for "one or more of these values" in descriptions and messages. */
export const severalAllowed = (values: readonly string[]): string =>
  `one or more of ${values.map((value) => `'${value}'`).join(", ")}`

/** One of these values, or a list of them. */
export const severalOf = <const V extends string>(values: readonly V[], description: string) =>
  anyOf([oneOf(values), listOf(oneOf(values))], description, { "x-allowed": severalAllowed(values) })

export const TYPES_ALLOWED = severalAllowed(PAGE_TYPES)

/** Fields of every search body that restrict where to search. */
export const filterFields = {
  sources: names("Only pages from these sources, and from those in `collections`."),
  collections: names("Only pages from the sources in these collections, and from `sources`."),
  types: severalOf(PAGE_TYPES, "Only pages in these formats."),
}
