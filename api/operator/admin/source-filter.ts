import type { StateStore } from "#base/store/state-store.ts"
import { unknownSource } from "#crawler/sources/source-names.ts"

import type { Context } from "../../context.ts"
import { badRequest } from "../../errors.ts"
import { parameter, unprocessable } from "../../server/middleware/query-parameters.ts"

/** `?source=`. @throws ApiError 400 for a name that there is not, with the nearest */
export function sourceParameter(ctx: Context, db: StateStore): string | undefined {
  const source = parameter(ctx, "source")
  const unknown = source === undefined ? null : unknownSource(db, [source])
  if (unknown !== null) throw badRequest(`Invalid source. ${unknown.replace(/(?<!\?)$/, ".")}`)
  return source
}

/** Refuses the `source` of a body. @throws ApiError 422 for a name that there is not, with the nearest */
export function requireSourceField(source: string, db: StateStore): void {
  const unknown = unknownSource(db, [source])
  if (unknown !== null) throw unprocessable([{ field: "source", message: `is unknown: ${unknown}` }])
}
