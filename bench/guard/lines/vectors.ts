import { existsSync } from "node:fs"
import { cp, rm } from "node:fs/promises"
import { join } from "node:path"
import { makeVectors, type Measure } from "../ground.ts"

/** Vectors are made for only every nth page, because making them takes a long time. */
const FILLED = 12

/** Each turn is a separate process, like the crawler's, on a copy of an index without vectors. */
export const vectors: Measure = {
  lines: [{ name: "vectors", of: "CPU ms of a passage's vector" }],
  starts: 6,
  turns: 1,
  startsCold: true,
  async open(side, ground) {
    const pages = join(side.scratch, "unfilled")
    if (!existsSync(pages)) await ground.putPages(side, pages, FILLED)
    const dataDir = join(side.scratch, "vectors")
    return {
      async turn() {
        await cp(pages, dataDir, { recursive: true })
        return { vectors: await makeVectors(side, dataDir) }
      },
      [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
    }
  },
}
