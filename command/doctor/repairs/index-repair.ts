import { existsSync } from "node:fs"
import { join } from "node:path"
import { stateDamage } from "#base/store/sqlite/rebuild-state.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { LostPages } from "#crawler/crawl/frontier/lost-pages.ts"
import { checkIndex, repairIndex } from "#engine/lifecycle/generations/repair.ts"
import { openGenerations, openSearchEngine } from "#engine/open-engine.ts"
import type { Repair } from "./repair.ts"

/** Rebuilds the index from its readable pages. The other pages are fetched in the next run of their sources. */
export const indexRepair: Repair = {
  name: "index",
  async look(settings) {
    if (settings.engine !== "embedded") return []
    await using context = await openGenerations(settings)
    return (await checkIndex(context)).map(({ file, damage, wayBack }) => ({
      file,
      damage,
      wayBack,
      canRepair: true,
    }))
  },
  async mend(settings, signal) {
    const said: string[] = []
    {
      await using context = await openGenerations(settings)
      const { pages, lost } = await repairIndex(context, { signal })
      if (pages !== null) said.push(`The index was rebuilt with ${counted(pages)}.`)
      if (lost !== null && lost > 0) said.push(`${counted(lost)} could not be read.`)
    }
    if (!existsSync(join(settings.dataDir, "state.db")) || stateDamage(settings.dataDir).length > 0)
      return said
    using db = await openStateStore(settings.dataDir)
    await using engine = await openSearchEngine(settings)
    const lost = await new LostPages(db).find(engine, signal)
    if (lost > 0)
      said.push(
        `${counted(lost)} ${lost === 1 ? "is" : "are"} due at once: the next run of the source reads the lost pages again.`,
      )
    return said
  },
}

const counted = (pages: number): string => (pages === 1 ? "1 page" : `${pages} pages`)
