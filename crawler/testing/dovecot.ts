import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ImapFlow } from "imapflow"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort, isListening } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { makeCertificate } from "../fetch/connect/make-certificate.ts"

/** The user who owns the mail when root runs the server, because the server refuses to read mail as root. */
const USER = "nobody"
const isRoot = process.getuid?.() === 0

/** Whether a version that understands the configuration below is installed. */
export function findDovecot(): boolean {
  const { error, stdout } = spawnSync("dovecot", ["--version"], { env: PATH, encoding: "utf8" })
  return error === undefined && stdout.startsWith("2.3.")
}

/** Debian installs servers in a folder that is only on root's PATH. */
const PATH = { PATH: `${process.env["PATH"]}:/usr/sbin` }

const idOf = (flag: string): string =>
  execFileSync("id", [flag, ...(isRoot ? [USER] : [])], { encoding: "utf8" }).trim()

/** An IMAP server on loopback with one empty mailbox. The folders Spam, Trash and Drafts have their special-use attributes. */
export class Dovecot implements AsyncDisposable {
  readonly user = "ada@mail.example"
  readonly password = "correct horse battery"
  readonly folder = mkdtempSync(join(tmpdir(), "fossick-dovecot-"))
  /** PEM file of the authority that issued the server's certificate. */
  readonly caFile = join(this.folder, "ca.pem")
  readonly port: number
  /** The port for connections that begin without TLS and use STARTTLS. */
  readonly plainPort: number
  #child: ReturnType<typeof spawn> | null = null

  static async start(): Promise<Dovecot> {
    const server = new Dovecot(await freePort(), await freePort())
    await server.start()
    return server
  }

  private constructor(port: number, plainPort: number) {
    this.port = port
    this.plainPort = plainPort
    const authority = makeCertificate({ subject: "Test authority", isAuthority: true })
    const { cert, key } = makeCertificate({
      subject: "localhost",
      names: ["localhost", "127.0.0.1"],
      issuer: authority,
    })
    writeFileSync(this.caFile, authority.cert)
    writeFileSync(join(this.folder, "cert.pem"), cert)
    writeFileSync(join(this.folder, "key.pem"), key)
    writeFileSync(join(this.folder, "users"), `${this.user}:{PLAIN}${this.password}\n`)
    writeFileSync(join(this.folder, "dovecot.conf"), this.#settings())
    if (isRoot) {
      chmodSync(this.folder, 0o755)
      chownSync(this.folder, Number(idOf("-u")), Number(idOf("-g")))
    }
  }

  get server(): string {
    return `imaps://localhost:${this.port}`
  }

  #settings(): string {
    const { folder } = this
    const own = isRoot ? "" : `default_internal_user = ${idOf("-un")}\ndefault_login_user = ${idOf("-un")}\n`
    return `${own}default_internal_group = ${isRoot ? "dovecot" : idOf("-gn")}
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
auth_failure_delay = 0
first_valid_uid = 1
service imap-login {
  chroot =
  inet_listener imap {
    port = ${this.plainPort}
  }
  inet_listener imaps {
    port = ${this.port}
  }
}
service anvil {
  chroot =
}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${idOf("-u")} gid=${idOf("-g")} home=${folder}/home
}
mail_location = maildir:~/Maildir
namespace inbox {
  inbox = yes
  separator = /
  mailbox Spam {
    special_use = \\Junk
  }
  mailbox Trash {
    special_use = \\Trash
  }
  mailbox Drafts {
    special_use = \\Drafts
  }
}
`
  }

  async start(): Promise<void> {
    const config = join(this.folder, "dovecot.conf")
    const child = spawn("dovecot", ["-F", "-c", config], { stdio: "ignore", env: PATH })
    endWithUs(child)
    this.#child = child
    await until(async () => {
      if (child.exitCode !== null) throw new Error(readFileSync(join(this.folder, "log"), "utf8"))
      return await isListening(this.port)
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null) return
    const ended = once(child, "exit")
    child.kill()
    await ended
  }

  /** Connects as another of the user's mail programs. */
  async as<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      host: "localhost",
      port: this.port,
      secure: true,
      auth: { user: this.user, pass: this.password },
      tls: { ca: readFileSync(this.caFile, "utf8") },
      logger: false,
    })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.logout()
    }
  }

  /** Gives each folder a new UIDVALIDITY and new UIDs, as when a server is moved. */
  async renumber(): Promise<void> {
    await this.stop()
    const files = readdirSync(join(this.folder, "home"), { recursive: true, encoding: "utf8" })
    for (const file of files) {
      const path = join(this.folder, "home", file)
      if (/\/dovecot\.index[^/]*$/.test(file)) rmSync(path)
      if (!file.endsWith("/dovecot-uidlist")) continue
      const text = readFileSync(path, "utf8").replace(/ V(\d+) /, (_, old) => ` V${Number(old) + 1} `)
      writeFileSync(path, text)
    }
    await this.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
