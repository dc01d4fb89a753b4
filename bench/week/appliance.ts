import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { endWithUs } from "#base/testing/end-with-us.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const LOOK_MS = 1500

/** A run of a source, as the admin API shows it. */
export interface Run {
  readonly id: number
  readonly source: string
  readonly state: string
  readonly result: string | null
  readonly reason: string | null
  readonly note: string | null
  readonly outcomes: Readonly<Record<string, number>>
  readonly changes: { readonly new: number; readonly changed: number; readonly gone: number }
  readonly started_at: string | null
  readonly ended_at: string | null
}

/** A command's output and exit status. */
export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** An appliance set up as an operator would: `fossick start` in a folder with `fossick.env` and `sources.yaml`. */
export class WeekAppliance implements AsyncDisposable {
  readonly #folder: string
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  url = ""
  /** The key that the first start showed. */
  #key = ""

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env }
  }

  /** Starts the appliance, with its log in `appliance.log`; resolves when its first screen appears. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [FOSSICK, "start"], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    this.#child = child
    endWithUs(child)
    let screen = ""
    const shown = Promise.withResolvers<void>()
    const take = (chunk: Buffer) => {
      appendFileSync(join(this.#folder, "appliance.log"), chunk)
      screen += chunk.toString()
      if (screen.includes("Ctrl-C")) shown.resolve()
    }
    child.stdout?.on("data", take)
    child.stderr?.on("data", take)
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the appliance exited with code ${code}:\n${screen.slice(-3000)}`)
    })
    await Promise.race([shown.promise, ended])
    // The appliance may end later, which the next request will notice.
    ended.catch(() => {})
    this.url = /Address +(\S+)/.exec(screen)?.[1] ?? this.url
    // Later starts show only the first characters of the key.
    if (this.#key === "") this.#key = /API key +(\S+)/.exec(screen)?.[1] ?? ""
  }

  /** Stops the appliance as a service manager would. @returns the exit code */
  async stop(): Promise<number | null> {
    const child = this.#child
    if (!child || child.exitCode !== null) return child?.exitCode ?? null
    const exit = once(child, "exit")
    child.kill("SIGTERM")
    await exit
    return child.exitCode
  }

  /** Uses the key of another appliance, whose accounts were copied to this one. */
  trust(other: WeekAppliance): void {
    this.#key = other.#key
  }

  /** Process id of the supervisor, the first process that `fossick start` starts. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Runs one of the operator's commands on the same folder and settings. */
  async command(...args: readonly string[]): Promise<Said> {
    const child = spawn(process.execPath, [FOSSICK, ...args], { cwd: this.#folder, env: this.#env })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.stdin.end()
    const [code] = (await once(child, "close")) as [number | null]
    return { code, out, err }
  }

  /** Calls the appliance's API with the first key. @throws Error with the response, unless the call succeeded */
  async call<T>(path: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, this.url), {
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return (response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text) as T
  }

  /** Runs of sources, newest first. */
  async runs(limit = 200): Promise<Run[]> {
    return (await this.call<{ jobs: Run[] }>(`/admin/jobs?limit=${limit}`)).jobs
  }

  /** Waits until no run is waiting or working. @throws Error after `minutes`. */
  async rest(minutes: number, see: (runs: readonly Run[]) => void = () => {}): Promise<void> {
    const deadline = Date.now() + minutes * 60_000
    for (;;) {
      const runs = await this.runs()
      see(runs)
      if (!runs.some(({ state }) => state === "queued" || state === "running")) return
      if (Date.now() > deadline) throw new Error("runs are still under way")
      await sleep(LOOK_MS)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
