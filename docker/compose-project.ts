import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

// A Compose project used in trials, run with `docker compose` or `docker-compose`, whichever is installed.

const ROOT = join(import.meta.dirname, "..")
const POLL_MS = 500

export interface Container {
  readonly id: string
  readonly service: string
  readonly state: string
  /** Empty if the container has no health check. */
  readonly health: string
  readonly exitCode: number
  /** Number of restarts. */
  readonly restarts: number
}

interface Inspected {
  readonly Id: string
  readonly RestartCount: number
  readonly Config: { readonly Labels: Readonly<Record<string, string>> }
  readonly State: {
    readonly Status: string
    readonly ExitCode: number
    readonly Health?: { readonly Status: string }
  }
}

export interface ComposeOptions {
  readonly name: string
  /** Paths relative to the root of the repository, or absolute. */
  readonly files: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** How long {@link ComposeProject.until} waits. */
  readonly patienceMs: number
}

export class ComposeProject {
  readonly #name: string
  readonly #files: readonly string[]
  readonly #env: NodeJS.ProcessEnv
  readonly #patienceMs: number
  readonly #program: readonly [string, ...string[]]

  constructor({ name, files, env, patienceMs }: ComposeOptions) {
    this.#name = name
    this.#files = files
    this.#env = { ...process.env, ...env }
    this.#patienceMs = patienceMs
    const isPlugin = spawnSync("docker", ["compose", "version"], { env: this.#env }).status === 0
    this.#program = isPlugin ? ["docker", "compose"] : ["docker-compose"]
  }

  /** @returns the command's standard output; if it fails, the error contains the rest of its output */
  async compose(...args: readonly string[]): Promise<string> {
    const [program, ...before] = this.#program
    const files = this.#files.flatMap((file) => ["--file", file])
    return await this.#run(program, [...before, "--project-name", this.#name, ...files, ...args])
  }

  async docker(...args: readonly string[]): Promise<string> {
    return await this.#run("docker", args)
  }

  async inside(service: string, ...command: readonly string[]): Promise<string> {
    return await this.compose("exec", "-T", service, ...command)
  }

  async containers(): Promise<readonly Container[]> {
    const filter = `label=com.docker.compose.project=${this.#name}`
    const ids = (await this.docker("ps", "--all", "--quiet", "--no-trunc", "--filter", filter)).trim()
    if (ids === "") return []
    const found = JSON.parse(await this.docker("inspect", ...ids.split("\n"))) as readonly Inspected[]
    return found.map(({ Id, RestartCount, Config, State }) => ({
      id: Id,
      service: Config.Labels["com.docker.compose.service"] ?? "",
      state: State.Status,
      health: State.Health?.Status ?? "",
      exitCode: State.ExitCode,
      restarts: RestartCount,
    }))
  }

  async container(service: string): Promise<Container> {
    const found = (await this.containers()).find((one) => one.service === service)
    if (found === undefined) throw new Error(`there is no ${service}`)
    return found
  }

  /** Waits until all containers are healthy, except those of services that are meant to exit. */
  async healthy(ending: readonly string[]): Promise<void> {
    await this.until(async () => {
      const unwell = (await this.containers()).filter(
        ({ health, service }) => health !== "healthy" && !ending.includes(service),
      )
      return unwell.map(({ service, state, health }) => `${service} is ${state} ${health}`).join(", ") || null
    })
  }

  /** Waits until there are no more problems. @param look returns the current problem */
  async until(look: () => Promise<string | null>): Promise<void> {
    let state: string | null = "nothing yet"
    for (const end = Date.now() + this.#patienceMs; Date.now() < end; await sleep(POLL_MS)) {
      state = await look()
      if (state === null) return
    }
    throw new Error(`after ${this.#patienceMs / 1000} s: ${state}`)
  }

  /** Kills all processes of a service except its init, as the out-of-memory killer would, and waits until Docker has restarted it. */
  async kill(service: string): Promise<void> {
    const { id, restarts } = await this.container(service)
    await this.docker("exec", id, "sh", "-c", "kill -9 -1")
    await this.until(async () => {
      const now = (await this.containers()).find((one) => one.id === id)
      return now !== undefined && now.restarts > restarts ? null : `${service} was not started again`
    })
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const child = spawn(program, args, { cwd: ROOT, env: this.#env, stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part))
    child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part))
    const [code] = (await once(child, "close")) as [number | null]
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} exited with code ${code}:\n${err || out}`)
    return out
  }
}
