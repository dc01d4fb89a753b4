import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { ImapFlow } from "imapflow"
import { KnownError } from "#base/errors.ts"
import { environment } from "#base/settings.ts"
import type { MailServer } from "../../../../source.ts"
import { bareHost, isPrivateByName, portOf } from "../../../guard/allowed-networks.ts"
import { codeOf } from "../../../network-error.ts"
import { checkSecret, resolveValue } from "../../../secrets.ts"
import type { ContentReach } from "../../content.ts"
import { MAX_MESSAGE_BYTES } from "../mbox.ts"

const PORTS: Readonly<Record<string, number>> = { "imaps:": 993, "imap:": 143 }
/** Time limit for the server's greeting and for each response. */
const ANSWER_MS = 60_000
/** Extra bytes allowed for the rest of a response that contains a message. */
const MORE_BYTES = 1024 * 1024

/** Finds problems with the fields of a mailbox on a server; the `path` of a problem is the path of the field. */
export function serverProblems({
  server,
  password,
}: Pick<MailServer, "server" | "password">): { path: string[]; message: string }[] {
  const found = [
    { path: ["mailbox", "server"], message: addressProblem(server) },
    { path: ["mailbox", "password"], message: checkSecret(password) },
  ]
  return found.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]))
}

function addressProblem(server: string): string | null {
  const url = URL.parse(server)
  if (url === null || PORTS[url.protocol] === undefined || url.hostname === "")
    return "must be the address of an IMAP server, such as imaps://mail.example.com"
  if (url.username !== "" || url.password !== "")
    return "must not contain a user or password; use the fields user and password"
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "")
    return "must not have a path; name folders in the field folders"
  return URL.canParse(hrefOf(url)) ? null : "must name a host"
}

const hrefOf = ({ protocol, hostname, port }: URL): string =>
  `https://${hostname}:${port === "" ? PORTS[protocol] : port}/`

/** The host and port of a server as a web address, which the address guard can check. */
export const guardedUrl = ({ server }: Pick<MailServer, "server">): URL => new URL(hrefOf(new URL(server)))

/** The user and the server, for people. */
export const shownServer = ({ server, user }: Pick<MailServer, "server" | "user">): string =>
  server.replace(/\/$/, "").replace("://", `://${user}@`)

/**
 * Opens a connection to a server and logs in. The connection is checked by the address guard and is secure, unless the
 * server has a private address and offers no STARTTLS. The caller closes it.
 * @throws KnownError that says why it failed, without the password
 */
export async function logInAt(mailbox: MailServer, { guard, signal }: ContentReach): Promise<ImapFlow> {
  const pass = secretOf(mailbox.password)
  const url = guardedUrl(mailbox)
  const isSecure = mailbox.server.startsWith("imaps:")
  let explain = (error: Error) => error
  const secured = (socket: Socket, done: () => void): TLSSocket => {
    const started = guard.startSecure(socket, url)
    explain = (error) => started.explain(error)
    return started.secure.once("secureConnect", done)
  }
  try {
    const { ImapFlow: Client } = await import("imapflow")
    const socket = await guard.open(url)
    const client = new Client({
      host: bareHost(url),
      port: Number(portOf(url)),
      secure: isSecure,
      // Requires STARTTLS: otherwise someone on the network could remove the server's offer and read the password.
      ...(!isSecure && !isPrivateByName(url) && { doSTARTTLS: true }),
      auth: { user: mailbox.user, pass },
      logger: false,
      disableAutoIdle: true,
      greetingTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
      maxLiteralSize: MAX_MESSAGE_BYTES + MORE_BYTES,
      transport: {
        connect(_, onConnect) {
          if (isSecure) return secured(socket, onConnect)
          setImmediate(onConnect)
          return socket
        },
        upgrade: (plain, _, onSecure) => secured(plain as Socket, onSecure),
      },
    })
    // Errors are ignored here because a failing command throws them as well.
    client.on("error", () => {})
    const stop = () => client.close()
    signal?.addEventListener("abort", stop, { once: true })
    client.once("close", () => signal?.removeEventListener("abort", stop))
    try {
      await client.connect()
    } catch (error) {
      client.close()
      throw error
    }
    return client
  } catch (error) {
    throw inWords(mailbox, explain(error as Error))
  }
}

/** Explains an error from a server or a connection in words for people. */
export function inWords(mailbox: MailServer, error: Error): KnownError {
  if (error instanceof KnownError) return error
  const { authenticationFailed, serverResponseCode, responseText } = error as Refusal
  const place = shownServer(mailbox)
  if (authenticationFailed === true) {
    const code = serverResponseCode === undefined ? "" : ` (${serverResponseCode})`
    return new KnownError(`${place}: the server rejected the user or password${code}.`, { cause: error })
  }
  const why = responseText ?? error.message
  const code = codeOf(error)
  return new KnownError(
    `${place} cannot be read: ${why || "no connection"}${code === "" || why.includes(code) ? "" : ` (${code})`}`,
    { cause: error },
  )
}

/** Fields that the library adds to errors. */
interface Refusal extends Error {
  readonly authenticationFailed?: boolean
  /** RFC 5530 §3. */
  readonly serverResponseCode?: string
  readonly responseText?: string
}

function secretOf(password: string): string {
  try {
    return resolveValue(password, environment())
  } catch (error) {
    throw new KnownError((error as Error).message, { cause: error })
  }
}
