import type { Router } from "@koa/router"

import type { DiskRoom } from "#base/disk-space.ts"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import type { Admissions } from "../../identity/accounts/admission.ts"
import { type Context, originOf, type RequestState } from "../../context.ts"
import { ApiError, badRequest } from "../../errors.ts"
import { roomOnDisk } from "../../room-on-disk.ts"
import { admission } from "../../server/middleware/admission.ts"
import { authentication } from "../../server/middleware/authentication.ts"
import { jsonBody } from "../../server/middleware/json-body.ts"
import {
  flagParameter,
  parameter,
  pathParameter,
  strictBody,
  wholeNumber,
} from "../../server/middleware/query-parameters.ts"
import { refuseChanges } from "../../read-only.ts"
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../server/wire/list-limits.ts"
import { tellable } from "./follow-watches.ts"
import { atomFeed, entryOnWire } from "./watch-messages.ts"
import { changeWatch, makeWatch, watchOf, type WatchParts, type WatchRules } from "./own-watches.ts"
import type { WatchDelivery } from "./store/outbox.ts"
import { optionsBody, watchBody } from "./watch-body.ts"
import type { Watch } from "./watch.ts"

/** First path segment of the calls below. */
export const WATCH_PATH = "watches"

const FEED_ENTRIES = 100

export interface WatchNeeds extends WatchRules {
  readonly watches: WatchParts
  readonly accounts: Pick<Accounts, "keys">
  readonly admissions: Admissions
  readonly config: WatchRules["config"] & { readonly bodyLimit: number; readonly publicUrl: string }
  /** The disk of the data folder. */
  readonly mayKeep: Pick<DiskRoom, "isLow">
  readonly readOnly: string | null
}

/** Saved questions, sources and pages whose changes are reported. */
export function watchRoutes(
  router: Router<RequestState>,
  { watches, accounts: { keys }, admissions, config, mayKeep, readOnly, ...rules }: WatchNeeds,
): void {
  const { store, outbox, secrets } = watches
  const parts = { ...rules, ...watches, config }
  const key = authentication(keys, { bodyKey: false }).beforeBody
  const admit = admission(admissions, "watches")
  const mayChange = refuseChanges(readOnly)
  const body = jsonBody(config.bodyLimit)
  const readWatch = strictBody(watchBody)
  const readOptions = strictBody(optionsBody)
  const told = { keys, reachOf: (holder: Parameters<Admissions["reach"]>[0]) => admissions.reach(holder) }

  const feedOf = (ctx: Context, id: string) => `${originOf(ctx, config.publicUrl)}/watches/${id}/feed`
  const shown = async (ctx: Context, watch: Watch) => ({
    ...watchOnWire(watch),
    pages_seen: await store.seenCount(watch.id),
    feed_url: `${feedOf(ctx, watch.id)}?token=${secrets.feedToken(watch.id)}`,
  })
  const mine = (ctx: Context) => watchOf(pathParameter(ctx, "id"), ctx.state.key, watches)

  router.post("/watches", key, mayChange, roomOnDisk(mayKeep), body, admit, async (ctx) => {
    const made = await makeWatch(() => readWatch(ctx), ctx.state, parts)
    ctx.status = 201
    ctx.body = { ...(await shown(ctx, made)), webhook_secret: secrets.signingSecret(made.id) }
  })

  router.get("/watches", key, admit, async (ctx) => {
    const all = flagParameter(ctx, "all")
    const { key: holder } = ctx.state
    if (all && holder.role !== "admin") {
      throw new ApiError(403, "Access denied. all needs a key with the role admin.")
    }
    const listed: object[] = []
    for (const watch of await store.list(all ? undefined : holder.id)) listed.push(await shown(ctx, watch))
    ctx.body = { watches: listed }
  })

  router.get("/watches/:id", key, admit, async (ctx) => {
    const watch = await mine(ctx)
    ctx.body = {
      ...(await shown(ctx, watch)),
      deliveries: (await outbox.list({ limit: DEFAULT_LIMIT }, { watch: watch.id })).map(deliveryOnWire),
    }
  })

  router.put("/watches/:id", key, mayChange, body, admit, async (ctx) => {
    const changed = await changeWatch(pathParameter(ctx, "id"), readOptions(ctx), ctx.state.key, parts)
    ctx.body = await shown(ctx, changed)
  })

  router.delete("/watches/:id", key, mayChange, admit, async (ctx) => {
    const { id } = await mine(ctx)
    await store.delete(id)
    ctx.body = { id, deleted: true }
  })

  router.get("/watches/:id/entries", key, admit, async (ctx) => {
    const limit = wholeNumber(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    const given = parameter(ctx, "after")
    const after = given === undefined ? undefined : wholeNumber(ctx, "after", 0, 0, Number.MAX_SAFE_INTEGER)
    const watch = await mine(ctx)
    const entries = await store.entries(watch.id, { limit, after })
    ctx.body = {
      entries: ((await tellable(watch, entries, told)) ?? []).map(entryOnWire),
      // The number of the entry to continue after, even if some of the entries may not be shown.
      next_after: entries.reduce((most, { seq }) => Math.max(most, seq), after ?? 0),
    }
  })

  router.get("/watches/:id/feed", async (ctx) => {
    const id = pathParameter(ctx, "id")
    const token = parameter(ctx, "token")
    if (token === undefined) throw badRequest("Invalid token. It is missing; feed_url of the watch has it.")
    const watch = await store.get(id)
    if (watch === null || !secrets.isFeedToken(id, token)) throw new ApiError(404, NO_FEED)
    const entries = await tellable(watch, await store.entries(id, { limit: FEED_ENTRIES }), told)
    if (entries === null) throw new ApiError(404, NO_FEED)
    ctx.set("Cache-Control", "private, no-cache")
    ctx.type = "application/atom+xml"
    ctx.body = atomFeed(watch, entries, feedOf(ctx, id))
  })
}

const NO_FEED = "There is no such feed."

function watchOnWire({ subject, everyMinutes, createdAt, readyAt, key, ...watch }: Watch) {
  const about =
    subject.kind === "question"
      ? { question: subject.search }
      : subject.kind === "source"
        ? { source: subject.source, include: subject.include, exclude: subject.exclude }
        : { url: subject.urls[0] }
  return {
    id: watch.id,
    name: watch.name,
    ...about,
    changes: watch.changes,
    webhook: watch.webhook,
    emails: watch.emails,
    every_minutes: everyMinutes,
    paused: watch.paused,
    key_id: key,
    created_at: createdAt.toISOString(),
    ready_at: readyAt?.toISOString() ?? null,
  }
}

function deliveryOnWire(one: WatchDelivery) {
  return {
    id: one.id,
    kind: one.kind,
    receiver: one.receiver,
    first_entry: one.firstEntry,
    last_entry: one.lastEntry,
    state: one.state,
    attempts: one.attempts,
    created_at: one.createdAt.toISOString(),
    last_attempt_at: one.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: one.nextAttemptAt?.toISOString() ?? null,
    last_status: one.lastStatus,
    last_error: one.lastError,
  }
}
