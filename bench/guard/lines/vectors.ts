import { cp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Measure } from "../ground.ts"

/** Each turn is a process of its own, as the crawler's is, on a copy of pages that have none. */
export const vectors: Measure = {
  lines: [{ name: "vectors", of: "CPU ms of a passage's vector" }],
  starts: 6,
  turns: 1,
  startsCold: true,
  async open(side, ground) {
    const pages = await ground.unfilled(side)
    const dataDir = join(side.scratch, "vectors")
    return {
      async turn() {
        await cp(pages, dataDir, { recursive: true })
        return { vectors: await ground.fill(side, dataDir) }
      },
      [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
    }
  },
}
