import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { miscounted, recount } from "#base/store/rows/counts.ts"
import { canRebuildState, rebuildState, stateDamage } from "#base/store/sqlite/rebuild-state.ts"
import { otherGeneration } from "#base/store/state-generation.ts"
import { stateServer } from "#base/store/postgres/state-location.ts"
import { hasTable } from "#base/store/rows/tables.ts"
import { SqliteStore } from "#base/store/sqlite/sqlite-store.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { LostPages } from "#crawler/crawl/frontier/lost-pages.ts"
import { IMAGE_COUNTS } from "#crawler/upkeep/images/image-counts.ts"
import { damagedThumbnails, ImageStore } from "#crawler/upkeep/images/image-store.ts"
import { STORED_CALLS } from "../../../api/identity/accounts/call-log.ts"
import { STORED_FEEDBACK } from "../../../api/identity/accounts/feedback-store.ts"
import { STORED_KEYS } from "../../../api/identity/accounts/keys/keys.ts"
import { storedCount } from "../../../api/identity/accounts/storage/stored-use.ts"
import { STORED_REQUESTS } from "../../../api/identity/accounts/page-request-store.ts"
import { STORED_FRONTIERS, STORED_JOBS, STORED_RESULTS } from "../../../api/doors/firecrawl/jobs/job-store.ts"
import { STORED_TASKS } from "../../../api/services/research/task-store.ts"
import { STORED_WATCHES } from "../../../api/services/watches/store/watch-tables.ts"
import type { Damaged, Repair } from "./repair.ts"

const COUNTS = [
  ...[
    STORED_CALLS,
    STORED_FEEDBACK,
    STORED_FRONTIERS,
    STORED_JOBS,
    STORED_KEYS,
    STORED_REQUESTS,
    STORED_RESULTS,
    STORED_TASKS,
    ...STORED_WATCHES,
  ].map((stored) => storedCount(stored)),
  ...IMAGE_COUNTS,
]
const WAIT_MS = 2000

/** A database server takes care of its own files; a state.db beside it is not in use. */
const isOnServer = (dataDir: string): boolean => stateServer(dataDir) !== null

/** Repairs `state.db` by rewriting it from its tables, if all of them can be read. */
export const stateRepair: Repair = {
  name: "state.db",
  async look({ dataDir }) {
    const damage = isOnServer(dataDir) ? [] : stateDamage(dataDir)
    if (damage.length === 0) return []
    const canRepair = canRebuildState(dataDir)
    return [
      {
        file: "state.db",
        damage: `is damaged (${damage.join("; ")})`,
        wayBack: canRepair
          ? "All its tables can be read, so it can be rewritten from them. The old file stays beside it as state.db.damaged-…"
          : "Not all its tables can be read. Restore a backup (fossick restore); without one, move state.db, state.db-wal, state.db-shm and state.id away: keys, sources and usage then start out empty, and the index is kept.",
        canRepair,
      },
    ]
  },
  async mend({ dataDir }) {
    const aside = rebuildState(dataDir, new Date())
    return aside === null
      ? []
      : [
          `state.db was rewritten. The old file is ${aside} in the data folder; remove it if nothing is missing.`,
        ]
  },
}

/** Checks stored counters against the rows they count. */
export const countRepair: Repair = {
  name: "counts",
  look: async ({ dataDir }) =>
    reading(dataDir, async (db) =>
      (
        await Promise.all(
          COUNTS.map(async (count): Promise<Damaged[]> => {
            const wrong = await miscounted(db, count)
            if (wrong === 0) return []
            const damage = `has ${wrong === 1 ? "1 count that differs" : `${wrong} counts that differ`} from the stored rows`
            return [
              {
                file: `${count.of} in state.db`,
                damage,
                wayBack: "A repair counts them again.",
                canRepair: true,
              },
            ]
          }),
        )
      ).flat(),
    ),
  async mend({ dataDir }) {
    using db = await openStateStore(dataDir)
    for (const count of COUNTS) if ((await miscounted(db, count)) > 0) await recount(db, count)
    return []
  },
}

/** Reports pages that crawls put into the index, but that it can no longer show: only their sites still have them. */
export const lostPages: Repair = {
  name: "lost pages",
  look: async ({ dataDir }) =>
    reading(dataDir, async (db) => {
      const lost = (await hasTable(db, "lost_page")) ? await new LostPages(db).count() : 0
      if (lost === 0) return []
      const damage = `has lost ${lost === 1 ? "1 page" : `${lost} pages`} that crawls had added`
      const wayBack =
        "The pages are due: the next run of their sources reads them again. To read them now, start the appliance and run fossick sources run <name>."
      return [{ file: "the index", damage, wayBack, canRepair: false }]
    }),
  mend: async () => [],
}

/** Repairs thumbnails of images by having each one made again when its image is next viewed. */
export const thumbnailRepair: Repair = {
  name: "thumbnails",
  look: async ({ dataDir }) =>
    reading(dataDir, async (db) =>
      (await hasTable(db, "image"))
        ? (await damagedThumbnails(db, dataDir)).map(({ file, damage }) => ({
            file,
            damage,
            wayBack: "A running appliance will fetch and check the image again.",
            canRepair: true,
          }))
        : [],
    ),
  async mend({ dataDir }) {
    using db = await openStateStore(dataDir)
    const images = new ImageStore(db, dataDir)
    const damaged = await damagedThumbnails(db, dataDir)
    await images.makeAgain(damaged.map(({ id }) => id))
    return [
      `${damaged.length === 1 ? "1 image" : `${damaged.length} images`} will be checked again after the next start.`,
    ]
  },
}

/**
 * Opens `state.db` read-only. {@link stateRepair} reports an unreadable file, and the doctor's state check reports a
 * different version.
 */
async function reading(
  dataDir: string,
  ask: (db: StateStore) => Promise<readonly Damaged[]>,
): Promise<readonly Damaged[]> {
  const file = join(dataDir, "state.db")
  if (isOnServer(dataDir) || !existsSync(file) || stateDamage(dataDir).length > 0) return []
  using db = new SqliteStore(new DatabaseSync(file, { readOnly: true, timeout: WAIT_MS }))
  if ((await otherGeneration(db)) !== null) return []
  try {
    return await ask(db)
  } catch (error) {
    if (/no such table|readonly/.test((error as Error).message)) return []
    throw error
  }
}
