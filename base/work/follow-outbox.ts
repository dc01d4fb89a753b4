import type { Logger } from "pino"
import { FairPool } from "../flow/fair-pool.ts"
import { pause } from "../flow/pause.ts"
import { steadyNow } from "../steady-time.ts"
import { isStateAway } from "../store/postgres/outage.ts"
import type { Message, Outbox } from "./outbox.ts"
import type { Attempt } from "./retries.ts"

const POLL_MS = 1000
/** Number of receivers contacted at the same time; each gets one message at a time. */
const RECEIVERS = 8
const PRUNE_EVERY_MS = 3_600_000

export interface FollowOptions<Own> {
  readonly outbox: Pick<Outbox<Own>, "due" | "settle" | "prune">
  /** Names for the log, for one message and for all, such as "a webhook" and "webhooks". */
  readonly called: readonly [one: string, all: string]
  /** Sends a message once; `null` if there is no longer anything to send. */
  readonly attempt: (message: Message & Own) => Promise<Attempt | null>
  /** Turns notes into messages, before each check for due ones. */
  readonly collect?: () => Promise<void> | void
  /** Whether this process may send messages now. Default: it always may. */
  readonly maySend?: (() => Promise<boolean>) | undefined
  /** Deletes other finished data whenever the outbox deletes its own: once an hour. */
  readonly tidy?: () => Promise<void>
  /** Called after an attempt has been recorded, to log it. */
  readonly onSettled?: (message: Message & Own, attempt: Attempt) => Promise<void>
  /** Number of receivers contacted at the same time. Default: eight. */
  readonly receivers?: number
  /** Whether to send the next message as soon as the previous one is settled, without waiting for the next check. */
  readonly isBrisk?: boolean
  readonly log: Logger
  readonly signal: AbortSignal
  /** Milliseconds between checks. Default: one second. */
  readonly pollMs?: number | undefined
}

/**
 * Sends due messages until the signal is aborted, alongside the other work of the process. A slow receiver holds up
 * only its own messages, and the receivers of one key use at most half of the places.
 */
export async function followOutbox<Own>(options: FollowOptions<Own>): Promise<void> {
  const { outbox, log, signal, receivers = RECEIVERS, isBrisk = false, pollMs = POLL_MS } = options
  const [one, all] = options.called
  const pool = new FairPool("receivers", { places: receivers })
  const sending = new Map<string, Promise<void>>()
  let waiting = new AbortController()
  const sendDue = async () => {
    const served = pool.full.filter((key) => typeof key === "string")
    for (const message of await outbox.due(new Set(sending.keys()), pool.places - pool.running, served)) {
      const { receiver, key } = message
      const leave = pool.enter(key ?? receiver)
      if (leave === null) continue
      const send = async () => {
        const isSettled = await sendOnce(message, options).catch((err: unknown) => {
          log.error({ err }, `${one} could not be sent`)
          return false
        })
        sending.delete(receiver)
        leave()
        if (isSettled && isBrisk) waiting.abort()
      }
      sending.set(receiver, send())
    }
  }
  signal.addEventListener("abort", () => waiting.abort(), { once: true })
  let pruned = -Infinity
  while (!signal.aborted) {
    waiting = new AbortController()
    try {
      await options.collect?.()
      if (steadyNow() - pruned > PRUNE_EVERY_MS) {
        await outbox.prune()
        await options.tidy?.()
        pruned = steadyNow()
      }
      if ((await options.maySend?.()) !== false) await sendDue()
    } catch (err) {
      // An unreachable state is reported by the process, not at every check.
      if (!signal.aborted && !isStateAway(err)) log.error({ err }, `${all} will be tried again`)
    }
    if (!signal.aborted) await pause(pollMs, waiting.signal)
  }
  await Promise.all(sending.values())
}

/** @returns whether the attempt was recorded. */
async function sendOnce<Own>(
  message: Message & Own,
  { outbox, attempt, onSettled, signal }: FollowOptions<Own>,
): Promise<boolean> {
  const ended = await attempt(message)
  // An interrupted attempt is not recorded.
  if (ended === null || (signal.aborted && ended.error !== null)) return false
  await outbox.settle(message.id, ended)
  await onSettled?.(message, ended)
  return true
}
