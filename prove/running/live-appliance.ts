import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Agent, fetch } from "undici"

import { pause } from "#base/flow/pause.ts"
import { WeekAppliance } from "../../bench/week/appliance.ts"
import type { MadeUpSite } from "./made-up-site.ts"

const LOOK_MS = 250
const KEY = "the-key-of-the-operator-of-this-proof"

/** The response to a call; status 0 means that there was none. */
export interface Reply {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
  /** Milliseconds until the last byte arrived. */
  readonly ms: number
}

/** Whether the call was refused as an overloaded server should refuse it: with a Retry-After. */
export const isRefusal = ({ status, retryAfter }: Reply): boolean =>
  (status === 429 || status === 503) && retryAfter !== null

/** `fossick start` over made-up sites, each as a separate source, in a temporary folder. */
export class LiveAppliance implements AsyncDisposable {
  readonly #held: AsyncDisposableStack
  readonly #appliance: WeekAppliance
  readonly dataDir: string
  readonly key = KEY
  /** The callers' connections. */
  #connections = new Agent()

  private constructor(appliance: WeekAppliance, dataDir: string, held: AsyncDisposableStack) {
    this.#appliance = appliance
    this.dataDir = dataDir
    this.#held = held
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<LiveAppliance> {
    await using opened = new AsyncDisposableStack()
    const folder = opened.adopt(mkdtempSync(join(tmpdir(), "fossick-live-")), (path) =>
      rmSync(path, { recursive: true, force: true }),
    )
    const dataDir = join(folder, "data")
    const appliance = opened.use(
      new WeekAppliance(folder, {
        FOSSICK_DATA_DIR: dataDir,
        FOSSICK_PORT: "0",
        FOSSICK_API_KEY: KEY,
        FOSSICK_METRICS: "open",
        FOSSICK_HANDBOOK: "off",
        FOSSICK_LOG_LEVEL: "warn",
        FOSSICK_ALLOWED_NETWORKS: "127.0.0.0/8",
        FOSSICK_ROLLBACK_DAYS: "0",
        ...settings,
      }),
    )
    await appliance.start()
    const live = new LiveAppliance(appliance, dataDir, opened.move())
    await live.until(async () => (await live.call("/readyz")).status === 200)
    return live
  }

  get url(): string {
    return this.#appliance.url
  }

  /** Id of the supervisor's process. */
  get pid(): number {
    return this.#appliance.pid
  }

  /** Makes a GET request, or a POST request if there is a body, or a request with another method; never rejects. */
  async call(
    path: string,
    body?: unknown,
    {
      method = body === undefined ? "GET" : "POST",
      key = KEY,
      signal,
    }: { method?: string; key?: string; signal?: AbortSignal } = {},
  ): Promise<Reply> {
    const began = performance.now()
    try {
      const response = await fetch(new URL(path, this.url), {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
        dispatcher: this.#connections,
      })
      const text = await response.text()
      const retryAfter = response.headers.get("retry-after")
      return { status: response.status, retryAfter, text, ms: performance.now() - began }
    } catch (error) {
      const because = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
      const text = `${String(error)}${because}`
      return { status: 0, retryAfter: null, text, ms: performance.now() - began }
    }
  }

  /** Closes the callers' idle connections once their requests are answered; the appliance would otherwise keep them for 75 s, as `fetch` does. */
  async hangUp(): Promise<void> {
    const kept = this.#connections
    this.#connections = new Agent()
    await kept.close()
  }

  /** @throws Error if the call is refused */
  async ask<T>(path: string, body?: unknown, method?: string): Promise<T> {
    const { status, text } = await this.call(path, body, method === undefined ? {} : { method })
    if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`)
    return (text === "" ? null : JSON.parse(text)) as T
  }

  /** Waits until the condition is true. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await pause(LOOK_MS)
  }

  /** Declares a site as a source of this name. */
  async declare(name: string, site: MadeUpSite, more: object = {}): Promise<void> {
    await this.ask(`/admin/sources/${name}`, { seeds: site.seed, ...more }, "PUT")
  }

  /** Crawls a source. @returns how the run ended */
  async crawl(name: string): Promise<string> {
    const { id } = await this.ask<{ readonly id: number }>(`/admin/sources/${name}/run`, {})
    for (;;) {
      const { state } = await this.ask<{ readonly state: string }>(`/admin/jobs/${id}`)
      if (state !== "queued" && state !== "running") return state
      await pause(LOOK_MS)
    }
  }

  /** All metrics of `/metrics`, by name with labels. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const { text } = await this.call("/metrics")
    return new Map(
      text.split("\n").flatMap((line): [string, number][] => {
        const at = line.lastIndexOf(" ")
        return line.startsWith("#") || at < 0 ? [] : [[line.slice(0, at), Number(line.slice(at + 1))]]
      }),
    )
  }

  /** How much of a limit is used. */
  async used(bound: string): Promise<number> {
    return (await this.metrics()).get(`fossick_bound_used{bound="${bound}"}`) ?? Number.NaN
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections.destroy()
    await this.#held.disposeAsync()
  }
}
