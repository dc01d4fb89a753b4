import type { StateStore } from "#base/store/state-store.ts"
import { unknownSource } from "#crawler/sources/source-names.ts"

import { badRequest, unknownMessage } from "../../errors.ts"
import { unprocessable } from "../../server/middleware/query-parameters.ts"

/** The source that a query names. @throws ApiError 400 for an unknown name, with the nearest known one */
export async function knownSource(source: string | undefined, db: StateStore): Promise<string | undefined> {
  const unknown = source === undefined ? null : await unknownSource(db, [source])
  if (unknown !== null) throw badRequest(`Invalid source. ${unknown.replace(/(?<!\?)$/, ".")}`)
  return source
}

/** Checks the `source` of a body. @throws ApiError 422 for an unknown name, with the closest known one */
export async function requireSourceField(source: string, db: StateStore): Promise<void> {
  const unknown = await unknownSource(db, [source])
  if (unknown !== null) throw unprocessable([{ field: "source", message: unknownMessage(unknown) }])
}
