import { badRequest } from "../../errors.ts"

/** A body, or a part of one. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the body of another API's request field by field. A field that is null or left out is not set. Fields that have
 * not been read when {@link FieldReader.end} is called are refused, so that no parameter is silently ignored.
 */
export class FieldReader {
  readonly #fields: Fields
  readonly #where: string
  readonly #known = new Set<string>()

  /** @param where prefix of field names in refusals, such as `scrapeOptions.` */
  constructor(fields: Fields, where = "") {
    this.#fields = fields
    this.#where = where
  }

  /** Any value; `undefined` if it is not set. */
  any(name: string): unknown {
    this.#known.add(name)
    return this.#fields[name] ?? undefined
  }

  string(name: string, maxChars: number): string | undefined {
    const value = this.any(name)
    if (value === undefined) return undefined
    if (typeof value === "string" && value.length <= maxChars) return value
    throw this.refusal(name, `Must be a string of at most ${maxChars} characters.`)
  }

  /** Text that is not blank. */
  requiredString(name: string, maxChars: number): string {
    const value = this.string(name, maxChars)?.trim()
    if (value) return value
    throw this.refusal(name, "Must be a string that is not blank.")
  }

  boolean(name: string): boolean | undefined {
    const value = this.any(name)
    if (value === undefined || typeof value === "boolean") return value
    throw this.refusal(name, "Must be true or false.")
  }

  /** A number in a range; a whole number unless specified otherwise. */
  number(name: string, min: number, max: number, isWhole = true): number | undefined {
    const value = this.any(name)
    if (value === undefined) return undefined
    const isRight = typeof value === "number" && (!isWhole || Number.isInteger(value))
    if (isRight && value >= min && value <= max) return value
    throw this.refusal(name, `Must be a ${isWhole ? "whole " : ""}number from ${min} to ${max}.`)
  }

  strings(name: string, maxEntries: number, maxChars: number): readonly string[] | undefined {
    const value = this.any(name)
    if (value === undefined) return undefined
    const isRight = (one: unknown): one is string => typeof one === "string" && one.length <= maxChars
    if (Array.isArray(value) && value.length <= maxEntries && value.every(isRight)) return value
    throw this.refusal(
      name,
      `Must be a list of at most ${maxEntries} strings of at most ${maxChars} characters.`,
    )
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.any(name)
    const found = values.find((one) => one === value)
    if (value === undefined || found !== undefined) return found
    throw this.refusal(name, `Must be ${values.map((one) => `'${one}'`).join(" or ")}.`)
  }

  object(name: string): FieldReader | undefined {
    const value = this.any(name)
    if (value === undefined) return undefined
    if (isFields(value)) return new FieldReader(value, `${this.#where}${name}.`)
    throw this.refusal(name, "Must be an object.")
  }

  /** A reader for an object that was left out of the body. */
  part(): FieldReader {
    return new FieldReader({}, this.#where)
  }

  /**
   * Accepts fields that have no effect when set to one of the given values; any other value is refused, with `because`
   * as the reason. Blank strings, empty lists and empty objects are allowed: forms send them for fields that their
   * users left empty.
   */
  only(values: readonly unknown[], names: readonly string[], because: string): void {
    for (const name of names) {
      const value = this.any(name)
      if (value === undefined || isBlank(value) || values.some((one) => isSame(one, value))) continue
      const allowed = values.map((one) => JSON.stringify(one)).join(" or ")
      throw this.refusal(name, `${because}${allowed === "" ? "" : ` Only ${allowed} is accepted.`}`)
    }
  }

  /** Accepts fields that describe the caller and don't affect the result. */
  passedOver(...names: readonly string[]): void {
    for (const name of names) this.#known.add(name)
  }

  /** @throws ApiError 400 for the first field that was never read */
  end(): void {
    const unknown = Object.entries(this.#fields).find(
      ([name, value]) => value !== null && value !== undefined && !this.#known.has(name),
    )
    if (unknown) throw this.refusal(unknown[0], "Unknown field.")
  }

  refusal(name: string, because: string): Error {
    return badRequest(`Invalid ${this.#where}${name}. ${because}`)
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isBlank = (value: unknown): boolean =>
  typeof value === "string"
    ? value.trim() === ""
    : typeof value === "object" && Object.keys(value!).length === 0

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
