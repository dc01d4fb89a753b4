import { existsSync } from "node:fs"
import { get } from "node:http"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

import { crawlerSettings } from "#crawler/settings.ts"
import { sourcesFile } from "#crawler/sources/file/find-file.ts"
import { engineSettings } from "#engine/settings.ts"
import { makeDataFolder, unwritableBecause } from "#base/disk-space.ts"
import { EXIT } from "#base/exit-codes.ts"
import { openPlainLog, type PlainLog } from "#base/telemetry/log/plain-log.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { checkSettings, environment, readSettings } from "#base/settings.ts"
import { stateServer } from "#base/store/postgres/state-location.ts"
import { OtherStateError } from "#base/store/state-generation.ts"
import { STATE_ID } from "#base/store/state-identity.ts"
import { refuseOtherFile } from "#base/store/state-store.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { steadyNow } from "#base/steady-time.ts"

import { apiSettings, checkTogether } from "./settings.ts"
import { listenersOf, requireFreePorts } from "./server/ports.ts"
import { applySources } from "./server/supervisor/apply-sources.ts"
import { Child, MAX_RESTARTS } from "./server/supervisor/child.ts"
import { firstScreen, handbookNews, screenOnWire } from "./server/supervisor/first-screen.ts"
import type { ChildMessage } from "./server/supervisor/messages.ts"
import { asItIs, type StandIn, standInFor } from "./server/supervisor/stand-in.ts"
import { whenStarterGone } from "./server/supervisor/starter.ts"
import { tellDays } from "./server/supervisor/tell-days.ts"
import { sellingOf, x402Settings } from "./doors/x402/settings.ts"

// `fossick start`: the whole appliance, with one process that answers and one that crawls, both started by this one. It
// runs no part of the appliance itself, so it stays small and is unlikely to crash.

/** A child that was asked to stop is killed this many milliseconds after its own time limit. */
const FORCE_MS = 5000
/** How long the first screen waits for the crawler, and for the handbook to become searchable. */
const SCREEN_MS = 7000
const POLL_MS = 100
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
/** Milliseconds between checks of whether an unwritable folder has become writable. */
const WRITABLE_AGAIN_MS = 2000
/** Milliseconds until a crawler that kept failing is started again: a full disk may have room again. */
const CRAWLER_AGAIN_MS = 15 * 60_000

/** Options of `fossick start`. */
export interface StartOptions {
  /** Whether to print the state as JSON objects, one per line. */
  readonly json: boolean
}

/**
 * Runs the appliance until it is asked to stop, then ends the process.
 * @returns the exit code if it does not start
 * @throws SettingsError
 * @throws KnownError if another appliance uses the folder, the folder's state belongs to another Fossick, or the
 * appliance cannot listen on its address
 */
export async function startAppliance(options: StartOptions): Promise<number> {
  let say: PlainLog | undefined
  for (;;) {
    const { env, config, selling, because } = readEnvironment()
    const folder = resolve(config.dataDir)
    // Done before anything is written, because the folder may belong to another appliance.
    if (because === null) await takeFolder(folder, "appliance")
    await refuseOtherState(folder)
    const isReadOnly = because !== null || config.readOnly !== "off"
    await requireFreePorts(listenersOf(config, selling.on && !isReadOnly ? selling.config : null))
    const standIn = because === null ? null : standInFor(folder, because)
    if (say === undefined) {
      say = openPlainLog("fossick", options.json ? STANDARD_ERROR : STANDARD_OUTPUT, env)
      tellDays(say)
    }
    say("info", "the data is in {folder}", { folder })
    if (because !== null) say("warn", asItIs(folder, because))
    const readOnly = standIn !== null && config.readOnly === "off" ? "folder" : config.readOnly
    // A read-only process declares no sources.
    const file = readOnly === "off" ? sourcesFile(config.sourcesFile) : null
    if (file !== null) say("info", "applying the sources in {file}", { file })
    const refusal = file === null ? null : applySources(config.sourcesFile, process.env)
    if (refusal !== null) {
      process.stderr.write(`${refusal}\n`)
      return EXIT.usage
    }
    await supervise({ env, config: { ...config, readOnly }, standIn }, options, say)
    say("info", "{folder} can be written to again: restarting on it", { folder })
  }
}

/**
 * Checked before any process uses the folder, because the process would fail and be restarted. The processes report
 * other problems themselves.
 */
async function refuseOtherState(folder: string): Promise<void> {
  const file = join(folder, "state.db")
  if (stateServer(folder) !== null || !existsSync(file)) return
  try {
    await refuseOtherFile(file)
  } catch (error) {
    if (error instanceof OtherStateError) throw error
  }
}

function readEnvironment() {
  const env = environment()
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], env)
  const config = readSettings({ ...engineSettings, ...crawlerSettings, ...apiSettings }, env)
  checkTogether(config)
  const selling = sellingOf(readSettings(x402Settings, env), config.port)
  makeDataFolder(config.dataDir)
  const because = unwritableBecause(config.dataDir)
  const holds = (name: string) => existsSync(join(config.dataDir, name))
  // If the state's id was recorded, the API reports the loss at every start.
  if (holds("index") && !holds("state.db") && !holds(STATE_ID)) {
    process.stderr.write(
      "FOSSICK_DATA_DIR holds an index but no state.db, as after fossick import. If Fossick ran here before, its API keys, sources and usage are gone: to get them back, stop it and restore a backup (fossick restore).\n",
    )
  }
  return { env, config, selling, because }
}

/**
 * Never resolves, because the process ends first, unless a folder stands in for the data folder: then it resolves once
 * the data folder is writable again and all child processes have ended.
 */
async function supervise(
  {
    env,
    config,
    standIn,
  }: Omit<ReturnType<typeof readEnvironment>, "because" | "selling"> & {
    readonly standIn: StandIn | null
  },
  { json }: StartOptions,
  say: PlainLog,
): Promise<void> {
  const childEnv = {
    // With compiled code, each process starts twice as fast and needs about 20 MB less.
    NODE_COMPILE_CACHE: join(standIn?.folder ?? config.dataDir, "compile-cache"),
    // The C library creates up to 8 heaps per processor, and memory freed in one cannot be used by the others.
    MALLOC_ARENA_MAX: String(Math.max(2, availableParallelism())),
    ...process.env,
    ...(standIn !== null && { FOSSICK_DATA_DIR: standIn.folder, FOSSICK_READ_ONLY: config.readOnly }),
  }
  const complain = openPlainLog("fossick", STANDARD_ERROR, env)
  const handbook = Promise.withResolvers<"read" | "not-read">()
  let shown = false
  let ending = false
  let hasLeft = false
  let stopped: Promise<unknown> | undefined

  const isEnding = () => ending
  const child = (name: string, module: string): Child =>
    new Child({
      name,
      module: fileURLToPath(moduleBeside(import.meta.url, module)),
      env: childEnv,
      // Output for programs must not mix with log lines, which are JSON too.
      output: json ? "stderr" : "stdout",
      onMessage,
      onCrash,
      onGiveUp,
    })
  const api = child("API", "./main")
  const crawler = child("crawler", "../crawler/main")

  function onMessage(message: ChildMessage): void {
    if (message.kind === "fatal") {
      complain("error", message.message)
      void end(1)
    } else if (message.kind === "handbook-crawled") {
      handbook.resolve(message.found ? "read" : "not-read")
    } else {
      if (!message.handbook) handbook.resolve("read")
      // If the other lines are JSON, the first screen is, too.
      const isWire = json || config.logFormat === "json"
      if (!shown) void showFirstScreen(message, handbook.promise, isEnding, isWire)
      shown = true
    }
  }

  function onCrash(name: string, how: string, restartMs: number): void {
    const seconds = restartMs / 1000
    say("error", `The ${name} process ended unexpectedly (${how}); it will restart in ${seconds} s.`)
  }

  /** Without the API there is no appliance, so this process ends and leaves the rest to its own supervisor. Without the crawler, searches still work. */
  function onGiveUp(name: string, how: string): number | null {
    const often = `The ${name} process ended ${MAX_RESTARTS + 1} times in a row (last: ${how})`
    if (name === api.name) {
      complain(
        "error",
        `${often}. Fossick is stopping with exit code 1; the process's last log lines say why.`,
      )
      void end(1)
      return null
    }
    const minutes = CRAWLER_AGAIN_MS / 60_000
    say(
      "error",
      `${often}. Searches still work, but nothing is being crawled. Fossick will try again every ${minutes} minutes.`,
    )
    return CRAWLER_AGAIN_MS
  }

  async function end(code: number): Promise<void> {
    if (ending || hasLeft) return
    ending = true
    await endAll()
    if (code === 0) say("info", "stopped")
    process.exit(code)
  }

  function endAll(): Promise<unknown> {
    // A signal may have been sent to all processes at once, so their exits are expected.
    for (const one of [api, crawler]) one.expectEnd()
    // Both are stopped at once: the API does not need the crawler for the calls in progress.
    const graceMs = config.shutdownSeconds * 1000 + FORCE_MS
    stopped ??= Promise.all([api.stop(graceMs), crawler.stop(graceMs)]).then(() =>
      standIn?.[Symbol.dispose](),
    )
    return stopped
  }

  const onSignal = () => void end(0)
  for (const signal of SIGNALS) process.on(signal, onSignal)
  whenStarterGone(onSignal)
  const isReadOnly = config.readOnly !== "off"
  say("info", isReadOnly ? "starting the API without a crawler" : "starting the API and the crawler")
  api.start()
  if (!isReadOnly) crawler.start()
  const never = new Promise<never>(() => undefined)
  if (standIn === null) return await never
  while (unwritableBecause(config.dataDir) !== null) await pause(WRITABLE_AGAIN_MS)
  await endAll()
  // The appliance may have been asked to stop in the meantime.
  if (isEnding()) return await never
  hasLeft = true
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

async function showFirstScreen(
  facts: Extract<ChildMessage, { kind: "ready" }>,
  handbook: Promise<"read" | "not-read">,
  ended: () => boolean,
  isWire: boolean,
): Promise<void> {
  const late = steadyNow() + SCREEN_MS
  const left = () => Math.max(0, late - steadyNow())
  let ready = false
  while (!ended() && !(ready = await isReady(facts.localUrl)) && left() > 0) await pause(POLL_MS)
  const state = await Promise.race([handbook, pause(left()).then(() => "being-read" as const)])
  if (ended()) return
  const shown = { ...facts, ready, handbook: state }
  process.stdout.write(isWire ? `${JSON.stringify(screenOnWire(shown))}\n` : firstScreen(shown))
  if (state !== "being-read") return
  const end = await handbook
  if (!ended()) process.stdout.write(isWire ? `${JSON.stringify({ handbook: end })}\n` : handbookNews[end])
}

/** Uses node:http, since the first use of fetch() alone would add a third to this process's memory. */
async function isReady(base: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${base}/readyz`, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on("error", () => resolve(false))
  })
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
