import type { OtherApi } from "../../server/middleware/error-envelope.ts"

/** OpenAI's paths below `/v1`. */
const OWN = /^\/v1\/(embeddings|models|vector_stores)(\/|$)/

/** The OpenAI paths served here, and OpenAI's refusals: `{"error": {"message", "type", "param", "code"}}`. */
export const openaiApi: OtherApi = {
  owns: (path) => OWN.test(path),
  refusal: ({ status, message, isSpent }) => {
    const param = /^Invalid ([\w.[\]]+)\./.exec(message)?.[1] ?? null
    const code = isSpent ? "insufficient_quota" : (codes[status] ?? null)
    return {
      status: isSpent ? 429 : status,
      body: { error: { message, type: isSpent ? "insufficient_quota" : typeOf(status), param, code } },
    }
  },
}

const codes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "not_found",
  429: "rate_limit_exceeded",
}

const typeOf = (status: number): string =>
  status >= 500 ? "server_error" : status === 429 ? "rate_limit_error" : "invalid_request_error"
