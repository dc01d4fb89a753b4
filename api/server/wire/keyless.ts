/** The codes of refusals to a Tavily client without a key, by status; other errors have the usual form. */
const CODES: Readonly<Record<number, string>> = {
  401: "api_key_required",
  429: "rate_limited",
  432: "usage_limit_reached",
  433: "usage_limit_reached",
}
/** The only calls that Tavily clients without a key make. */
const KEYLESS_PATHS: ReadonlySet<string> = new Set(["/search", "/extract"])

/** The headers and address of a call. */
interface Call {
  readonly path: string
  readonly protocol: string
  readonly host: string
  readonly response: { get(header: string): string }
  get(header: string): string
}

/** Whether the caller is a Tavily client that declares that it has no key. Pages in a browser never do. */
export const isKeyless = (call: Pick<Call, "get">): boolean =>
  call.get("X-Tavily-Access-Mode").toLowerCase() === "keyless" &&
  call.get("Authorization") === "" &&
  call.get("Sec-Fetch-Site") === ""

/**
 * Additional fields of a refusal for a Tavily client without a key: the reason, and the next step. Empty for other
 * clients and refusals.
 * @param publicUrl the appliance's address according to the operator; empty: the address that the caller used
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
