import type { QueryText } from "#engine/text/query-text.ts"

import { shortened, type Warning } from "../../server/wire/warnings.ts"
import { DEFAULT_FETCH_SECONDS, type SearchRequest } from "./schema.ts"
import { MAX_SEARCHED_CHARS } from "../../core/understand/searched-text.ts"

/** The default number of chunks, sent by clients that always send a number. */
const DEFAULT_CHUNKS = 3

/** Fields of a search that have no effect because of its other fields. They are not refused, since some clients send them with every call. */
export function withoutEffect(request: SearchRequest, question: QueryText): readonly Warning[] {
  const { search_depth: depth, topic } = request
  const isLimited = request.max_age_hours !== undefined || request.max_hours !== undefined
  const isQuick = depth === "fast" || depth === "ultra-fast"
  const rules: readonly (readonly [field: string, isRuledOut: boolean, because: string])[] = [
    ["safe_search", request.safe_search && isQuick, `search_depth is '${depth}'; use 'basic' or 'advanced'`],
    ["country", request.country !== undefined && topic !== "general", `topic is '${topic}'; use 'general'`],
    [
      "days",
      request.days !== undefined && topic !== "news",
      `topic is '${topic}'; use time_range, or the topic 'news'`,
    ],
    ["exact_match", request.exact_match && question.phrases.length === 0, "query has no phrase in quotes"],
    [
      "include_image_descriptions",
      request.include_image_descriptions && !request.include_images,
      "include_images is not set",
    ],
    ["cache_fallback", request.cache_fallback && !isLimited, "max_age_hours is not set"],
    [
      "fetch_timeout",
      request.fetch_timeout !== DEFAULT_FETCH_SECONDS && !isLimited,
      "max_age_hours is not set",
    ],
    [
      "chunks_per_source",
      request.chunks_per_source !== DEFAULT_CHUNKS && depth === "ultra-fast",
      "search_depth 'ultra-fast' returns one summary per page",
    ],
  ]
  return [
    ...shortened("query", request.query, MAX_SEARCHED_CHARS),
    ...rules.flatMap(([field, isRuledOut, because]): Warning[] =>
      isRuledOut ? [{ code: "no-effect", field, text: `${field} has no effect: ${because}.` }] : [],
    ),
  ]
}

/** Warnings for an endpoint that uses `chunks_per_source` only if there is a text by which to choose the chunks. */
export function unusedChunks(chunks: number, field: string, intent: string | undefined): readonly Warning[] {
  if (intent !== undefined) return shortened(field, intent, MAX_SEARCHED_CHARS)
  return chunks === DEFAULT_CHUNKS
    ? []
    : [
        {
          code: "no-effect",
          field: "chunks_per_source",
          text: `chunks_per_source has no effect: ${field} is not set.`,
        },
      ]
}
