import type { Logger } from "pino"

import { followOutbox } from "#base/work/follow-outbox.ts"
import type { Attempt } from "#base/work/retries.ts"
import type { AlertConfig } from "#crawler/alert-settings.ts"
import type { ProxySettings } from "#crawler/fetch/connect/outgoing-proxy.ts"

import type { PageUrl } from "#engine"

import { KeyReceivers } from "../../identity/accounts/reach/key-receivers.ts"
import { pageTest } from "../../identity/accounts/reach/scoped-pages.ts"
import { look, lookFirst, type LookParts, MOST_NOTES, NotYet, settledNotes } from "./look.ts"
import { watchMail, watchMessage } from "./watch-messages.ts"
import type { WatchDelivery, WatchOutbox } from "./store/outbox.ts"
import { Overtaken } from "./store/watch-store.ts"
import type { Entry, Watch } from "./watch.ts"
import type { WatchSecrets } from "./watch-secrets.ts"

export interface FollowParts extends LookParts {
  readonly outbox: WatchOutbox
  readonly secrets: WatchSecrets
  readonly config: {
    /** Number of entries kept per watch. */
    readonly watchEntries: number
    /** Settings for sending e-mails and reaching receivers. */
    readonly sending: AlertConfig & ProxySettings & { readonly webhookNetworks: readonly string[] }
    readonly userAgent: string
  }
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  /** Milliseconds until index readers see the writes of a crawl. */
  readonly lagMs: number
  /** Milliseconds between checks. Default: one second. */
  readonly pollMs?: number
}

/** Looks for changes made by crawls and reports them, until the signal is aborted. */
export async function followWatches(parts: FollowParts, signal: AbortSignal): Promise<void> {
  const { store, outbox, config, keys, log, pollMs } = parts
  await using receivers = new KeyReceivers({ keys, sending: config.sending, userAgent: config.userAgent })
  await followOutbox({
    outbox,
    called: ["a message of a watch", "watches"],
    async collect() {
      const watches = await store.list()
      if (watches.length === 0) return
      if (await lookOnce(watches, parts, signal)) await store.prune(config.watchEntries)
      for (const watch of await store.list()) await outbox.collect(watch)
    },
    tidy: () => store.prune(config.watchEntries),
    attempt: (delivery) => attempted(delivery, parts, receivers, signal),
    async onSettled({ id, kind }, attempt) {
      // Old entries that have been reported need not be kept.
      await store.prune(config.watchEntries)
      const { error } = attempt
      if (error !== null)
        log.warn({ id, kind, error: attempt.reason ?? error }, "a watch's message was not accepted")
    },
    log,
    signal,
    pollMs,
  })
}

/**
 * Processes the notes that are ready.
 * @returns whether anything was found
 */
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
  const notes = await settledNotes(await store.notes(now - lagMs, MOST_NOTES), watches, parts, now)
  if (notes.length === 0 || signal.aborted) return false
  const urls = [...new Set(notes.map(({ url }) => url))]
  const since = Math.min(...notes.map(({ at }) => at))
  const found = await unlessNotYet(look(urls, since, watches, parts, signal))
  if (signal.aborted || found === null) return false
  try {
    await store.keep(found, notes, Date.now())
  } catch (error) {
    if (error instanceof Overtaken) return false
    throw error
  }
  return found.length > 0
}

/** The result; null when the check has to be repeated. */
async function unlessNotYet<T>(looking: Promise<T>): Promise<T | null> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof NotYet) return null
    throw error
  }
}

/**
 * The entries that the owner of a watch may see now; `null` if the key is no longer valid. Both the page's readers at
 * the time and its current readers must include the key.
 */
export async function tellable(
  watch: Watch,
  entries: readonly Entry[],
  { keys, reachOf }: Pick<LookParts, "keys" | "reachOf">,
): Promise<readonly Entry[] | null> {
  const key = await keys.byId(watch.key)
  if (key === null) return null
  const reach = reachOf(key)
  const limits = await reach.limits()
  if (limits === null) return entries
  const mayTell = pageTest(limits)
  const seen = entries.filter(({ url, sources, readers }) => mayTell(url, sources, readers))
  const hidden = new Set<PageUrl>()
  for (const url of new Set(seen.map((entry) => entry.url))) if (await reach.keepsOut(url)) hidden.add(url)
  return seen.filter(({ url }) => !hidden.has(url))
}

async function attempted(
  delivery: WatchDelivery,
  parts: FollowParts,
  receivers: KeyReceivers,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { store } = parts
  const watch = await store.get(delivery.watch)
  if (watch === null) return null
  const entries = await tellable(
    watch,
    await store.entriesFrom(watch.id, delivery.firstEntry, delivery.lastEntry),
    parts,
  )
  if (entries === null) return { error: "the key of the watch is no longer valid", status: null, final: true }
  if (entries.length === 0)
    return { error: "the key may no longer see these pages", status: null, final: true }
  return await send(delivery, { watch, entries }, parts, receivers, signal)
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
    // Loaded when the first message is sent.
    const { sendMail } = await import("#crawler/reporting/alerts/send-mail.ts")
    const mail = { id, receiver, createdAt, ...watchMail(watch, entries) }
    return await sendMail(mail, { config: config.sending, env, signal })
  }
  const body = watchMessage(watch, entries, createdAt)
  const secret = secrets.signingSecret(watch.id)
  return await receivers.send(watch.key, { id, receiver, secret, body }, signal)
}
