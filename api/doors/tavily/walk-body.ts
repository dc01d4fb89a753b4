import { PatternError } from "#crawler"

import type { Site } from "../../core/walk/walk.ts"
import { badRequest } from "../../errors.ts"
import { categoryPaths } from "./categories.ts"
import type { MapRequest } from "./schema.ts"

/** The site requested by a map or crawl. */
export const siteOf = (request: MapRequest): Site => ({
  url: request.url,
  maxDepth: request.max_depth,
  maxBreadth: request.max_breadth,
  limit: request.limit,
  allowExternal: request.allow_external,
  selectPaths: [...(request.select_paths ?? []), ...categoryPaths(request.categories ?? [])],
  excludePaths: request.exclude_paths ?? [],
  selectDomains: request.select_domains ?? [],
  excludeDomains: request.exclude_domains ?? [],
})

/**
 * The result of a walk.
 * @throws ApiError 400 for an invalid pattern, with the field's name in the request
 */
export async function walked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PatternError)
      throw badRequest(`Invalid ${wireName[error.field] ?? error.field}. ${error.message}`)
    throw error
  }
}

const wireName: Readonly<Record<string, string>> = {
  selectPaths: "select_paths",
  excludePaths: "exclude_paths",
  selectDomains: "select_domains",
  excludeDomains: "exclude_domains",
}
