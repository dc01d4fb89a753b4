import { execFile, spawn } from "node:child_process"
import { promisify } from "node:util"
import { join } from "node:path"

import { environment } from "#base/settings.ts"

import { processTree } from "../../bench/measure.ts"
import { given } from "./given.ts"
import type { Said } from "./hooks-and-feeds.ts"
import type { Marks } from "./marks.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")
const asFile = promisify(execFile)
const QUIET_MS = 200
export const PATIENCE = 300

/** An attempted use of the appliance, and whether it succeeded. */
export interface Used {
  readonly part: string
  readonly isGood: boolean
}

/** How to call an appliance: with the operator's key unless another one is given; an empty key means none. */
export type Call = RequestInit & { readonly key?: string }

export interface Answer extends Said {
  readonly headers: Headers
}

/** An appliance that was given secrets. Collects all its output. */
export class MarkedAppliance {
  /** Texts and files that must contain no secret, each with its origin. */
  readonly places: [string, Uint8Array][] = []
  readonly used: Used[] = []
  /** Settings that contain a secret. */
  readonly wasGiven = new Set<string>()
  readonly env: Record<string, string>
  readonly url: string
  readonly #folder: string
  readonly #marks: Marks
  readonly #tell: (line: string) => void

  constructor(folder: string, env: Record<string, string>, marks: Marks, tell: (line: string) => void) {
    this.#folder = folder
    this.env = env
    this.url = `http://127.0.0.1:${env["FOSSICK_PORT"]}`
    this.#marks = marks
    this.#tell = tell
  }

  /** Stores a text that must not contain a secret. */
  keep(where: string, what: string | Uint8Array): void {
    this.places.push([where, typeof what === "string" ? Buffer.from(what) : what])
  }

  saw(part: string, isGood: boolean): void {
    this.#tell(`${part}: ${isGood ? "done" : "NOT DONE"}`)
    this.used.push({ part, isGood })
  }

  /** Runs a command with more settings. */
  fossick(
    more: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<{ code: number; out: string }> {
    this.#noteGiven(more)
    return new Promise((done) => {
      execFile(
        process.execPath,
        [FOSSICK, ...args],
        { cwd: this.#folder, env: { ...this.env, ...more }, maxBuffer: 64_000_000 },
        (error, out, err) => {
          this.keep(`fossick ${args.join(" ")}`, `${out}\n${err}`)
          done({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}\n${err}` })
        },
      )
    })
  }

  /** Creates a key; the command prints its secret. */
  async makeKey(): Promise<string> {
    const how = { cwd: this.#folder, env: this.env }
    const { stdout } = await asFile(process.execPath, [FOSSICK, "keys", "create", "--json"], how)
    return (JSON.parse(stdout) as { readonly key: string }).key
  }

  async call(path: string, init: Call = {}): Promise<Answer> {
    const { key = this.env["FOSSICK_API_KEY"]!, headers, ...rest } = init
    const response = await fetch(this.url + path, {
      ...rest,
      headers: {
        ...(key !== "" && { Authorization: `Bearer ${key}` }),
        ...(rest.body != null && { "Content-Type": "application/json" }),
        ...(headers as Record<string, string>),
      },
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    const said = JSON.stringify([...response.headers].filter(([name]) => name !== "set-cookie"))
    return { status: response.status, text, headers: response.headers, said: `${said}\n${text}` }
  }

  post(path: string, body: object, more: Call = {}): Promise<Answer> {
    return this.call(path, { method: "POST", body: JSON.stringify(body), ...more })
  }

  /** Makes a call and keeps the answer under `name`. */
  async keepCall(name: string, path: string, init: Call = {}): Promise<Answer> {
    const answer = await this.call(path, init)
    this.keep(name, answer.said)
    return answer
  }

  async keepPost(name: string, path: string, body: object, more: Call = {}): Promise<Answer> {
    return await this.keepCall(name, path, { method: "POST", body: JSON.stringify(body), ...more })
  }

  runSource(name: string): Promise<Answer> {
    return this.call(`/admin/sources/${name}/run`, { method: "POST" })
  }

  /** Runs the appliance while it is being used, and stores its log. */
  async run(format: "text" | "json", use: (pids: readonly number[]) => Promise<void>): Promise<void> {
    this.#noteGiven()
    const child = spawn(process.execPath, [FOSSICK, "start"], {
      cwd: this.#folder,
      env: { ...this.env, FOSSICK_LOG_FORMAT: format },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)))
    const ended = new Promise((done) => child.once("close", done))
    try {
      let isUp = false
      for (let tries = 0; tries < PATIENCE && !isUp; tries += 1) {
        await quiet()
        isUp = await this.isUp()
      }
      if (!isUp) throw new Error(`it did not start: ${text.slice(-1000)}`)
      await use(processTree(child.pid!))
    } finally {
      child.kill("SIGTERM")
      await ended
      this.keep(`the log (${format})`, text)
    }
  }

  async isUp(): Promise<boolean> {
    const { status } = await this.call("/healthz").catch(() => ({ status: 0 }))
    return status === 200
  }

  #noteGiven(more: Readonly<Record<string, string>> = {}): void {
    for (const name of given(environment({ ...this.env, ...more }), this.#marks)) this.wasGiven.add(name)
  }
}

export const quiet = (): Promise<void> => new Promise((done) => setTimeout(done, QUIET_MS))
