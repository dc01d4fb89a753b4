import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"

/** The version of Keycloak; `.ci/install` reads it, too. */
export const KEYCLOAK_VERSION = "26.7.3"

/** The folder of an installation that was built for {@link Keycloak}, or null. README.md explains how to create one. */
export function findKeycloak(): string | null {
  const folder = process.env["KEYCLOAK"] ?? ""
  return existsSync(join(folder, "lib/quarkus/quarkus-application.dat")) ? folder : null
}

const ADMIN = { user: "admin", password: "admin-password" }
const REALM = "staff"

interface Named {
  readonly id: string
  readonly username?: string
  readonly name?: string
}

/** Keycloak on loopback, with its state in memory, and the realm of `realm.json`: each user's password is NAME-password. */
export class Keycloak implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "fossick-keycloak-"))
  readonly #port: number
  #child: ChildProcess | null = null
  #said = ""

  static async start(): Promise<Keycloak> {
    const keycloak = new Keycloak(await freePort())
    try {
      await keycloak.#start()
      return keycloak
    } catch (error) {
      await keycloak[Symbol.asyncDispose]()
      throw new Error(`Keycloak did not start. Its output:\n${keycloak.#said}`, { cause: error })
    }
  }

  private constructor(port: number) {
    this.#port = port
  }

  /** The issuer, in OpenID Connect's terms. */
  get issuer(): string {
    return `http://localhost:${this.#port}/realms/${REALM}`
  }

  get samlMetadata(): string {
    return `${this.issuer}/protocol/saml/descriptor`
  }

  get pid(): number {
    return this.#child!.pid!
  }

  async #start(): Promise<void> {
    const installed = findKeycloak()
    if (installed === null) throw new Error("KEYCLOAK does not name the folder of a Keycloak installation")
    // Keycloak writes to the folder next to its programs.
    for (const name of ["bin", "lib", "themes", "providers"])
      symlinkSync(join(installed, name), join(this.#folder, name))
    cpSync(join(installed, "conf"), join(this.#folder, "conf"), { recursive: true })
    const child = spawn("java", this.#args(), {
      cwd: this.#folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.user,
        KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
      },
    })
    endWithUs(child)
    this.#child = child
    child.stdout.on("data", (chunk: Buffer) => (this.#said += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (this.#said += chunk.toString()))
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`)
      return (await fetch(`http://localhost:${this.#port}/realms/master`).catch(() => null))?.status === 200
    }, 100)
    await this.#admin("POST", "", readFileSync(join(import.meta.dirname, "realm.json"), "utf8"))
  }

  /** The command that `bin/kc.sh start --optimized` runs, in one process. */
  #args(): readonly string[] {
    const opened = ["java.util", "java.util.concurrent", "java.security", "java.lang"]
    return [
      ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
      "-Xms64m",
      "-Xmx512m",
      // Settings that save start-up time, because Keycloak only runs for a few seconds.
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      `-Dkc.home.dir=${this.#folder}`,
      `-Djboss.server.config.dir=${join(this.#folder, "conf")}`,
      "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
      "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory",
      "-Dkc.config.built=true",
      "-cp",
      join(this.#folder, "lib/quarkus-run.jar"),
      "io.quarkus.bootstrap.runner.QuarkusEntryPoint",
      "start",
      "--optimized",
      "--cache=local",
      "--http-enabled=true",
      "--http-host=127.0.0.1",
      `--http-port=${this.#port}`,
      `--hostname=http://localhost:${this.#port}`,
    ]
  }

  /** Creates a client as in the handbook, except for the appliance's address. @returns its secret */
  async addClient(example: object, appliance: string): Promise<string> {
    const secret = "secret-of-the-client"
    const text = JSON.stringify({ ...example, secret }).replaceAll("https://search.example.com", appliance)
    await this.#admin("POST", `/${REALM}/clients`, JSON.parse(text) as object)
    return secret
  }

  /** Makes Keycloak notify a client of sign-outs through the browser, instead of calling the client. */
  async tellByBrowser(clientId: string): Promise<void> {
    const query = `clientId=${encodeURIComponent(clientId)}`
    const [client] = (await this.#admin("GET", `/${REALM}/clients?${query}`)) as Named[]
    await this.#admin("PUT", `/${REALM}/clients/${client!.id}`, { ...client, frontchannelLogout: true })
  }

  /** How Keycloak reads the metadata of a client. */
  async described(metadata: string): Promise<{ readonly attributes: Readonly<Record<string, string>> }> {
    const described = await this.#admin("POST", `/${REALM}/client-description-converter`, metadata)
    return described as { readonly attributes: Readonly<Record<string, string>> }
  }

  async removeFromGroup(user: string, group: string): Promise<void> {
    const groups = (await this.#admin("GET", `/${REALM}/groups`)) as Named[]
    const { id } = groups.find(({ name }) => name === group)!
    await this.#admin("DELETE", `/${REALM}/users/${await this.#idOf(user)}/groups/${id}`)
  }

  /** Ends all sessions of a user, as an admin of the realm does. */
  async signOut(user: string): Promise<void> {
    await this.#admin("POST", `/${REALM}/users/${await this.#idOf(user)}/logout`)
  }

  async #idOf(user: string): Promise<string> {
    const [found] = (await this.#admin("GET", `/${REALM}/users?exact=true&username=${user}`)) as Named[]
    return found!.id
  }

  async #admin(method: string, path: string, body?: object | string): Promise<unknown> {
    const server = `http://localhost:${this.#port}`
    const token = await fetch(`${server}/realms/master/protocol/openid-connect/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "password",
        client_id: "admin-cli",
        username: ADMIN.user,
        password: ADMIN.password,
      }),
    })
    const { access_token } = (await token.json()) as { readonly access_token: string }
    const isXml = typeof body === "string" && body.startsWith("<")
    const answer = await fetch(`${server}/admin/realms${path}`, {
      method,
      headers: {
        authorization: `Bearer ${access_token}`,
        "content-type": isXml ? "application/xml" : "application/json",
      },
      body: typeof body === "object" ? JSON.stringify(body) : (body ?? null),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === "" ? undefined : (JSON.parse(text) as unknown)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child !== null && child.exitCode === null) {
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
