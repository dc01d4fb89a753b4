import { cp, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "#base/testing/free-port.ts"
import {
  MB,
  memoryOf,
  processTree,
  residentTogether,
  stopProcess,
  treeCpuSeconds,
  untilAnswers,
} from "../../measure.ts"
import { askable } from "../../questions/ask-api.ts"
import type { Measure } from "../ground.ts"
import { startOwn } from "../run.ts"

/** How long to wait until everything that is loaded after the start has been loaded. */
const REST_MS = 5000

/** Starts the whole appliance with the `fossick start` command, on an existing index. */
export const resting: Measure = {
  lines: [
    { name: "start", of: "CPU ms until ready" },
    { name: "ready", of: "ms from start to ready" },
    { name: "rest", of: "MB resident, 5 s after ready" },
  ],
  starts: 5,
  turns: 1,
  startsCold: true,
  async open(side, ground) {
    const dataDir = join(side.scratch, "resting")
    await cp(await ground.index(side), dataDir, { recursive: true })
    return {
      async turn() {
        const port = await freePort()
        const began = performance.now()
        const appliance = startOwn(side, ["command/fossick.js", "start"], askable(dataDir, port))
        try {
          await untilAnswers(appliance, `http://127.0.0.1:${port}/readyz`)
          const ready = performance.now() - began
          const start = treeCpuSeconds(appliance.pid!) * 1000
          await sleep(REST_MS)
          return { start, ready, rest: residentTogether(processTree(appliance.pid!).map(memoryOf)) / MB }
        } finally {
          await stopProcess(appliance)
        }
      },
      [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
    }
  },
}
