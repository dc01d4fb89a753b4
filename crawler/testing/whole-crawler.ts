import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { CHILD_ENV } from "#base/testing/child-env.ts"
import { endWithUs } from "#base/testing/end-with-us.ts"

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url))

/** The crawler of an appliance with all its processes. */
export class WholeCrawler {
  readonly #child
  readonly #ended: Promise<unknown>

  constructor(dataDir: string, settings: Readonly<Record<string, string>>) {
    const env = { ...CHILD_ENV, ...settings, FOSSICK_DATA_DIR: dataDir, FOSSICK_LOG_LEVEL: "error" }
    // The process has a group of its own, so that all of its processes can be killed at once.
    this.#child = spawn(process.execPath, [MAIN], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    })
    endWithUs(this.#child)
    this.#ended = once(this.#child, "exit")
  }

  async kill(): Promise<void> {
    process.kill(-this.#child.pid!, "SIGKILL")
    await this.#ended
  }
}
