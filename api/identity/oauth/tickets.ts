import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { CONSENT_MS } from "./lifetimes.ts"

/** An authorization request whose page has not been answered yet. */
export interface Ticket {
  readonly client: string
  readonly clientName: string
  readonly redirectUri: string
  /** S256 of the verifier (RFC 7636). */
  readonly challenge: string
  readonly state: string | undefined
  /** Requested collections; empty if none was named. */
  readonly collections: readonly string[]
  /** Id of the key or person the page named as signed in; null if the page named none. */
  readonly holder: string | null
}

/** A ticket that is ready for a page. */
export interface Sealed {
  readonly sealed: string
  /** Cookies without which the ticket cannot be opened; no other page can send both the ticket and the cookies. */
  readonly cookies: readonly string[]
  /** Identifies the page when the browser comes back; null if the request is too long for that. */
  readonly page: string | null
}

export interface Tickets {
  /** @param nonce the nonce of the page that is shown again; if left out, a new one is made */
  seal(ticket: Ticket, nonce?: string): Sealed
  /** @returns null for a ticket that was forged, has expired, or was given to another browser */
  open(sealed: string, cookies: string): Ticket | null
  /** The ticket of a page to which this browser returns, found by {@link Sealed.page}; null as for {@link open}. */
  resume(page: string, cookies: string): { readonly ticket: Ticket; readonly nonce: string } | null
}

const COOKIE = "fossick-consent"
/** Name of the cookie that keeps the ticket while the person is signing in elsewhere. */
const KEPT_COOKIE = "fossick-consent-request"
/** Maximum size of the cookie: browsers accept 4,096 bytes including the name and the attributes (RFC 6265bis, section 5.6). */
const MOST_KEPT = 3800

/**
 * @param isSecure whether the page is reached over https
 * @param path the cookies' path; the browser sends them only below it, to prove that it was shown the page
 */
export function openTickets(isSecure: boolean, path: string): Tickets {
  // Tickets are valid only in this process: a page that was open when the process ended has to be requested again.
  const secret = randomBytes(32)
  const mac = (text: string) => createHmac("sha256", secret).update(text).digest("base64url")
  const cookie = (name: string, value: string) =>
    `${name}=${value}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${CONSENT_MS / 1000}${isSecure ? "; Secure" : ""}`
  const open: Tickets["open"] = (sealed, cookies) => {
    const [body = "", given = ""] = sealed.split(".")
    const right = mac(body)
    if (given.length !== right.length || !timingSafeEqual(Buffer.from(given), Buffer.from(right))) return null
    const { nonce, until, ...ticket } = JSON.parse(Buffer.from(body, "base64url").toString()) as Ticket & {
      nonce: string
      until: number
    }
    return cookieOf(cookies, COOKIE) === nonce && Date.now() < until ? ticket : null
  }
  return {
    seal(ticket, nonce = randomBytes(16).toString("base64url")) {
      const body = Buffer.from(JSON.stringify({ ...ticket, nonce, until: Date.now() + CONSENT_MS })).toString(
        "base64url",
      )
      const sealed = `${body}.${mac(body)}`
      const isKept = sealed.length <= MOST_KEPT
      return {
        sealed,
        cookies: [cookie(COOKIE, nonce), ...(isKept ? [cookie(KEPT_COOKIE, sealed)] : [])],
        page: isKept ? pageOf(nonce) : null,
      }
    },
    open,
    resume(page, cookies) {
      const nonce = cookieOf(cookies, COOKIE)
      const sealed = cookieOf(cookies, KEPT_COOKIE)
      // This browser might have made another request in between, which must not be shown instead of the first.
      if (nonce === null || sealed === null || pageOf(nonce) !== page) return null
      const ticket = open(sealed, cookies)
      return ticket && { ticket, nonce }
    },
  }
}

/** Identifies the page in addresses, which must not contain the nonce. */
const pageOf = (nonce: string): string => createHash("sha256").update(nonce).digest("base64url").slice(0, 22)

function cookieOf(cookies: string, name: string): string | null {
  const pair = cookies
    .split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? null
}
