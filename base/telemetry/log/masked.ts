/** A user name and password in an address (RFC 3986 §3.2.1): those of proxies and feeds may hold one. */
const IN_ADDRESSES = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/gi
/** An API key as the appliance makes them. */
const API_KEYS = /\bfsk-(?:dev-)?[\w-]{20,}/g

/** A text for the log, without what an error or an address may carry along by accident. */
export const masked = (text: string): string => text.replace(IN_ADDRESSES, "$1…@").replace(API_KEYS, "fsk-…")
