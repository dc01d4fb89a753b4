import type { OtherApi } from "../../server/middleware/error-envelope.ts"

/** Firecrawl's paths, except those shared with OpenAI's API, and its refusals: `{"success": false, "error": "…"}`, and 402 when credits are used up. */
export const firecrawlApi: OtherApi = {
  owns: (path) => /^\/v[12](\/|$)/.test(path),
  refusal: ({ status, message, fields, isSpent }) => ({
    status: isSpent ? 402 : status,
    body: {
      success: false,
      ...(code(status, isSpent) !== undefined && { code: code(status, isSpent) }),
      error: message,
      ...fields,
    },
  }),
}

const codes: Readonly<Record<number, string>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  429: "RATE_LIMIT_EXCEEDED",
}

const code = (status: number, isSpent: boolean): string | undefined =>
  isSpent ? "INSUFFICIENT_CREDITS" : codes[status]
