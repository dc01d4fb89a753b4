import { unknownMessage } from "../../../errors.ts"
import { characters } from "../../../server/wire/characters.ts"
import { MAX_NAME_CHARS } from "../keys/key-scope.ts"
import { parseRateLimits, type RateLimits } from "../rates/rate-limits.ts"
import type { PublicKeySpec } from "./public-key.ts"

/** Maximum number of origins for a key: enough for a documentation site and its previews. */
export const MOST_ORIGINS = 50
export const MOST_MONTHLY_CREDITS = 1_000_000_000

/** A public key as given on the command line or in a body. */
export interface WrittenPublicKey {
  readonly name?: string | undefined
  readonly source?: string | null | undefined
  readonly collection?: string | null | undefined
  readonly origins: readonly string[]
  readonly answers?: boolean | undefined
  readonly rate_limits?: string | null | undefined
  readonly credits?: number | null | undefined
}

/** A problem with one field. */
export interface SpecProblem {
  readonly field: "name" | "source" | "collection" | "origins" | "rate_limits" | "credits"
  readonly message: string
}

/** Checks names: each function returns what is wrong with an unknown name, or null. */
export interface KnownReach {
  readonly unknownSource: (names: readonly string[]) => Promise<string | null>
  readonly unknownCollection: (names: readonly string[]) => Promise<string | null>
}

/** Validates a given key. @returns the key, or the problems with it */
export async function readPublicKey(
  written: WrittenPublicKey,
  { unknownSource, unknownCollection }: KnownReach,
): Promise<{ readonly spec: PublicKeySpec } | { readonly problems: readonly SpecProblem[] }> {
  const { name = "", source = null, collection = null, origins, answers = false, credits = null } = written
  const problems: SpecProblem[] = []
  const wrong = (field: SpecProblem["field"], message: string | null) => {
    if (message !== null) problems.push({ field, message })
  }
  const unknown = (field: SpecProblem["field"], text: string | null) =>
    wrong(field, text === null ? null : unknownMessage(text))
  if (characters(name) > MAX_NAME_CHARS) wrong("name", `must have at most ${MAX_NAME_CHARS} characters`)
  if ((source === null) === (collection === null)) {
    wrong("source", "or collection must be given, but not both: a public key finds pages of one of them")
  }
  if (source !== null) unknown("source", await unknownSource([source]))
  if (collection !== null) unknown("collection", await unknownCollection([collection]))
  if (origins.length === 0 || origins.length > MOST_ORIGINS) {
    wrong("origins", `must have 1 to ${MOST_ORIGINS} entries`)
  } else if (!origins.every(isOrigin)) {
    wrong(
      "origins",
      "must be origins such as https://docs.example.com, with a scheme, but without a path, a trailing slash or wildcards",
    )
  }
  if (credits !== null && !(Number.isInteger(credits) && credits >= 0 && credits <= MOST_MONTHLY_CREDITS)) {
    wrong("credits", `must be a whole number from 0 to ${MOST_MONTHLY_CREDITS}`)
  }
  const rateLimits = ratesOf(written.rate_limits ?? null)
  if (rateLimits instanceof Error) wrong("rate_limits", rateLimits.message)
  if (problems.length > 0 || rateLimits instanceof Error) return { problems }
  const spec = { name, source, collection, origins: [...new Set(origins)], answers, rateLimits, credits }
  return { spec }
}

/** Whether text is the serialised origin of web pages (RFC 6454, section 6.2). */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) && URL.parse(text)?.origin === text

function ratesOf(text: string | null): RateLimits | null | Error {
  if (text === null || text.trim() === "") return null
  try {
    return parseRateLimits(text)
  } catch (error) {
    return error as Error
  }
}
