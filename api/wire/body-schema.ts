/** Entries of a list at most, and when none is asked for. */
export const MAX_LIMIT = 1000
export const DEFAULT_LIMIT = 50

/** JSON Schema (draft-07) of the fields of a body. */
export interface BodySchema<T> {
  readonly required?: readonly (keyof T & string)[]
  readonly properties: { readonly [Field in keyof T]-?: Readonly<Record<string, unknown>> }
}
