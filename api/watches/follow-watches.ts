import type { Logger } from "pino"

import { pause } from "#base/flow/pause.ts"
import { steadyNow } from "#base/steady-time.ts"
import type { AlertConfig } from "#crawler/alert-settings.ts"
import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"
import type { WebhookSender } from "#crawler/webhooks/webhook-sender.ts"

import { pageTest } from "../accounts/reach/scoped-pages.ts"
import { look, lookFirst, type LookParts, MOST_NOTES, settledNotes } from "./look.ts"
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
const RECEIVERS = 4
const PRUNE_EVERY_MS = 3_600_000

/** Looks at what crawls change and tells of it, for as long as the signal lets it. A receiver that is slow holds up none but itself. */
export async function followWatches(parts: FollowParts, signal: AbortSignal): Promise<void> {
  const { store, outbox, log, pollMs = POLL_MS } = parts
  await using senders = new Senders(parts)
  const sending = new Map<string, Promise<void>>()
  let pruned = steadyNow()
  while (!signal.aborted) {
    try {
      const watches = store.list()
      if (watches.length > 0) {
        await lookOnce(watches, parts, signal)
        for (const watch of store.list()) outbox.collect(watch, Date.now())
        for (const delivery of outbox.due(Date.now(), new Set(sending.keys()), RECEIVERS - sending.size)) {
          const sent = deliver(delivery, parts, senders, signal)
            .catch((error: unknown) => log.error({ err: error }, "a message of a watch could not be sent"))
            .finally(() => sending.delete(delivery.receiver))
          sending.set(delivery.receiver, sent)
        }
        if (steadyNow() - pruned > PRUNE_EVERY_MS) {
          pruned = steadyNow()
          outbox.prune(Date.now())
          store.prune(parts.config.watchEntries)
        }
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof Overtaken))
        log.error({ err: error }, "watches are tried again")
    }
    await pause(pollMs, signal)
  }
  await Promise.all(sending.values())
}

/** Looks at what was noted, as far as it can be looked at yet. */
async function lookOnce(watches: readonly Watch[], parts: FollowParts, signal: AbortSignal): Promise<void> {
  const { store, lagMs } = parts
  for (const watch of watches) if (watch.readyAt === null) await lookFirst(watch, parts, signal)
  const now = Date.now()
  const notes = await settledNotes(store.notes(now - lagMs, MOST_NOTES), watches, parts, now)
  if (notes.length === 0 || signal.aborted) return
  const urls = [...new Set(notes.map(({ url }) => url))]
  const found = await look(urls, watches, parts, signal)
  if (!signal.aborted) store.keep(found, notes, Date.now())
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
  senders: Senders,
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
        : await senders.send(delivery, watch, entries, signal)
  const { error, reason } = attempt
  // One that was cut short counts for nothing.
  if (signal.aborted && error !== null) return
  outbox.settle(delivery.id, attempt, Date.now())
  const { id, kind } = delivery
  if (error !== null) log.warn({ id, kind, error: reason ?? error }, "a message of a watch was not taken")
}

/** Sends messages; what it needs is loaded with the first of each kind. */
class Senders implements AsyncDisposable {
  readonly #parts: FollowParts
  readonly #webhooks = new Map<"any" | "public", Promise<WebhookSender>>()

  constructor(parts: FollowParts) {
    this.#parts = parts
  }

  async send(
    { id, kind, receiver, createdAt }: WatchDelivery,
    watch: Watch,
    entries: readonly Entry[],
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { config, env, secrets, keys } = this.#parts
    if (kind === "email") {
      if (config.sending.smtpUrl === "")
        return { error: "FOSSICK_SMTP_URL is not set", status: null, final: false }
      const { sendMail } = await import("#crawler/alerts/send-mail.ts")
      const mail = {
        id: id.replace(/^msg_/, ""),
        recipient: receiver,
        createdAt,
        ...watchMail(watch, entries),
      }
      return { ...(await sendMail(mail, { config: config.sending, env, signal })), status: null }
    }
    // The networks that the operator opened are for what the operator's keys ask for.
    const sender = await this.#webhookSender(keys.byId(watch.key)?.role === "admin" ? "any" : "public")
    const body = watchMessage(watch, entries, createdAt)
    const secret = secrets.signingSecret(watch.id)
    const posted = await sender.send({ id, url: receiver, secret, body }, signal)
    return posted.kind === "delivered" ? { error: null, status: posted.status } : posted
  }

  #webhookSender(reach: "any" | "public"): Promise<WebhookSender> {
    const known = this.#webhooks.get(reach)
    if (known !== undefined) return known
    const { sending, userAgent } = this.#parts.config
    const networks = reach === "any" ? sending.webhookNetworks : []
    const made = import("#crawler/webhooks/webhook-sender.ts").then(
      (module) => new module.WebhookSender({ networks, proxy: sending, userAgent, env: {} }),
    )
    this.#webhooks.set(reach, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sender of this.#webhooks.values()) await (await sender)[Symbol.asyncDispose]()
  }
}
