import { METHODS } from "node:http"

import { Router } from "@koa/router"
import type Koa from "koa"

import { degradation } from "../degradation.ts"
import { auditing } from "../../operator/audit/auditing.ts"
import type { Context, RequestState } from "../../context.ts"
import type { Feature, Served } from "../../feature.ts"
import { boundsOf } from "../load/bounds.ts"
import { KeylessBudget } from "../load/keyless/keyless-budget.ts"
import { continuingCalls } from "./continuing-calls.ts"
import { bearerOf } from "../middleware/authentication.ts"
import { errorEnvelope } from "../middleware/error-envelope.ts"
import { requestId } from "../middleware/request-id.ts"
import { logUnwritten, requestLog } from "../middleware/request-log.ts"
import { tracking } from "../middleware/tracking.ts"
import { tokenOf } from "../../identity/sessions/cookie.ts"
import { keyless } from "../../identity/sessions/keyless.ts"
import { slowGuesses } from "../../identity/sessions/wrong-keys.ts"
import { tracedRequests } from "../traces/traced-requests.ts"
import type { Desk } from "./desk.ts"
import { service } from "./service.ts"

/** The app for these features, with the steps that every call passes before it reaches one of them. */
export async function framed<More>(
  desk: Desk & More,
  features: readonly Feature<Desk & More>[],
): Promise<Koa<RequestState>> {
  // Node accepts more methods than the routes handle: the others get 405 instead of the router's 501.
  const router = new Router<RequestState>({ methods: METHODS })
  const { app, served } = desk
  for (const feature of features) served.push((await feature.serve?.(router, desk)) ?? {})

  logUnwritten(app, desk.log)
  const keylessBudget = new KeylessBudget(desk.config.keylessPerMinute || Infinity)
  useFirst(app, desk, served, keylessBudget)
  // Safe, because the first part of the service checks the headers of proxies.
  app.proxy = true
  const around = service({
    ...desk,
    peers: () => desk.federation?.counts() ?? [],
    disk: { freeBytes: () => desk.room?.freeBytes ?? null, uncounted: () => desk.accounts.billing.waiting },
    load: loadOf(desk, served, keylessBudget),
    keys: desk.accounts.keys,
    endpoints: served.flatMap(({ endpoints = [] }) => endpoints),
    roots: served.flatMap(({ roots = [] }) => roots),
    metricsOf: served.flatMap(({ metrics }) => metrics ?? []),
  })
  for (const one of around) app.use(one)
  app.use(continuingCalls(desk.outage))
  for (const { middleware } of served) if (middleware) app.use(middleware)
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

/** The steps that each request passes before it is answered. */
function useFirst(
  app: Koa<RequestState>,
  { accounts, config, connections, log, oauth, questions, sessions, signOn }: Desk,
  served: readonly Served[],
  keylessBudget: KeylessBudget,
): void {
  const otherApis = served.flatMap(({ otherApi }) => otherApi ?? [])
  const hasKey = async (ctx: Context) => {
    const given = bearerOf(ctx)
    if (given === null) {
      const { rawHeaders, socket } = ctx.req
      const vouched = signOn?.recognise({ peer: socket.remoteAddress ?? "", rawHeaders }).catch(() => null)
      return ((await vouched) ?? (await sessions?.whoIs(tokenOf(ctx) ?? "")) ?? null) !== null
    }
    for (const keys of [accounts.keys, accounts.publicKeys, oauth])
      if (((await keys?.verify(given)) ?? null) !== null) return true
    return (await accounts.keys.verifyService(given)) !== null
  }
  app.use(tracking(accounts.hashHuman))
  app.use(requestId())
  // Runs before anything that costs something: requests refused here are neither logged nor traced.
  app.use(errorEnvelope(otherApis, config.publicUrl))
  app.use(keyless(keylessBudget, (request) => connections.callerOf(request), hasKey))
  app.use(tracedRequests())
  if (questions) app.use(questions.middleware)
  app.use(requestLog(log, { queries: config.logQueries }))
  app.use(degradation())
  app.use(errorEnvelope(otherApis, config.publicUrl))
  const notNoted = (err: unknown, action: string) =>
    log.error({ err, action }, "a change could not be recorded in the audit log: {action}")
  app.use(auditing({ ...accounts, onProblem: notNoted }))
  app.use(slowGuesses())
}

/** The limits for callers, for the metrics. */
function loadOf(
  { accounts, connections, gates, memory, room }: Desk,
  served: readonly Served[],
  keylessBudget: KeylessBudget,
) {
  const stored = async () => {
    const ofFeatures = await Promise.all(
      served.map(async (one) => Object.entries((await one.stored?.()) ?? {})),
    )
    return new Map([...(await accounts.stored()), ...ofFeatures.flat()])
  }
  const bounds = async () =>
    boundsOf({
      connections,
      gates,
      memory,
      disk: room?.use ?? null,
      keyless: keylessBudget,
      uncounted: { used: accounts.billing.waiting, limit: accounts.billing.mostWaiting },
      ofFeatures: (
        await Promise.all(served.map(async ({ bounds: ofFeature }) => (await ofFeature?.()) ?? []))
      ).flat(),
      kept: { used: await accounts.kept.largest(), limit: accounts.kept.most },
      stored: await stored(),
    })
  return { connections, gates, stored, bounds }
}
