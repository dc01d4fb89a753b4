import { hostname } from "node:os"
import { createTransport } from "nodemailer"
import { hidden } from "#base/telemetry/log/hidden.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"
import { resolveSecret } from "#base/secret.ts"
import { type AlertConfig, isThisMachine } from "../../alert-settings.ts"
import type { Attempt } from "#base/work/retries.ts"
import type { ChannelMessage } from "./channels/channel.ts"

const CONNECT_TIMEOUT_MS = 15_000
/** The timeout for a server, which may check a message for a while before accepting it. */
const SILENCE_TIMEOUT_MS = 60_000

export interface SendOptions {
  readonly config: Pick<AlertConfig, "smtpUrl" | "smtpPassword" | "alertFrom">
  /** Where to look up secrets named `${NAME}`. */
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * Makes one attempt at sending one message, over its own connection. The address guard is not used, because the
 * operator chose the server. Never rejects.
 */
export async function sendMail(
  {
    id,
    receiver,
    subject,
    text,
    createdAt,
  }: Pick<ChannelMessage, "id" | "receiver" | "subject" | "text" | "createdAt">,
  { config, env, signal }: SendOptions,
): Promise<Attempt> {
  let pass = ""
  try {
    const url = new URL(config.smtpUrl)
    const secure = url.protocol === "smtps:"
    const user = decodeURIComponent(url.username)
    pass = config.smtpPassword === "" ? "" : resolveSecret(config.smtpPassword, env)
    const transport = createTransport({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
      secure,
      // A password is never sent over an unencrypted connection, except to this machine.
      requireTLS: !secure && pass !== "" && !isThisMachine(url.hostname),
      ...(user !== "" && pass !== "" && { auth: { user, pass } }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const from = senderOf(config.alertFrom, user)
    await transport.sendMail({
      from: { name: "Fossick", address: from },
      to: receiver,
      subject,
      text,
      date: createdAt,
      // Identifies a message that is sent twice because the server's response was lost.
      messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
      // RFC 3834: prevents vacation replies.
      headers: { "auto-submitted": "auto-generated" },
      signal,
    })
    noteOutbound("mail", url.host)
    return { error: null, status: null }
  } catch (error) {
    const { message, responseCode, command } = error as Error & { responseCode?: number; command?: string }
    // A wrong login or a faulty server may be fixed within the day, but a mailbox that does not exist will not be
    // created.
    const final = command === "RCPT TO" && responseCode !== undefined && responseCode >= 550
    // A server's error can repeat the line that it rejected, which may contain the login.
    return { error: hidden(message, [pass]), status: null, final }
  }
}

function senderOf(from: string, user: string): string {
  if (from !== "") return from
  return user.includes("@") ? user : `fossick@${hostname()}`
}
