/** A user name and password in an address (RFC 3986 §3.2.1): addresses of proxies and feeds may contain them. */
const IN_ADDRESSES = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/gi
/** An API key in the appliance's format. */
const API_KEYS = /\bfsk-(?:dev-)?[\w-]{20,}/g

/** Text for the log, without secrets that an error or an address may contain by accident. */
export const masked = (text: string): string => text.replace(IN_ADDRESSES, "$1…@").replace(API_KEYS, "fsk-…")
