/** A value of a stranger's JSON or YAML that has names. */
export type Data = Readonly<Record<string, unknown>>

const NONE: Data = {}

export const dataOf = (value: unknown): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : NONE

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Text, numbers and truth values as text; anything else as none. */
export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : ""
