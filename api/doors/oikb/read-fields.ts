import { offLoop } from "#base/process/threads/off-loop.ts"
import { foreignOrNothing, INDEX_BOUNDS } from "#base/text/json/foreign-json.ts"

import { badRequest } from "../../errors.ts"

/** The fields of a JSON body; a large body is parsed in a thread. @throws ApiError 400 */
export async function fieldsOf(
  text: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await parsed({ chars: text.length, signal }, text)
  if (typeof value !== "object" || value === null) throw badRequest("The request body must be a JSON object.")
  return value as Readonly<Record<string, unknown>>
}

const parsed = offLoop(import.meta.url, parseLarge)

/** Parses JSON of any size that a body may have; null if it isn't JSON. */
export function parseLarge(text: string): unknown {
  return foreignOrNothing(text, INDEX_BOUNDS) ?? null
}
