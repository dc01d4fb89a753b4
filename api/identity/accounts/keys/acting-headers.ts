/** The header that names the person for whom a service makes a call. */
export const ACTING_HEADER = "X-Fossick-Acting-For"
/** The same header as sent by Open WebUI: signed if Open WebUI has a secret. */
export const OPEN_WEBUI_TOKEN = "X-OpenWebUI-User-Jwt"
export const OPEN_WEBUI_EMAIL = "X-OpenWebUI-User-Email"

/** Names of all these headers in lower case, for calls that are passed on. */
export const ACTING_HEADERS: readonly string[] = [ACTING_HEADER, OPEN_WEBUI_TOKEN, OPEN_WEBUI_EMAIL].map(
  (one) => one.toLowerCase(),
)
