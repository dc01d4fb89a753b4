import type { OtherApi } from "../middleware/error-envelope.ts"

/** Firecrawl's paths, as far as they are not OpenAI's, and its refusals: `{"success": false, "error": "…"}`, and 402 where credits are used up. */
export const firecrawlApi: OtherApi = {
  owns: (path) => /^\/v[12](\/|$)/.test(path),
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
