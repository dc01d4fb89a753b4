import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { endWithUs } from "#base/testing/end-with-us.ts"
import { CHILD_ENV } from "#base/testing/child-env.ts"

const FOSSICK = join(import.meta.dirname, "../../command/fossick.js")

export interface Appliance extends AsyncDisposable {
  readonly url: string
  /** The key that the first start printed. */
  readonly apiKey: string
  /** The appliance's output so far. */
  output(): string
  /** Runs `fossick crawl` with these arguments on the appliance's data folder; fails when the crawl does. */
  crawl(...args: readonly string[]): Promise<void>
  /** Sends SIGTERM to the supervisor, or SIGINT to all its processes as a terminal does, and reports how it ended. */
  stop(how?: "SIGTERM" | "Ctrl-C"): Promise<{ code: number | null; processesLeft: boolean }>
}

/** Runs `fossick start` with its own folder and port, and waits until its first screen is shown. */
export async function startAppliance(env: Readonly<Record<string, string>> = {}): Promise<Appliance> {
  const dataDir = await mkdtemp(join(tmpdir(), "fossick-appliance-"))
  // Runs in its own process group, so that any process it leaves behind can be found.
  const settings = {
    ...CHILD_ENV,
    FOSSICK_DATA_DIR: dataDir,
    FOSSICK_PORT: "0",
    // Loading the unit reader takes a third of the startup time; tests of answers turn it on.
    FOSSICK_UNIT_READER: "off",
    ...env,
  }
  const child = spawn(process.execPath, [FOSSICK, "start"], {
    env: settings,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  endWithUs(child)
  let text = ""
  const screen = Promise.withResolvers<void>()
  const take = (chunk: Buffer) => {
    text += chunk.toString()
    if (text.includes("Ctrl-C")) screen.resolve()
  }
  child.stdout.on("data", take)
  child.stderr.on("data", take)
  const exited = once(child, "exit")
  await Promise.race([
    screen.promise,
    exited.then(([code]) => {
      throw new Error(`The appliance exited with code ${code}:\n${text}`)
    }),
  ])
  const stop = async (how: "SIGTERM" | "Ctrl-C" = "SIGTERM") => {
    if (child.exitCode === null) {
      if (how === "SIGTERM") child.kill(how)
      else process.kill(-child.pid!, "SIGINT")
    }
    await exited
    return { code: child.exitCode, processesLeft: isAlive(-child.pid!) }
  }
  return {
    url: /Address +(\S+)/.exec(text)![1]!,
    apiKey: /API key +(\S+)/.exec(text)![1]!,
    output: () => text,
    async crawl(...args) {
      await promisify(execFile)(process.execPath, [FOSSICK, "crawl", ...args], { env: settings })
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      if (isAlive(-child.pid!)) process.kill(-child.pid!, "SIGKILL")
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Whether a process, or for a negative id a process group, exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
