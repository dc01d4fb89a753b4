import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { openStateStore } from "#base/store/state-store.ts"
import { settleRemovals } from "../settle-removals.ts"

// For a test: judges the last run and is killed after the engine has removed the pages but before the state is updated.

const settings = readSettings(engineSettings, environment())
const db = await openStateStore(settings.dataDir)
const engine = await openEngine(settings, { mode: "write" })
const remove = engine.remove.bind(engine)
engine.remove = async (urls) => {
  await remove(urls)
  process.kill(process.pid, "SIGKILL")
}
const [job] = await new Jobs(db).list({ limit: 1 })
if (job) await settleRemovals({ db, engine, job })
