import type { Context } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { arrivingBodies, bodyText } from "../../server/middleware/json-body.ts"
import type { KeyStore } from "../accounts/keys/keys.ts"
import type { Collections } from "../accounts/reach/collections.ts"
import { tokenOf } from "../sessions/cookie.ts"
import type { Sessions } from "../sessions/sessions.ts"
import { MOST_TYPED, TOO_MANY_WRONG, WrongKeys } from "../sessions/wrong-keys.ts"
import { comingBackPage, consentPage, consentPolicy } from "./consent-page.ts"
import { notGrantable } from "./granted-key.ts"
import type { OAuthStore } from "./oauth-store.ts"
import type { Ticket, Tickets } from "./tickets.ts"

const MAX_FORM_BYTES = 32_768

/** Path to which the page posts its form, and to which users return after signing in elsewhere. */
export const CONSENT_PATH = "/authorize/consent"

export interface ConsentParts {
  readonly store: Pick<OAuthStore, "allow">
  readonly tickets: Tickets
  readonly keys: Pick<KeyStore, "verify" | "nameOf">
  readonly collections: Pick<Collections, "list">
  /** People who signed in; left out if there is no sign-on, so that every user types in a key. */
  readonly sessions?: Pick<Sessions, "whoIs" | "ways"> | undefined
  /** Address of the appliance, without a trailing slash. */
  readonly base: string
  readonly issuer: string
  /** Address of the MCP endpoint. */
  readonly resource: string
}

/** A page, in a form that doesn't depend on the server that sends it. */
export interface ShownPage {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly html: string
}

/** Asks the user in the browser whether a program may search on their behalf. */
export interface Consent {
  /** The page for an authorization request. */
  ask(ctx: Context, request: Omit<Ticket, "holder">): Promise<ShownPage>
  /** Shows the page again to a browser that returns to it. */
  askAgain(ctx: Context): Promise<void>
  /** Processes the user's answer. */
  answer(ctx: Context): Promise<void>
}

export function openConsent(parts: ConsentParts): Consent {
  const { tickets, sessions, base, resource } = parts
  const wrong = new WrongKeys(MOST_TYPED)
  const arriving = arrivingBodies(MAX_FORM_BYTES)
  const path = new URL(base).pathname.replace(/\/+$/, "") + CONSENT_PATH
  const links = (sessions?.ways ?? []).flatMap((way) => (way.kind === "link" ? [way] : []))

  const page = async (
    ctx: Context,
    request: Omit<Ticket, "holder">,
    {
      problem = null,
      mayComeBack = false,
      nonce,
    }: {
      readonly problem?: string | null
      readonly mayComeBack?: boolean
      readonly nonce?: string
    },
  ): Promise<ShownPage> => {
    const holder = await holderOf(ctx, parts)
    const ticket = { ...request, holder: holder?.id ?? null }
    const { sealed, cookies, page: id } = tickets.seal(ticket, nonce)
    const back = id === null ? null : `${path}?page=${id}`
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": consentPolicy(ticket.redirectUri),
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
      "X-Frame-Options": "DENY",
      "Set-Cookie": cookies,
    }
    // Browsers don't send the session cookie if another site links here; if our own page does, they send it.
    if (holder === null && mayComeBack && back !== null && ctx.get("Sec-Fetch-Site") === "cross-site")
      return { status: 200, headers, html: comingBackPage(back) }
    const signIns = holder !== null || back === null ? [] : links.map((way) => signIn(way, base, back))
    const html = consentPage({
      ...ticket,
      action: path,
      ticket: sealed,
      resource,
      problem,
      who: holder,
      signIns,
    })
    return { status: problem === null ? 200 : 403, headers, html }
  }
  const show = async (ctx: Context, shown: Promise<ShownPage>) => {
    const { status, headers, html } = await shown
    ctx.set(headers as Record<string, string | string[]>)
    ctx.status = status
    ctx.body = html
  }
  return {
    ask: (ctx, request) => page(ctx, request, { mayComeBack: sessions !== undefined }),
    async askAgain(ctx) {
      const resumed = tickets.resume(String(ctx.query["page"] ?? ""), ctx.get("Cookie"))
      if (resumed === null) throw new ApiError(400, OVER)
      await show(ctx, page(ctx, resumed.ticket, { nonce: resumed.nonce }))
    },
    async answer(ctx) {
      const form = new URLSearchParams(await bodyText(ctx.req, "", MAX_FORM_BYTES, arriving))
      const ticket = tickets.open(form.get("ticket") ?? "", ctx.get("Cookie"))
      const sentFrom = ctx.get("Origin")
      if (ticket === null || (sentFrom !== "" && sentFrom !== "null" && sentFrom !== new URL(base).origin))
        throw new ApiError(400, OVER)
      if (form.get("answer") !== "allow") {
        sendBack(ctx, ticket, { iss: parts.issuer, error: "access_denied" })
        return
      }
      const collections = namesIn(form.get("collections") ?? "")
      const typed = (form.get("key") ?? "").trim()
      const again = (problem: string) => show(ctx, page(ctx, { ...ticket, collections }, { problem }))
      const key = typed === "" ? await sameHolder(ctx, ticket, parts) : await parts.keys.verify(typed)
      if (key === null) {
        if (typed === "" && ticket.holder !== null) return await again(CHANGED)
        return await again((await wrong.isTooMany(ctx)) ? TOO_MANY_WRONG : "This key is not valid.")
      }
      const known = (await parts.collections.list()).map(({ name }) => name)
      const not = notGrantable(key, collections, known)
      if (not !== null) {
        const whose = typed === "" ? "You have" : "This key has"
        return await again(`${whose} no access to a collection “${not.slice(0, 100)}”.`)
      }
      const { client, clientName, redirectUri, challenge } = ticket
      const code = await parts.store.allow(
        { client, clientName, key: key.id, collections: collections.length === 0 ? null : collections },
        { redirectUri, challenge },
      )
      sendBack(ctx, ticket, { iss: parts.issuer, code })
    },
  }
}

/** The user signed in with this browser, and their name as shown on pages; null if none. */
async function holderOf(ctx: Context, { sessions, keys }: ConsentParts) {
  const found = await whoIsHere(ctx, sessions)
  if (found === null) return null
  const { id, hint } = found.key
  return { id, name: (await keys.nameOf(id)) || `the key ${hint === "" ? id : `…${hint}`}` }
}

/** The key of the user named on the page, if the same user is still signed in: users approve only what they were shown. */
async function sameHolder(ctx: Context, { holder }: Ticket, { sessions }: ConsentParts) {
  const found = holder === null ? null : await whoIsHere(ctx, sessions)
  return found?.key.id === holder ? (found?.key ?? null) : null
}

/** Who is signed in, through a trusted proxy or through a session. */
async function whoIsHere(ctx: Context, sessions: ConsentParts["sessions"]) {
  const { recognised = null } = ctx.state
  const token = tokenOf(ctx)
  return recognised ?? (token === null ? null : ((await sessions?.whoIs(token)) ?? null))
}

/** A link that signs the user in elsewhere and leads back to the page. */
function signIn({ name, url }: { readonly name: string; readonly url: string }, base: string, back: string) {
  const to = new URL(url, `${base}/`)
  to.searchParams.set("return", back)
  return { name, url: to.href }
}

const namesIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Sends the answer to the program. */
function sendBack(
  ctx: Context,
  { redirectUri, state }: Ticket,
  answer: Readonly<Record<string, string>>,
): void {
  const back = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
  if (state !== undefined) back.searchParams.set("state", state)
  ctx.set("Cache-Control", "no-store")
  ctx.status = 303
  ctx.set("Location", back.href)
  ctx.body = ""
}

const OVER = "This page is no longer valid. Go back to the program and start again."
const CHANGED =
  "You are no longer signed in as the person this page named. Check the name it shows now, and answer again."
