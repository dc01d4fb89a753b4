import type { Logger } from "pino"
import { followOutbox } from "#base/work/follow-outbox.ts"
import { type AlertConfig, alertProblems } from "../alert-settings.ts"
import type { AlertBook } from "./alert-book.ts"

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
  const { book, config, declared, env, log, signal, pollMs } = options
  for (const problem of alertProblems(config)) log.error(problem)
  await followOutbox({
    outbox: book.mails,
    called: ["an alert", "alerts"],
    receivers: 1,
    isBrisk: true,
    collect() {
      if (book.hasNotes()) book.collect(config)
    },
    tidy: () => book.prune(declared()),
    maySend: () => config.smtpUrl !== "",
    async attempt(mail) {
      // Loaded with the first message: most appliances send none.
      const { sendMail } = await import("./send-mail.ts")
      return await sendMail(mail, { config, env, signal })
    },
    onSettled({ id, subject }, { error }) {
      if (error === null) log.info({ id, subject }, "alert sent by e-mail")
      else log.warn({ id, error }, "alert not sent by e-mail")
    },
    log,
    signal,
    pollMs,
  })
}
