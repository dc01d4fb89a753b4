import { execFileSync, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { pause } from "../../flow/pause.ts"
import { endWithUs } from "../../testing/end-with-us.ts"
import { freePort } from "../../testing/free-port.ts"

/** Where Debian installs the server programs, which are not on the PATH. */
const DEBIAN = "/usr/lib/postgresql"
/** PostgreSQL refuses to run as root: in that case the server is run as Debian's `postgres` user. */
const USER = "postgres"

/** The folder with `initdb` and `postgres`; null if no server is installed. */
export function postgresPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  for (const version of versions) {
    const bin = join(DEBIAN, version, "bin")
    if (existsSync(join(bin, "initdb"))) return mayRun() ? bin : null
  }
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .find((folder) => existsSync(join(folder, "initdb")))
  return found !== undefined && mayRun() ? found : null
}

/** Why tests that need a server are skipped. */
export const NO_POSTGRES = "no PostgreSQL server is installed (Debian: apt-get install postgresql)"

const isRoot = (): boolean => process.getuid?.() === 0
const mayRun = (): boolean => !isRoot() || spawnSync("id", ["-u", USER]).status === 0

/** The server's child processes; each leads its own group, so a signal to the parent's group does not reach them. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean).map(Number) : []
}

/** A separate server that listens on loopback and a socket, with an empty database and no password. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number
  readonly folder: string
  readonly #bin: string
  #ended: Promise<unknown> = Promise.resolve()
  #pid: number | undefined

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin
    this.folder = folder
    this.port = port
  }

  static async start(): Promise<PostgresServer> {
    const bin = postgresPrograms()
    if (bin === null) throw new Error(NO_POSTGRES)
    const folder = mkdtempSync(join(tmpdir(), "fossick-postgres-"))
    const server = new PostgresServer(bin, folder, await freePort())
    if (isRoot()) {
      const id = (flag: string) => Number(execFileSync("id", [flag, USER], { encoding: "utf8" }))
      chownSync(folder, id("-u"), id("-g"))
    }
    chmodSync(folder, 0o755)
    server.#run("initdb", [
      "-D",
      join(folder, "data"),
      "-U",
      "fossick",
      "--auth=trust",
      "-E",
      "UTF8",
      "--locale=C",
    ])
    await server.up()
    server.#run("createdb", ["-h", folder, "-p", String(server.port), "-U", "fossick", "fossick"])
    return server
  }

  /** @param schema the schema in the database; `folder`: one for each data folder */
  url(schema = "folder"): string {
    return `postgres://fossick@127.0.0.1:${this.port}/fossick?schema=${schema}`
  }

  /** Connects through the server's Unix socket. */
  socketUrl(schema = "folder"): string {
    return `postgres://fossick@localhost:${this.port}/fossick?host=${encodeURIComponent(this.folder)}&schema=${schema}`
  }

  /** Starts or restarts the server. */
  async up(): Promise<void> {
    const [command, args] = this.#command("postgres", [
      `-D${join(this.folder, "data")}`,
      `-p${this.port}`,
      `-k${this.folder}`,
      "-h127.0.0.1",
      // Test data need not survive a power failure.
      "-cfsync=off",
      // Shared memory is kept in the server's own folder, which is removed: files in /dev/shm would remain after a
      // server is killed.
      "-cdynamic_shared_memory_type=mmap",
      "-cmax_connections=300",
      "-cshared_buffers=32MB",
    ])
    const isUp = () => this.#status("pg_isready", ["-h", this.folder, "-p", String(this.port), "-q"]) === 0
    let hasEnded = true
    do {
      // A killed server leaves processes behind for a moment, and no new server starts while they exist.
      if (hasEnded) {
        hasEnded = false
        const child = spawn(command, args, { stdio: "ignore", detached: true })
        endWithUs(child)
        this.#pid = child.pid
        this.#ended = new Promise((resolve) => {
          child.once("exit", () => {
            hasEnded = true
            resolve(undefined)
          })
        })
      }
      await pause(50)
    } while (!isUp())
  }

  /** Writes all commits to disk; without this, a killed server loses those of the last half second. */
  flush(): void {
    this.#run("psql", [
      "-h",
      this.folder,
      "-p",
      String(this.port),
      "-U",
      "fossick",
      "-c",
      "checkpoint",
      "fossick",
    ])
  }

  /** Ends the server as a power failure would, along with the processes that serve its connections (on Linux; elsewhere they keep running for a moment). */
  async kill(): Promise<void> {
    if (this.#pid !== undefined) {
      // A stopped server starts no more processes.
      process.kill(-this.#pid, "SIGSTOP")
      for (const pid of [...childrenOf(this.#pid), this.#pid]) process.kill(pid, "SIGKILL")
    }
    await this.#ended
    this.#pid = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #command(program: string, args: readonly string[]): [string, string[]] {
    const file = join(this.#bin, program)
    return isRoot()
      ? ["setpriv", [`--reuid=${USER}`, `--regid=${USER}`, "--clear-groups", file, ...args]]
      : [file, [...args]]
  }

  #run(program: string, args: readonly string[]): void {
    const [command, all] = this.#command(program, args)
    execFileSync(command, all, { stdio: "ignore", cwd: this.folder })
  }

  #status(program: string, args: readonly string[]): number | null {
    const [command, all] = this.#command(program, args)
    return spawnSync(command, all, { stdio: "ignore", cwd: this.folder }).status
  }
}
