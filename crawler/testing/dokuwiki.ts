import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort, isListening } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"

/** Where Debian's packages of DokuWiki and of its libraries are unpacked: see `.ci/install`. */
const PACKAGES = process.env["DOKUWIKI"] ?? ""

export const findDokuwiki = (): boolean =>
  PACKAGES !== "" && spawnSync("php", ["--version"]).error === undefined

/** A user of the wiki, in one group; the password is the user name backwards. */
export interface WikiUser {
  readonly name: string
  readonly group: string
}

export const passwordOf = (user: string): string => Array.from(user).reverse().join("")

/** A private DokuWiki on loopback, with users and access rules. */
export class Dokuwiki implements AsyncDisposable {
  readonly origin: string
  readonly #folder = mkdtempSync(join(tmpdir(), "fossick-dokuwiki-"))
  readonly #port: number
  #server: ChildProcess | null = null

  static async start(users: readonly WikiUser[]): Promise<Dokuwiki> {
    const wiki = new Dokuwiki(await freePort())
    wiki.#install(users)
    await wiki.#start()
    return wiki
  }

  private constructor(port: number) {
    this.#port = port
    this.origin = `http://127.0.0.1:${port}`
  }

  url(page: string): string {
    return `${this.origin}/doku.php?id=${page}`
  }

  /** Writes a page; `name` has the form `namespace:page`. */
  write(name: string, title: string, text: string): void {
    const file = join(this.#folder, "data/pages", `${name.replaceAll(":", "/")}.txt`)
    mkdirSync(join(file, ".."), { recursive: true })
    writeFileSync(file, `====== ${title} ======\n\n${text}\n`)
  }

  /** Access rules: lines of pages, `@groups` and rights, as in conf/acl.auth.php. */
  allow(rules: readonly (readonly [page: string, who: string, right: number])[]): void {
    const lines = rules.map((rule) => rule.join("\t"))
    writeFileSync(join(this.#folder, "conf/acl.auth.php"), ["# <?php exit()?>", ...lines, ""].join("\n"))
  }

  setPassword(users: readonly WikiUser[], passwords: Readonly<Record<string, string>> = {}): void {
    const lines = users.map(({ name, group }) => {
      const password = createHash("sha1")
        .update(passwords[name] ?? passwordOf(name))
        .digest("hex")
      return `${name}:${password}:${name.toUpperCase()}:${name}@example.com:${group}`
    })
    writeFileSync(join(this.#folder, "conf/users.auth.php"), ["# <?php exit()?>", ...lines, ""].join("\n"))
  }

  #install(users: readonly WikiUser[]): void {
    const [usr, etc, lib] = ["usr/share", "etc", "var/lib"].map((folder) =>
      join(PACKAGES, folder, "dokuwiki"),
    )
    const isOwn = (file: string) => !/\/(?:lib\/(?:tpl|plugins)|inc\/preload\.php|\.htaccess)$/.test(file)
    cpSync(usr!, this.#folder, { recursive: true, filter: isOwn })
    cpSync(join(lib!, "lib"), join(this.#folder, "lib"), { recursive: true })
    cpSync(join(lib!, "data"), join(this.#folder, "data"), { recursive: true })
    const isThere = (file: string) => !file.endsWith(".auth.php")
    cpSync(etc!, join(this.#folder, "conf"), { recursive: true, filter: isThere })
    // The packages look for their libraries at the paths where Debian installs them.
    const composer = join(this.#folder, "vendor/composer")
    for (const file of readdirSync(composer).filter((name) => name.startsWith("autoload_")))
      writeFileSync(
        join(composer, file),
        readFileSync(join(composer, file), "utf8").replaceAll(
          "'/usr/share/php",
          `'${PACKAGES}/usr/share/php`,
        ),
      )
    writeFileSync(join(this.#folder, "conf/local.php"), SETTINGS)
    this.setPassword(users)
    this.allow([])
  }

  async #start(): Promise<void> {
    const server = spawn("php", ["-d", "display_errors=0", "-S", `127.0.0.1:${this.#port}`], {
      cwd: this.#folder,
      stdio: "ignore",
      env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4" },
    })
    this.#server = server
    endWithUs(server)
    await until(() => isListening(this.#port))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server !== null && this.#server.exitCode === null) {
      const ended = once(this.#server, "exit")
      this.#server.kill()
      await ended
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The settings of the wiki: new pages must be found at once, and nothing may be fetched from the internet. */
const SETTINGS = `<?php
$conf['title'] = 'Office wiki';
$conf['useacl'] = 1;
$conf['authtype'] = 'authplain';
$conf['savedir'] = './data';
$conf['indexdelay'] = 0;
$conf['updatecheck'] = 0;
$conf['disableactions'] = 'register,resendpwd';
`
