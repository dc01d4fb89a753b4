import type { Logger } from "pino"

import { commandActor } from "#base/audit/command-actor.ts"
import { keyChange } from "#base/audit/field-changes.ts"
import type { Engine } from "#engine"

import type { Accounts } from "../../identity/accounts/accounts.ts"
import { tellSupervisor } from "../supervisor/messages.ts"
import { crawlHandbook } from "./crawl-handbook.ts"
import type { Listening } from "./listen.ts"
import type { State } from "./open-state.ts"
import type { ProcessSettings } from "./read-settings.ts"

/** Tells the supervisor that the appliance is answering, and sends the contents of its first screen; the first start creates a key. */
export async function tellReady(
  { config, crawlerConfig, readOnly }: ProcessSettings,
  { accounts, jobs, lostState, room }: State,
  { url, localUrl, port }: Listening,
  {
    engine,
    sales,
    log,
    stopped,
  }: {
    readonly engine: Engine
    /** Whether searches are for sale, in one line; null if selling isn't set up. */
    readonly sales: string | null
    readonly log: Logger
    readonly stopped: AbortSignal
  },
): Promise<void> {
  const { keys } = accounts
  // The supervisor shows the key once and never stores it; without a supervisor it would end up in a log.
  const apiKey = (await keys.any()) || process.send === undefined ? null : await firstKey(accounts)
  const handbook =
    crawlerConfig.handbook !== "off" &&
    readOnly === null &&
    (await crawlHandbook(jobs, engine, url, { signal: stopped, onDone: tellHandbookDone }))
  tellSupervisor({
    kind: "ready",
    url,
    localUrl,
    apiKey,
    operatorKey: config.apiKey !== "",
    handbook,
    sales,
    lostState,
    lowDisk: room.warning(),
    readOnly,
  })
  if (!(await keys.any()))
    log.warn("there is no API key yet: create one with the command `keys create --role admin`")
  log.info({ url, host: config.host, port }, "listening on {url}")
}

const firstKey = ({ keys, writes, audit }: Accounts): Promise<string> =>
  writes.run(async () => {
    const text = await keys.create({ role: "admin" })
    const change = keyChange((await keys.lookUp(text))!, "made")
    await audit.note({
      who: commandActor(),
      action: "fossick start",
      object: change.field,
      status: null,
      changes: [change],
      address: "",
    })
    return text
  })

const tellHandbookDone = (found: boolean): void => void tellSupervisor({ kind: "handbook-crawled", found })
