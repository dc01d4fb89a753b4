import type { Logger } from "pino"

import { pause } from "#base/flow/pause.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { AlertConfig } from "#crawler/alert-settings.ts"
import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import { InTurn } from "#crawler/webhooks/in-turn.ts"

import { KeyReceivers } from "../accounts/reach/key-receivers.ts"
import { pageTest } from "../accounts/reach/scoped-pages.ts"
import { look, lookFirst, type LookParts, MOST_NOTES, NotYet, settledNotes } from "./look.ts"
import { watchMail, watchMessage } from "./messages.ts"
import type { Attempt, Outbox, WatchDelivery } from "./store/outbox.ts"
import { Overtaken } from "./store/watch-store.ts"
import type { Entry, Watch } from "./watch.ts"
import type { WatchSecrets } from "./watch-secrets.ts"

export interface FollowParts extends LookParts {
  readonly outbox: Outbox
  readonly secrets: WatchSecrets
  readonly config: {
    /** Entries kept of each watch. */
    readonly watchEntries: number
    /** What sends e-mails and reaches receivers. */
    readonly sending: AlertConfig & ProxySettings & { readonly webhookNetworks: readonly string[] }
    readonly userAgent: string
  }
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  /** After so many milliseconds readers see what a crawl wrote. */
  readonly lagMs: number
  /** Milliseconds between two looks. Default one second. */
  readonly pollMs?: number
}

const POLL_MS = 1000
/** Receivers that are spoken to at the same time; each gets one message at a time. */
const RECEIVERS = 8
const PRUNE_EVERY_MS = 3_600_000

/** Looks at what crawls change and tells of it, for as long as the signal lets it. A receiver that is slow holds up none but itself. */
export async function followWatches(parts: FollowParts, signal: AbortSignal): Promise<void> {
  const { store, outbox, log, pollMs = POLL_MS } = parts
  const { config, keys } = parts
  await using receivers = new KeyReceivers({ keys, sending: config.sending, userAgent: config.userAgent })
  const sending = new InTurn(RECEIVERS, (err) => log.error({ err }, "a message of a watch could not be sent"))
  let pruned = steadyNow()
  while (!signal.aborted) {
    try {
      const watches = store.list()
      if (watches.length > 0) {
        if (await lookOnce(watches, parts, signal)) store.prune(config.watchEntries)
        for (const watch of store.list()) outbox.collect(watch, Date.now())
        for (const delivery of outbox.due(Date.now(), sending.busy, sending.room, sending.served)) {
          const key = store.get(delivery.watch)?.key
          sending.begin(delivery.receiver, () => deliver(delivery, parts, receivers, signal), key)
        }
        if (steadyNow() - pruned > PRUNE_EVERY_MS) {
          pruned = steadyNow()
          outbox.prune(Date.now())
          store.prune(config.watchEntries)
        }
      }
    } catch (error) {
      // Of a state that is away readiness tells, not every try.
      if (!signal.aborted && !(error instanceof Overtaken) && !isStateAway(error))
        log.error({ err: error }, "watches are tried again")
    }
    await pause(pollMs, signal)
  }
  await sending.ended()
}

/** Looks at what was noted, as far as it can be looked at yet. @returns whether something was found */
async function lookOnce(
  watches: readonly Watch[],
  parts: FollowParts,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, lagMs } = parts
  for (const watch of watches) {
    if (watch.readyAt === null) await unlessNotYet(lookFirst(watch, parts, signal))
  }
  const now = Date.now()
  const notes = await settledNotes(store.notes(now - lagMs, MOST_NOTES), watches, parts, now)
  if (notes.length === 0 || signal.aborted) return false
  const urls = [...new Set(notes.map(({ url }) => url))]
  const since = Math.min(...notes.map(({ at }) => at))
  const found = await unlessNotYet(look(urls, since, watches, parts, signal))
  if (signal.aborted || found === null) return false
  store.keep(found, notes, Date.now())
  return found.length > 0
}

/** What was looked for; null when it has to be looked for again. */
async function unlessNotYet<T>(looking: Promise<T>): Promise<T | null> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof NotYet) return null
    throw error
  }
}

/** What the holder of a watch may be told of its entries, now; null: the key is over. */
export function tellable(
  watch: Watch,
  entries: readonly Entry[],
  { keys, reachOf }: Pick<LookParts, "keys" | "reachOf">,
): readonly Entry[] | null {
  const key = keys.byId(watch.key)
  if (key === null) return null
  const limits = reachOf(key).limits()
  if (limits === null) return entries
  const mayTell = pageTest(limits)
  return entries.filter(({ url, sources }) => mayTell(url, sources))
}

async function deliver(
  delivery: WatchDelivery,
  parts: FollowParts,
  receivers: KeyReceivers,
  signal: AbortSignal,
): Promise<void> {
  const { store, outbox, log } = parts
  const watch = store.get(delivery.watch)
  if (watch === null) return
  const entries = tellable(watch, store.entriesFrom(watch.id, delivery.firstEntry, delivery.lastEntry), parts)
  const attempt: Attempt =
    entries === null
      ? { error: "the key of the watch is over", status: null, final: true }
      : entries.length === 0
        ? { error: "the key may no longer see these pages", status: null, final: true }
        : await send(delivery, { watch, entries }, parts, receivers, signal)
  const { error, reason } = attempt
  // One that was cut short counts for nothing.
  if (signal.aborted && error !== null) return
  outbox.settle(delivery.id, attempt, Date.now())
  // What was told need not be kept any longer.
  store.prune(parts.config.watchEntries)
  const { id, kind } = delivery
  if (error !== null) log.warn({ id, kind, error: reason ?? error }, "a message of a watch was not taken")
}

async function send(
  { id, kind, receiver, createdAt }: WatchDelivery,
  { watch, entries }: { readonly watch: Watch; readonly entries: readonly Entry[] },
  { config, env, secrets }: FollowParts,
  receivers: KeyReceivers,
  signal: AbortSignal,
): Promise<Attempt> {
  if (kind === "email") {
    if (config.sending.smtpUrl === "")
      return { error: "FOSSICK_SMTP_URL is not set", status: null, final: false }
    // Loaded with the first one.
    const { sendMail } = await import("#crawler/alerts/send-mail.ts")
    const mail = {
      id: id.replace(/^msg_/, ""),
      recipient: receiver,
      createdAt,
      ...watchMail(watch, entries),
    }
    return { ...(await sendMail(mail, { config: config.sending, env, signal })), status: null }
  }
  const body = watchMessage(watch, entries, createdAt)
  const secret = secrets.signingSecret(watch.id)
  const posted = await receivers.send(watch.key, { id, url: receiver, secret, body }, signal)
  return posted.kind === "delivered" ? { error: null, status: posted.status } : posted
}
