/** An object from JSON or YAML that someone else wrote. */
export type Data = Readonly<Record<string, unknown>>

const NONE: Data = {}

export const dataOf = (value: unknown): Data =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : NONE

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Text, numbers and booleans as text; any other value as an empty string. */
export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : ""
