// Reads pages as a crawl's reading thread does: `node reading.ts <root> <file of pages>`.
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type * as Read from "#crawler/page/read-body.ts"
import type { OwnPage } from "../../corpora/documentation-pages.ts"
import type { Measure } from "../ground.ts"
import { startTurns } from "../run.ts"

/** A turn reads every nth page, and the next turn reads other pages. */
const SLICES = 7

export const reading: Measure = {
  lines: [{ name: "reading", of: "CPU ms of reading a page" }],
  starts: 6,
  turns: 2 * SLICES,
  startsCold: false,
  async open(side, ground) {
    const file = join(ground.scratch, "html.json")
    await writeFile(file, JSON.stringify(await ground.html()))
    return await startTurns(side, import.meta.filename, [file])
  },
}

async function answerTurns(root: string, file: string): Promise<void> {
  const { readBody } = (await import(join(root, "crawler/page/read-body.ts"))) as typeof Read
  const pages = (JSON.parse(await readFile(file, "utf8")) as OwnPage[]).map(({ site, path, html }) => ({
    url: site + path,
    kind: "html" as const,
    contentType: "text/html",
    charset: "utf-8",
    body: Buffer.from(html),
  }))
  for (const page of pages) await readBody(page)
  let turn = 0
  const readSlice = async () => {
    const slice = pages.filter((_, i) => i % SLICES === turn % SLICES)
    turn += 1
    const before = process.cpuUsage()
    for (const page of slice) await readBody(page)
    const { user, system } = process.cpuUsage(before)
    return { reading: (user + system) / 1000 / slice.length }
  }
  process.on("message", () => void readSlice().then((figures) => process.send?.(figures)))
  process.once("disconnect", () => process.exit())
  process.send?.("ready")
}

if (import.meta.main) await answerTurns(process.argv[2]!, process.argv[3]!)
