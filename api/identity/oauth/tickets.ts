import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { CONSENT_MS } from "./lifetimes.ts"

/** A request for authorization, between the page and its answer. */
export interface Ticket {
  readonly client: string
  readonly clientName: string
  readonly redirectUri: string
  /** S256 of the verifier (RFC 7636). */
  readonly challenge: string
  readonly state: string | undefined
  /** Collections that are asked for; empty: none by name. */
  readonly collections: readonly string[]
}

export interface Tickets {
  /** The ticket for the page, and the cookie without which it opens nothing: no other page can send both. */
  seal(ticket: Ticket): { readonly sealed: string; readonly cookie: string }
  /** @returns null for one that was made up, is over, or was given to another browser */
  open(sealed: string, cookies: string): Ticket | null
}

const COOKIE = "fossick-consent"

/**
 * @param isSecure whether the page is reached over https
 * @param path below which the browser shows that it was shown the page
 */
export function openTickets(isSecure: boolean, path: string): Tickets {
  // Of this process: a page that was open when it ended is asked for again.
  const secret = randomBytes(32)
  const mac = (text: string) => createHmac("sha256", secret).update(text).digest("base64url")
  return {
    seal(ticket) {
      const nonce = randomBytes(16).toString("base64url")
      const body = Buffer.from(JSON.stringify({ ...ticket, nonce, until: Date.now() + CONSENT_MS })).toString(
        "base64url",
      )
      return {
        sealed: `${body}.${mac(body)}`,
        cookie: `${COOKIE}=${nonce}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${CONSENT_MS / 1000}${isSecure ? "; Secure" : ""}`,
      }
    },
    open(sealed, cookies) {
      const [body = "", given = ""] = sealed.split(".")
      const right = mac(body)
      if (given.length !== right.length || !timingSafeEqual(Buffer.from(given), Buffer.from(right)))
        return null
      const { nonce, until, ...ticket } = JSON.parse(Buffer.from(body, "base64url").toString()) as Ticket & {
        nonce: string
        until: number
      }
      const isTheirs = cookies.split(";").some((one) => one.trim() === `${COOKIE}=${nonce}`)
      return isTheirs && Date.now() < until ? ticket : null
    },
  }
}
