// How long the codes, tokens, programs and grants of OAuth last.

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Lifetime of an authorization code. OAuth 2.1, section 4.1.2, allows ten minutes; programs fetch their tokens immediately. */
export const CODE_MS = 2 * MINUTE_MS
/** Lifetime of an access token, which is sent with each call. */
export const ACCESS_MS = 60 * MINUTE_MS
/** Lifetime of a refresh token, counted from the last refresh. */
export const REFRESH_MS = 30 * DAY_MS
/** How long a registered program that no user has admitted is kept before it is deleted. */
export const CLIENT_MS = DAY_MS
/** How long the page that asks for consent is valid: users might have to look for their key. */
export const CONSENT_MS = 10 * MINUTE_MS
/** How long the operator still sees a grant that has ended. */
export const ENDED_MS = 30 * DAY_MS
/** How far a server's clock may be set back before a token's lifetime looks implausible. */
export const CLOCK_ERROR_MS = DAY_MS
