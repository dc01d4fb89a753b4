import type { Router } from "@koa/router"
import type { Logger } from "pino"

import type { AuditLog } from "#base/audit/audit-log.ts"

import type { Context, RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { arrivingBodies, bodyText } from "../../server/middleware/json-body.ts"
import type { WriteQueue } from "../accounts/billing/write-queue.ts"
import { setToken } from "../sessions/cookie.ts"
import { comeBack, ownPath, setOut } from "./journeys.ts"
import { showAgain, showPage } from "./page.ts"
import { type Arriving, ProviderAwayError, SignOnError, type Vouched } from "./provider.ts"
import type { Declared } from "./kept/renewals.ts"
import { pathOf, type SignOn } from "./sign-on.ts"

/** First segment of the sign-on paths. */
export const SIGN_ON_PATH = "sign-on"
/** Maximum size of a form: a SAML assertion can contain hundreds of groups. */
const FORM_BYTES = 262_144

export interface RouteParts {
  readonly signOn: SignOn
  readonly audit: Pick<AuditLog, "note">
  readonly writes: Pick<WriteQueue, "run">
  readonly publicUrl: string
  readonly log: Logger
}

/** Serves the calls that take a browser to a provider and back, and accepts the messages that providers send on their own initiative. */
export function signOnRoutes(router: Router<RequestState>, parts: RouteParts): void {
  const arriving = arrivingBodies(FORM_BYTES)
  const formOf = async (ctx: Context) =>
    ctx.method === "POST"
      ? new URLSearchParams(await bodyText(ctx.req, ctx.get("Content-Encoding"), FORM_BYTES, arriving))
      : null
  const declaredOf = (ctx: Context): Declared => {
    const { name = "" } = (ctx as { readonly params?: Readonly<Record<string, string>> }).params ?? {}
    const declared = parts.signOn.providers.get(name)
    if (declared === undefined) throw new ApiError(404, "There is no identity provider with this name.")
    return declared
  }
  const home = `${new URL(parts.publicUrl).pathname.replace(/\/+$/, "")}/`

  router.get(`/${SIGN_ON_PATH}/:name`, async (ctx) => {
    const declared = declaredOf(ctx)
    const returnTo = ownPath(ctx.query["return"]?.toString() ?? "", home)
    await orPage(ctx, parts, declared, home, async () => {
      const begun = await declared.provider.begin(arrivingOf(ctx, declared, null, parts))
      if ("vouched" in begun) {
        await enter(ctx, parts, declared, { vouched: begun.vouched, returnTo })
        return
      }
      setOut(ctx, parts.signOn.sealer, { provider: declared.spec.name, remember: begun.remember, returnTo })
      ctx.set("Cache-Control", "no-store")
      ctx.redirect(begun.url)
    })
  })

  const callback = async (ctx: Context) => {
    const declared = declaredOf(ctx)
    const form = await formOf(ctx)
    await orPage(ctx, parts, declared, home, async () => {
      const journey = comeBack(ctx, parts.signOn.sealer, declared.spec.name)
      // A form from another site arrives without the cookie; from one of our pages, the browser sends both form and
      // cookie.
      if (journey === null && form !== null && ctx.query["again"] === undefined) {
        showAgain(ctx, form)
        return
      }
      if (journey === null) throw new SignOnError(NO_JOURNEY, "this browser had not started a sign-in")
      const vouched = await declared.provider.finish(arrivingOf(ctx, declared, form, parts), journey.remember)
      await enter(ctx, parts, declared, { vouched, returnTo: journey.returnTo })
    })
  }
  router.get(`/${SIGN_ON_PATH}/:name/callback`, callback)
  router.post(`/${SIGN_ON_PATH}/:name/callback`, callback)

  router.get(`/${SIGN_ON_PATH}/:name/metadata`, (ctx) => {
    const { spec, provider } = declaredOf(ctx)
    const metadata = provider.metadata?.(callbackOf(parts, spec.name))
    if (metadata === undefined) throw new ApiError(404, "Providers of this kind don't use metadata.")
    ctx.type = "application/samlmetadata+xml"
    ctx.body = metadata
  })

  router.post(`/${SIGN_ON_PATH}/:name/logout`, async (ctx) => {
    const { spec, provider } = declaredOf(ctx)
    ctx.set("Cache-Control", "no-store")
    try {
      const form = (await formOf(ctx)) ?? new URLSearchParams()
      const ended = await provider.loggedOut?.(form, callbackOf(parts, spec.name))
      if (ended === undefined) throw new SignOnError("Providers of this kind don't end sessions.")
      const sessions = await parts.signOn.end(spec.name, ended)
      parts.log.info(
        { provider: spec.name, sessions },
        "{provider} signed a person out: {sessions} sessions ended",
      )
      ctx.status = 200
      ctx.body = ""
      // A browser delivered the message, and carries the answer back.
      if (ended.answerUrl && ctx.get("Accept").includes("text/html")) {
        ctx.redirect(ended.answerUrl)
        ctx.status = 303
      }
    } catch (error) {
      if (!(error instanceof SignOnError)) throw error
      parts.log.warn(
        { provider: spec.name, reason: error.detail },
        "a sign-out by {provider} was refused: {reason}",
      )
      // The response to a failed logout, as in section 2.8 of Back-Channel Logout 1.0.
      ctx.status = error instanceof ProviderAwayError ? 503 : 400
      ctx.body = { error: "invalid_request", error_description: error.message }
    }
  })
}

function arrivingOf(
  ctx: Context,
  { spec }: Declared,
  form: URLSearchParams | null,
  parts: Pick<RouteParts, "publicUrl">,
): Arriving {
  return {
    query: new URLSearchParams(ctx.querystring),
    form,
    header: (name) => ctx.get(name),
    peer: ctx.req.socket.remoteAddress ?? "",
    callback: callbackOf(parts, spec.name),
  }
}

const callbackOf = ({ publicUrl }: Pick<RouteParts, "publicUrl">, name: string): string =>
  `${publicUrl}/${pathOf(name)}/callback`

/** Begins the session, and sets its cookie. */
async function enter(
  ctx: Context,
  { signOn, audit, writes }: RouteParts,
  declared: Declared,
  { vouched, returnTo }: { readonly vouched: Vouched; readonly returnTo: string },
): Promise<void> {
  const { token, key, user, expiresAt } = await signOn.begin(declared, vouched)
  await writes.run(() =>
    audit.note({
      who: { kind: "session", id: key.id, name: user },
      action: "sign in",
      object: `sign-on/${declared.spec.name}`,
      status: 200,
      changes: [{ field: "role", before: null, after: key.role }],
      address: ctx.ip,
    }),
  )
  setToken(ctx, token, expiresAt)
  ctx.state.key = key
  // A page is used instead of a redirect, because the browser comes from another site, and after a redirect would omit
  // the session cookie, which is strict.
  showPage(ctx, {
    status: 200,
    title: "You are signed in",
    text: "Taking you back to where you were.",
    link: { path: returnTo, text: "Continue" },
    isImmediate: true,
  })
}

/** Shows a person why they aren't signed in, and logs it. */
async function orPage(
  ctx: Context,
  { log }: Pick<RouteParts, "log">,
  { spec }: Declared,
  home: string,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof SignOnError)) throw error
    log.warn({ provider: spec.name, reason: error.detail }, "{provider} did not sign a person in: {reason}")
    showPage(ctx, {
      status: error instanceof ProviderAwayError ? 503 : 403,
      title: "You are not signed in",
      text: error.message,
      link: { path: home, text: "Back to search" },
    })
  }
}

const NO_JOURNEY =
  "This sign-in was not started in this browser, took too long, or was already used. Open the search engine at its public address and start again."
