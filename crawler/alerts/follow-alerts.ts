import type { Logger } from "pino"
import { steadyNow } from "#base/steady-time.ts"
import { type AlertConfig, alertProblems } from "../alert-settings.ts"
import type { AlertBook } from "./alert-book.ts"
import { pause } from "#base/flow/pause.ts"
import { isStateAway } from "#base/store/postgres/outage.ts"

const POLL_MS = 1000
const PRUNE_EVERY_MS = 3_600_000

export interface FollowAlertsOptions {
  readonly book: AlertBook
  readonly config: AlertConfig
  /** Names of the sources that are declared. */
  readonly declared: () => readonly string[]
  /** Where secrets that are named `${NAME}` are. */
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
  readonly signal: AbortSignal
  /** Milliseconds between two looks. Default one second. */
  readonly pollMs?: number
}

/**
 * Finds out which sources and backups go wrong, and sends e-mails, one at a time, for as long as the signal lets it. Nothing else
 * waits for it; what goes to webhooks is sent by followWebhooks.
 */
export async function followAlerts(options: FollowAlertsOptions): Promise<void> {
  const { book, config, declared, log, signal, pollMs = POLL_MS } = options
  for (const problem of alertProblems(config)) log.error(problem)
  let pruned = -Infinity
  while (!signal.aborted) {
    try {
      if (book.hasNotes()) book.collect(config)
      if (steadyNow() - pruned > PRUNE_EVERY_MS) {
        book.prune(declared())
        pruned = steadyNow()
      }
      while (config.smtpUrl !== "" && (await sendOne(options)));
    } catch (error) {
      // Of a state that is away the process tells.
      if (!isStateAway(error)) log.error({ err: error }, "alerts are tried again")
    }
    await pause(pollMs, signal)
  }
}

/** @returns whether there was one. */
async function sendOne({ book, config, env, log, signal }: FollowAlertsOptions): Promise<boolean> {
  const mail = signal.aborted ? null : book.mails.due()
  if (mail === null) return false
  // Loaded with the first message: most appliances send none.
  const { sendMail } = await import("./send-mail.ts")
  const sent = await sendMail(mail, { config, env, signal })
  // One that was cut short counts for nothing.
  if (signal.aborted && sent.error !== null) return false
  book.mails.settle(mail.id, sent)
  if (sent.error === null) log.info({ id: mail.id, subject: mail.subject }, "alert sent by e-mail")
  else log.warn({ id: mail.id, error: sent.error }, "alert not sent by e-mail")
  return true
}
