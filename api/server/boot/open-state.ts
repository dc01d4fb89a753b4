import type { Logger } from "pino"

import { DiskRoom, unwritableMessage } from "#base/disk-space.ts"
import { keepOutbound } from "#base/outbound/outbound.ts"
import { clockInDoubt, DOUBT_ADVICE } from "#base/store/clock/trusted-time.ts"
import { openStateOnceThere } from "#base/store/postgres/outage.ts"
import { keepAlive } from "#base/store/processes/keep-alive.ts"
import { strangeState, STRANGE_STATE_ADVICE } from "#base/store/state-identity.ts"
import { isOnServer, openStateStore, type StateStore } from "#base/store/state-store.ts"
import { BackupTable } from "#crawler/upkeep/backup/scheduled/backup-table.ts"
import { LostPages } from "#crawler/crawl/frontier/lost-pages.ts"
import { Jobs } from "#crawler/jobs/jobs.ts"

import { openAccounts } from "../../identity/accounts/accounts.ts"
import { openPeople } from "../../identity/sign-on/file/declared.ts"
import { Journal } from "../outage/journal.ts"
import { REMEMBERED_MS, StateOutage } from "../outage/state-outage.ts"
import type { ProcessSettings } from "./read-settings.ts"

export type State = NonNullable<Awaited<ReturnType<typeof openState>>>

/**
 * Opens the state (`state.db` or its server) once it is available, and the stores in it.
 * @param opened closes them
 * @returns null when the process was asked to stop before the state was available
 */
export async function openState(
  {
    config,
    engineConfig,
    crawlerConfig,
    env,
  }: Pick<ProcessSettings, "config" | "engineConfig" | "crawlerConfig" | "env">,
  log: Logger,
  stopped: AbortSignal,
  opened: AsyncDisposableStack,
) {
  const { dataDir } = engineConfig
  const db = await openStateOnceThere(dataDir, stopped, (why) => log.error(why))
  if (db === null) return null
  opened.defer(() => db.close())
  // A separate connection that never waits for locks, so that no call waits for another process.
  const accountsDb = await openStateStore(dataDir)
  opened.defer(() => accountsDb.close())
  opened.use(keepOutbound(db))
  const own = opened.use(
    await keepAlive(db, "api", (err) => log.warn({ err }, "could not send a heartbeat to other processes")),
  )
  // The copy used for a read-only folder is deleted afterwards, so a journal in it would be lost.
  const mayKeep = isOnServer(db) && crawlerConfig.readOnly !== "folder"
  const journals = mayKeep ? openJournals(dataDir, log) : null
  const outage = opened.use(
    new StateOutage({
      stores: journals === null ? [] : [db, accountsDb],
      onChange: (why) => logOutage(log, why),
    }),
  )
  const { people, declared } = openPeople(
    accountsDb,
    // During a drill, no identity provider is asked.
    crawlerConfig.readOnly === "drill" ? null : config,
    env,
  )
  const accounts = opened.use(
    await openAccounts(
      accountsDb,
      config,
      (err) => log.warn({ err }, "old calls were not deleted"),
      (calls, areLost) => logWaiting(log, dataDir, { calls, areLost, isOnServer: isOnServer(db) }),
      { outage, journals, people: declared?.keys },
    ),
  )
  const { lostState, problems } = await stateProblems(db, dataDir)
  if (lostState !== null) log.error(lostState)
  return {
    db,
    accountsDb,
    accounts,
    people,
    /** The contents of the sign-on file, or null. */
    declared,
    outage,
    /** This process's entry among the processes that share the state. */
    process: own,
    jobs: new Jobs(db),
    backups: new BackupTable(db),
    lost: new LostPages(db),
    room: new DiskRoom(dataDir, engineConfig.minFreeMb, { warn: engineConfig.warnFreeMb }),
    lostState,
    problems,
  }
}

/** Opens the journals; null, with a warning in the log, if the data folder cannot be written to. */
function openJournals(dataDir: string, log: Logger) {
  try {
    return Journal.open(dataDir)
  } catch (err) {
    log.warn(
      { err },
      "no calls will be answered while the PostgreSQL server cannot be reached: the data folder cannot store calls until they are counted",
    )
    return null
  }
}

/** Logs the beginning and the end of an outage. */
function logOutage(log: Logger, err: unknown): void {
  if (err === null) log.info("the PostgreSQL server can be reached again")
  else
    log.error(
      { err },
      `the PostgreSQL server cannot be reached: searches with keys that were accepted in the last ${REMEMBERED_MS / 60_000} minutes are answered, and counted once the server is back`,
    )
}

/** Logs that calls were answered but couldn't be counted yet. */
function logWaiting(
  log: Logger,
  dataDir: string,
  {
    calls,
    areLost,
    isOnServer: onServer,
  }: { readonly calls: number; readonly areLost: boolean; readonly isOnServer: boolean },
): void {
  if (calls === 0 && onServer)
    log.info("all calls that were answered while the PostgreSQL server could not be reached are now counted")
  else if (calls === 0) log.info("the disk can be written to again: all calls are now counted")
  else if (areLost)
    log.error(
      { calls },
      "some calls were not counted: the process is ending and nothing can be written to the disk",
    )
  else log.error({ calls }, `${unwritableMessage(dataDir)} Calls are answered now and counted later.`)
}

/** The problems with the state, determined when it is opened and on each request. */
async function stateProblems(db: StateStore, dataDir: string) {
  const strange = async () => {
    const problem = await strangeState(dataDir, db)
    return problem && `${problem} ${STRANGE_STATE_ADVICE}`
  }
  const clock = async () => {
    const problem = await clockInDoubt(db)
    return problem && `${problem} ${DOUBT_ADVICE}`
  }
  return {
    lostState: await strange(),
    problems: async () => ({ strange: await strange(), clock: await clock() }),
  }
}
