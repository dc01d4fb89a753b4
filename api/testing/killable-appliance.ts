import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

import { onTestFinished } from "vitest"

import { readSettings } from "#base/settings.ts"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"
import { freePort } from "#base/testing/free-port.ts"
import { until } from "#base/testing/until.ts"
import { temporaryFolder } from "#crawler/testing/crawl-fixture.ts"
import type { PageUrl } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { startCheapVectors } from "#engine/testing/model-server.ts"

const KEY = "a-key-that-only-this-test-knows"
const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")

/** An appliance that can be killed with all its processes, and started again on the same folder and port. */
export class KillableAppliance {
  readonly url: string
  readonly key = KEY
  /** Folder that contains the data folder, and any other files of a test. */
  readonly folder: string
  readonly #env: Readonly<Record<string, string | undefined>>
  #child: ReturnType<typeof spawn> | null = null

  constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.url = `http://127.0.0.1:${port}`
    this.folder = folder
    this.#env = {
      ...CHILD_ENV,
      ...settings,
      FOSSICK_DATA_DIR: join(folder, "data"),
      FOSSICK_PORT: String(port),
      FOSSICK_API_KEY: KEY,
      FOSSICK_HANDBOOK: "off",
      FOSSICK_UNIT_READER: "off",
      FOSSICK_LOG_LEVEL: "error",
      FOSSICK_RATE_LIMITS: "",
    }
  }

  async start(): Promise<void> {
    // Its own process group, so that all of its processes die at once.
    this.#child = spawn(process.execPath, [FOSSICK, "start"], {
      env: this.#env,
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    })
    endWithUs(this.#child)
    await until(async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok === true, 50)
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#child = null
    process.kill(-child.pid!, "SIGKILL")
    await once(child, "exit")
  }

  /** @throws Error for a refusal, TypeError when there is no response */
  async call(path: string, body: unknown, method = "POST"): Promise<Record<string, unknown>> {
    return await this.#asked(path, { method, body: JSON.stringify(body) })
  }

  /** Like {@link call}, but sends a GET request. */
  async read(path: string): Promise<Record<string, unknown>> {
    return await this.#asked(path, {})
  }

  async #asked(path: string, init: RequestInit): Promise<Record<string, unknown>> {
    const answer = await fetch(this.url + path, {
      ...init,
      headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  /** Whether the index has exactly these texts under these addresses. */
  async holds(expected: ReadonlyMap<string, string>): Promise<boolean> {
    const settings = readSettings(engineSettings, this.#env as NodeJS.ProcessEnv)
    await using engine = await openEngine(settings, { mode: "read" })
    for (const [url, text] of expected)
      if ((await engine.get(url as PageUrl))?.markdown.trim() !== text) return false
    return (await engine.stats()).pages === expected.size
  }
}

/** Returns an appliance that has not been started yet. It is killed after the test that asks for it. */
export async function killableAppliance(): Promise<KillableAppliance> {
  const folder = temporaryFolder()
  const vectors = await startCheapVectors()
  const appliance = new KillableAppliance(folder.path, await freePort(), vectors.settings)
  onTestFinished(async () => {
    await appliance.kill()
    await vectors[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  return appliance
}
