/** What a client of Tavily without a key may be refused for, by status; other errors have the one form. */
const CODES: Readonly<Record<number, string>> = {
  401: "api_key_required",
  429: "rate_limited",
  432: "usage_limit_reached",
  433: "usage_limit_reached",
}
/** The calls that such clients make at all. */
const KEYLESS_PATHS: ReadonlySet<string> = new Set(["/search", "/extract"])

/** A call, as far as its headers and address go. */
interface Call {
  readonly path: string
  readonly protocol: string
  readonly host: string
  readonly response: { get(header: string): string }
  get(header: string): string
}

/** Whether a client of Tavily calls that says it was given no key. No page in a browser is one. */
export const isKeyless = (call: Pick<Call, "get">): boolean =>
  call.get("X-Tavily-Access-Mode").toLowerCase() === "keyless" &&
  call.get("Authorization") === "" &&
  call.get("Sec-Fetch-Site") === ""

/**
 * What such a client reads of a refusal beside its text: why, and what to do next. Nothing for other clients and refusals.
 * @param publicUrl under which the operator says the appliance is reached; empty: as the caller reached it
 */
export function keylessRefusal(
  call: Call,
  status: number,
  message: string,
  publicUrl: string,
): { readonly error?: object } {
  const code = CODES[status]
  if (code === undefined || !isKeyless(call)) return {}
  const seconds = Number(call.response.get("Retry-After"))
  const origin = publicUrl || `${call.protocol}://${call.host}`
  return {
    error: {
      code: status === 401 && !KEYLESS_PATHS.has(call.path) ? "unsupported_endpoint" : code,
      message,
      ...(seconds > 0 && { retry_after_seconds: seconds }),
      next_actions: [{ type: "signup", url: `${origin}/docs/api-keys` }],
    },
  }
}
