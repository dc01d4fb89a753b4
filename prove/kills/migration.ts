import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { freePort } from "#base/testing/free-port.ts"
import { unpackOldIndex } from "#engine/adapters/embedded/testing/old-indexes.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { urlOf } from "#engine/testing/pages.ts"
import { Appliance, type Victim } from "./appliance.ts"
import { until } from "./books.ts"
import { type Chance } from "#base/testing/chance.ts"

/** Time limit: longer than it takes to upgrade an older index of eleven pages. */
const WITHIN_MS = 4000
/** Number of pages in the older index. */
const PAGES = 11

/**
 * Starts the appliance on an index from an older version, and kills it while it is upgrading the index.
 * @param share share of the time limit within which the kill can come; a smaller share makes it come sooner
 */
export async function migrationRound(random: Chance, share: number) {
  const folder = mkdtempSync(join(tmpdir(), "fossick-migration-"))
  const victim: Victim = random.one(["all", "job", "api", "crawler"] as const)
  const afterMs = Math.round(random.next() * WITHIN_MS * share)
  try {
    await unpackOldIndex(join(folder, "index"))
    await using models = await startModelServer({ embedder: new HashingEmbedder() })
    const env = {
      FOSSICK_DATA_DIR: folder,
      FOSSICK_HANDBOOK: "off",
      FOSSICK_LOG_LEVEL: "warn",
      FOSSICK_EMBEDDINGS_URL: `${models.url}/v1`,
      FOSSICK_EMBEDDINGS_MODEL: "words-a",
    }
    await using appliance = new Appliance(env, await freePort(), "the-key-of-an-older-appliance")
    appliance.start()
    const isKilled = await appliance.killAfter(victim, afterMs)
    const readyMs = [await appliance.ready()]
    return { victim, isKilled, afterMs, readyMs, faults: await isTakenOver(appliance) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function isTakenOver(appliance: Appliance): Promise<string[]> {
  let pages = -1
  const isWhole = await until(async () => {
    pages = (await appliance.ask<{ index: { pages: number } }>("/admin/index")).index.pages
    return pages === PAGES
  })
  const { results } = await appliance.ask<{ results: { url: string; raw_content: string | null }[] }>(
    "/search",
    {
      query: "a spring tide",
      include_raw_content: "text",
    },
  )
  const tides = results.find(({ url }) => url === urlOf("tides"))?.raw_content ?? ""
  return [
    ...(isWhole ? [] : [`${pages} of ${PAGES} pages of the older index were migrated`]),
    ...(tides.includes("Neaps")
      ? []
      : [`a page of the older index is not found whole: ${tides.slice(0, 200)}`]),
  ]
}
