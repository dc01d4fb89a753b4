import type { OtherApi } from "../middleware/error-envelope.ts"

/** First segments below `/v1` and `/v2` that are Firecrawl's. */
const OPENAI = /^\/v1\/(embeddings|models|vector_stores)(\/|$)/

/** Firecrawl's paths, and its refusals: `{"success": false, "error": "…"}`, and 402 where credits are used up. */
export const firecrawlApi: OtherApi = {
  owns: (path) => /^\/v[12](\/|$)/.test(path) && !OPENAI.test(path),
  refusal: ({ status, message, fields }) => ({
    status: status === 432 || status === 433 ? 402 : status,
    body: {
      success: false,
      ...(codes[status] !== undefined && { code: codes[status] }),
      error: message,
      ...fields,
    },
  }),
}

const codes: Readonly<Record<number, string>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  429: "RATE_LIMIT_EXCEEDED",
  432: "INSUFFICIENT_CREDITS",
  433: "INSUFFICIENT_CREDITS",
}
