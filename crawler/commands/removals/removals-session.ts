import { setTimeout as sleep } from "node:timers/promises"
import { type Engine, toPageUrl } from "#engine"
import { engineSettings } from "#engine/settings.ts"
import { openEngine } from "#engine/open-engine.ts"
import { environment, readSettings } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { openStateStore, type StateStore } from "#base/store/state-store.ts"
import { carryOutRemovals } from "../../upkeep/removals/carry-out.ts"
import { heldLines, pagesText, removalLine } from "./removals-text.ts"
import { type RemovedPages, Removals } from "../../upkeep/removals/removals.ts"
import { requireSource } from "../../sources/source-names.ts"
import { openUnlessLocked } from "../open-unless-locked.ts"
import { printableLine } from "#base/text/printable.ts"

/** Arguments of the commands that show something, for all sources or for one. */
interface ShowArguments {
  readonly command: "list" | "removed"
  readonly source: string | null
  readonly limit: number
  readonly json: boolean
}

/** Arguments of the commands that decide something. */
type DecideArguments =
  | { readonly command: "approve"; readonly source: string; readonly json: boolean }
  | { readonly command: "reject"; readonly source: string; readonly json: boolean }
  | { readonly command: "restore"; readonly pages: RemovedPages; readonly json: boolean }

export type RemovalsArguments = ShowArguments | DecideArguments

const POLL_MS = 250
/** Within this time, an idle crawler process carries out the decision; a busy one does so after its run. */
const PATIENCE_MS = 15_000
/** Exit code if nothing is waiting or kept under the given name or address. */
const NOTHING_THERE = 1

type Write = (...lines: readonly string[]) => void

/**
 * One `fossick removals`: shows what is waiting and what was removed, or records the operator's decision. The crawler process carries it
 * out; if none is running, this command does.
 * @returns the exit code.
 * @throws SettingsError
 */
export async function removals(args: RemovalsArguments): Promise<number> {
  const config = readSettings(engineSettings, environment())
  const db = await openStateStore(config.dataDir)
  try {
    const jobs = new Jobs(db)
    const store = new Removals(db)
    const source = "pages" in args ? sourceOf(args.pages) : args.source
    if (source !== null) await requireSource(db, source)
    const write: Write = (...lines) => {
      for (const line of lines) process.stdout.write(`${printableLine(line)}\n`)
    }
    if ("limit" in args) {
      await show(store, args, write)
      return 0
    }
    const pages = await decide(store, args)
    if (pages === 0) {
      process.stderr.write(`${nothing(args)}\n`)
      return NOTHING_THERE
    }
    const isDone =
      args.command === "reject" || (await done(db, jobs, store, () => openEngine(config, { mode: "write" })))
    if (args.json) write(JSON.stringify({ command: args.command, pages, done: isDone }))
    else write(`${pagesText(pages)} ${isDone ? DONE[args.command] : TO_DO[args.command]}`)
    return 0
  } finally {
    db.close()
  }
}

const DONE = { approve: "removed", reject: "kept", restore: "restored" } as const
const TO_DO = {
  approve: "will be removed by the crawler after the current run",
  reject: "kept",
  restore: "will be restored by the crawler after the current run",
} as const

async function show(
  store: Removals,
  { command, source, limit, json }: ShowArguments,
  write: Write,
): Promise<void> {
  if (command === "list" && source === null) {
    const held = await store.held()
    if (json) write(JSON.stringify(held))
    else if (held.length === 0) write("No removals are waiting for your decision.")
    else {
      write(...held.flatMap(heldLines))
      write("fossick removals list|approve|reject <source>")
    }
    return
  }
  const state = command === "list" ? "held" : "removed"
  const list = source === null ? { limit } : { limit, source }
  const pages = await store.list(state, list)
  if (json) {
    write(JSON.stringify(pages))
    return
  }
  const more = (await store.count(state, list.source)) - pages.length
  if (pages.length === 0)
    write(command === "list" ? `No removals from ${source} are waiting.` : "There are no removed pages.")
  write(...pages.map(removalLine))
  if (more > 0) write(`and ${more} more; to see them, use --limit`)
}

async function decide(store: Removals, args: DecideArguments): Promise<number> {
  if (args.command === "approve") return await store.approve(args.source)
  if (args.command === "reject") return await store.reject(args.source)
  return await store.restore(asKnown(args.pages))
}

const sourceOf = (pages: RemovedPages): string | null => ("source" in pages ? pages.source : null)

/** Addresses in the spelling under which they are stored. */
function asKnown(pages: RemovedPages): RemovedPages {
  return "urls" in pages ? { urls: pages.urls.map((url) => toPageUrl(url) ?? url) } : pages
}

function nothing(args: DecideArguments): string {
  return args.command === "restore"
    ? "No such page was removed. To see the removed pages, run fossick removals removed."
    : `No removals from ${args.source} are waiting. To see those that are, run fossick removals.`
}

/** @returns whether the decision has been carried out; `false` if another process is writing to the index and will do it */
async function done(
  db: StateStore,
  jobs: Jobs,
  store: Removals,
  open: () => Promise<Engine>,
): Promise<boolean> {
  const until = steadyNow() + PATIENCE_MS
  while (await store.hasWork()) {
    if (!(await jobs.hasCrawler())) {
      await using engine = await openUnlessLocked(open)
      if (engine) {
        await carryOutRemovals({ db, engine })
        // Without an appliance, no other process makes the vectors of restored pages.
        await engine.settled()
        continue
      }
    }
    if (steadyNow() >= until) return false
    await sleep(POLL_MS)
  }
  return true
}
