// How long each thing of OAuth is valid.

const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
/** OAuth 2.1, section 4.1.2: ten minutes at most; a program fetches its tokens at once. */
export const CODE_MS = 2 * MINUTE_MS
/** Of a token that calls carry. */
export const ACCESS_MS = 60 * MINUTE_MS
/** Of a token that gets the next ones; each refresh begins it anew. */
export const REFRESH_MS = 30 * DAY_MS
/** Programs that registered and were let in by nobody are forgotten after this. */
export const CLIENT_MS = DAY_MS
/** Of the page that asks for consent: its reader may have to look for a key. */
export const CONSENT_MS = 10 * MINUTE_MS
/** How long an ended grant is still shown to the operator. */
export const ENDED_MS = 30 * DAY_MS
