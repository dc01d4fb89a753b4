import type { AddressInfo } from "node:net"
import type { MadeCertificate } from "../fetch/connect/make-certificate.ts"
import { SMTPServer } from "smtp-server"

/** A message as received by a mail server. */
export interface ReceivedMail {
  readonly recipients: readonly string[]
  readonly user: string | null
  /** Whether the message came over TLS. */
  readonly isSecure: boolean
  /** Headers and text. */
  readonly text: string
}

export interface MailServerOptions {
  /** The required login; none by default. */
  readonly login?: { readonly user: string; readonly password: string }
  /** Recipients that don't exist. */
  readonly unknown?: readonly string[]
  /** How the next messages are handled: accepted, refused temporarily, or left without an answer. Later ones are accepted. */
  readonly next?: ("take" | "refuse" | "hang")[]
  /** Whether TLS is used from the first byte, or once the client sends STARTTLS. Default: none. */
  readonly tls?: { readonly from: "start" | "starttls"; readonly certificate: MadeCertificate }
}

/** A mail server on a real socket. */
export async function startMailServer({ login, unknown = [], next = [], tls }: MailServerOptions = {}) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    ...(tls === undefined
      ? { disabledCommands: ["STARTTLS"], allowInsecureAuth: true }
      : { secure: tls.from === "start", cert: tls.certificate.cert, key: tls.certificate.key }),
    authOptional: login === undefined,
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth({ username, password }, _session, callback) {
      const isRight = username === login?.user && password === login?.password
      callback(isRight ? null : new Error("Authentication failed"), isRight ? { user: username } : undefined)
    },
    onRcptTo({ address }, _session, callback) {
      const isThere = !unknown.includes(address)
      callback(isThere ? null : Object.assign(new Error("no such mailbox"), { responseCode: 550 }))
    },
    onData(stream, session, callback) {
      let text = ""
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()))
      stream.on("end", () => {
        received.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          user: (session.user as string | undefined) ?? null,
          isSecure: session.secure,
          text,
        })
        const fate = next.shift() ?? "take"
        if (fate === "take") callback()
        if (fate === "refuse") callback(Object.assign(new Error("try later"), { responseCode: 451 }))
      })
    },
  })
  // Ignores errors from clients killed in the middle of a connection.
  server.on("error", () => undefined)
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    received,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => {
        server.close(() => done())
      })
    },
  }
}
