import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, realpathSync, symlinkSync } from "node:fs"
import path from "node:path"
import { makeFolder } from "#base/folder.ts"
import { onInterrupt } from "#base/process/interrupt.ts"

import { type RestoredFolder, lookInto } from "#crawler/upkeep/backup/look-into.ts"
import { openStateParts } from "../upkeep/state-parts.ts"
import { runRestore } from "#crawler/upkeep/backup/run-restore.ts"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { CommandError } from "#base/run-command.ts"
import { environment, readSettings } from "#base/settings.ts"
import { openStateFile } from "#base/store/state-store.ts"

import { CallLog } from "../../identity/accounts/call-log.ts"
import { openKeyStore } from "../../identity/accounts/keys/keys.ts"

/** The arguments of `fossick restore --into`. */
export interface DrillArguments {
  readonly file: string
  readonly into: string
  /** Whether to serve the restored folder until Ctrl-C, as a drill. */
  readonly start: boolean
  /** Port of the drill; 0 for any free port. */
  readonly port: number
  readonly json: boolean
}

/** The result of a drill. */
interface Findings extends RestoredFolder {
  readonly keys: number
}

const MOST_COUNTED = 1_000_000

/**
 * Restores a backup into a folder that is not the appliance's own, and serves it there until Ctrl-C: see
 * `FOSSICK_READ_ONLY=drill`. Whatever the engine, the index is in that folder. The running appliance is not touched.
 * @returns the exit code
 */
export async function drill({ file, into, start, port, json }: DrillArguments): Promise<number> {
  const given = environment()
  const { dataDir } = readSettings(engineSettings, given)
  const folder = path.resolve(into)
  refuseOwn(folder, path.resolve(dataDir))
  const env = drillEnvironment(given, folder, port)
  lendModels(path.resolve(dataDir), folder)
  const code = await runRestore(file, {
    force: false,
    json: start ? null : json,
    openParts: openStateParts,
    env,
  })
  if (code !== EXIT.ok) return code
  if (!start) {
    const how = `FOSSICK_DATA_DIR=${folder} FOSSICK_ENGINE=embedded fossick start`
    process.stderr.write(
      `The appliance's own folder is untouched. To serve the restored folder, run ${how}.\n`,
    )
    return EXIT.ok
  }
  const found = { ...(await lookInto(env)), keys: await keysIn(folder) }
  for (const line of findingLines(found)) process.stderr.write(`${line}\n`)
  const startedAt = Date.now()
  const ended = await serve(env, json)
  const answered = await answeredSince(folder, startedAt)
  if (json) process.stdout.write(`${JSON.stringify({ drill: { folder, ...found, answered } })}\n`)
  else process.stdout.write(`${summary(folder, found, answered)}\n`)
  return ended !== EXIT.ok ? ended : found.damage.length > 0 ? EXIT.failed : EXIT.ok
}

/** @throws CommandError when the folder is the appliance's own, is inside it, or contains it */
function refuseOwn(folder: string, own: string): void {
  const [a, b] = [folder, own].map((one) => (existsSync(one) ? realpathSync(one) : one)) as [string, string]
  const isWithin = (inner: string, outer: string) => !path.relative(outer, inner).startsWith("..")
  if (!isWithin(a, b) && !isWithin(b, a)) return
  throw new CommandError(
    `${folder} is the data folder ${own}, or one is inside the other. With --into, give a folder that nothing else uses.`,
  )
}

/** The current settings, except that the appliance's own files are not touched and nothing is sent. */
function drillEnvironment(given: NodeJS.ProcessEnv, folder: string, port: number): NodeJS.ProcessEnv {
  return {
    ...given,
    FOSSICK_READ_ONLY: "drill",
    FOSSICK_DATA_DIR: folder,
    // The index on the server belongs to the appliance, so it is not used.
    FOSSICK_ENGINE: "embedded",
    FOSSICK_STATE: "",
    FOSSICK_HOST: "127.0.0.1",
    FOSSICK_PORT: String(port),
    FOSSICK_PUBLIC_URL: "",
    FOSSICK_SOURCES_FILE: "",
    FOSSICK_LLM_URL: "",
    FOSSICK_LLM_MODEL: "",
  }
}

/** A model that was downloaded from a hub is not in the backup, and is not downloaded again. */
function lendModels(own: string, folder: string): void {
  const models = path.join(own, "models")
  if (!existsSync(models) || existsSync(path.join(folder, "models"))) return
  makeFolder(folder, 0o700)
  symlinkSync(models, path.join(folder, "models"))
}

/** Runs the appliance until it is asked to stop. @returns its exit code */
async function serve(env: NodeJS.ProcessEnv, json: boolean): Promise<number> {
  const program = process.argv[1] ?? ""
  const args = [...process.execArgv, program, "start", ...(json ? ["--json"] : [])]
  const child = spawn(process.execPath, args, { env, stdio: "inherit" })
  const stop = () => void child.kill("SIGTERM")
  // A signal from the terminal also reaches the appliance, which can safely receive it twice.
  using _ = onInterrupt(stop)
  process.on("SIGHUP", stop)
  const [code] = (await once(child, "exit")) as [number | null]
  process.off("SIGHUP", stop)
  return code ?? EXIT.failed
}

async function keysIn(folder: string): Promise<number> {
  const db = await openStateFile(folder)
  try {
    return (await openKeyStore(db, "").list()).length
  } finally {
    db.close()
  }
}

async function answeredSince(folder: string, at: number): Promise<number> {
  const db = await openStateFile(folder)
  try {
    return (await new CallLog(db).list({ limit: MOST_COUNTED, from: at, endpoints: ["search", "research"] }))
      .length
  } finally {
    db.close()
  }
}

function findingLines({ pages, keys, sources, lastCrawl, damage }: Findings): string[] {
  return [
    `Restored: ${counted(pages, "page")}, ${counted(sources, "source")}, ${counted(keys, "key")}; ${lastCrawl === null ? "no crawl had finished" : `the last crawl finished at ${lastCrawl}`}.`,
    damage.length === 0
      ? "Index check: all files of the index are intact."
      : `Index check: ${damage.join("; ")}.`,
  ]
}

function summary(folder: string, found: Findings, answered: number): string {
  return [
    "The drill has ended.",
    ...findingLines(found),
    `Answered: ${counted(answered, "question")}. Nothing was crawled, and nothing was sent.`,
    `The restored data is in ${folder}; delete the folder when you are done.`,
  ].join("\n")
}

const counted = (count: number, of: string): string =>
  `${count.toLocaleString("en")} ${of}${count === 1 ? "" : "s"}`
