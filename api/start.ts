import { accessSync, constants, existsSync, mkdirSync } from "node:fs"
import { get } from "node:http"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

import { crawlerSettings } from "#crawler/settings.ts"
import { sourcesFile } from "#crawler/sources/file/find-file.ts"
import { engineSettings } from "#engine/settings.ts"
import { EXIT } from "#base/exit-codes.ts"
import { openPlainLog, type PlainLog } from "#base/log/plain-log.ts"
import { moduleBeside } from "#base/process/module-beside.ts"
import { checkSettings, environment, readSettings, SettingsError } from "#base/settings.ts"
import { STATE_ID } from "#base/store/state-identity.ts"
import { takeFolder } from "#base/store/file-lock.ts"
import { steadyNow } from "#base/steady-time.ts"

import { apiSettings, checkTogether } from "./settings.ts"
import { applySources } from "./supervisor/apply-sources.ts"
import { Child, MAX_RESTARTS } from "./supervisor/child.ts"
import { firstScreen, handbookNews, screenOnWire } from "./supervisor/first-screen.ts"
import type { ChildMessage } from "./supervisor/messages.ts"
import { whenStarterGone } from "./supervisor/starter.ts"
import { tellDays } from "./supervisor/tell-days.ts"
import { sellingOf, x402Settings } from "./x402/settings.ts"

// `fossick start`: the whole appliance, one process that answers and one that crawls, under this one. It holds no
// part of the appliance itself, so that it stays small and has nothing to crash on.

/** A child that was asked to stop is killed this long after the time it may take for itself. */
const FORCE_MS = 5000
/** How long the first screen waits for the crawler, and for the handbook to be there to be asked about. */
const SCREEN_MS = 7000
const POLL_MS = 100
/** What has a folder written to, by why it is not. */
const WRITABLE_BY: Readonly<Record<string, string>> = {
  EROFS: "mount its disk for writing",
  EACCES: "give it to the user who runs Fossick",
  EPERM: "give it to the user who runs Fossick",
}
const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
/** Between two tries of a crawler that was given up: a disk that was full may have room again. */
const CRAWLER_AGAIN_MS = 15 * 60_000

/** How `fossick start` begins. */
export interface StartOptions {
  /** Show what is there as JSON objects, one a line. */
  readonly json: boolean
}

/**
 * Runs the appliance until it is told to stop, and ends the process then.
 * @returns the exit code when it does not start
 * @throws SettingsError
 * @throws KnownError when another appliance runs on the folder
 */
export async function startAppliance(options: StartOptions): Promise<number> {
  const given = readEnvironment()
  // Before anything is written: the folder may be another's.
  await takeFolder(given.config.dataDir, "appliance")
  const say = openPlainLog("fossick", options.json ? STANDARD_ERROR : STANDARD_OUTPUT, given.env)
  say("info", "the data is in {folder}", { folder: resolve(given.config.dataDir) })
  // What is read-only declares nothing anew.
  const file = given.config.readOnly === "off" ? sourcesFile(given.config.sourcesFile) : null
  if (file !== null) say("info", "applying the sources of {file}", { file })
  const refusal = file === null ? null : applySources(given.config.sourcesFile, process.env)
  if (refusal === null) return await supervise(given, options, say)
  process.stderr.write(`${refusal}\n`)
  return EXIT.usage
}

function readEnvironment() {
  const env = environment()
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], env)
  const config = readSettings({ ...engineSettings, ...crawlerSettings, ...apiSettings }, env)
  checkTogether(config)
  sellingOf(readSettings(x402Settings, env), config.port)
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    accessSync(config.dataDir, constants.W_OK)
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException
    const first = code in WRITABLE_BY ? `${WRITABLE_BY[code]}, or ` : ""
    throw new SettingsError([
      `FOSSICK_DATA_DIR must be a folder to write to: ${first}name another one (${message})`,
    ])
  }
  const holds = (name: string) => existsSync(join(config.dataDir, name))
  // With its id noted, the API says that it is lost, at every start.
  if (holds("index") && !holds("state.db") && !holds(STATE_ID)) {
    process.stderr.write(
      "FOSSICK_DATA_DIR holds an index and no state.db, as after fossick import. If Fossick ran here before, its API keys, sources and usage are gone: to have them back, stop it and restore a backup (fossick restore).\n",
    )
  }
  return { env, config }
}

/** Never resolves: it ends with the process. */
function supervise(
  { env, config }: ReturnType<typeof readEnvironment>,
  { json }: StartOptions,
  say: PlainLog,
): Promise<never> {
  const childEnv = {
    // Compiled once, the code starts twice as fast and needs some 20 MB less in each process.
    NODE_COMPILE_CACHE: join(config.dataDir, "compile-cache"),
    // The C library makes 8 heaps for each processor, and what is freed in one is of no use to the others.
    MALLOC_ARENA_MAX: String(Math.max(2, availableParallelism())),
    ...process.env,
  }
  const complain = openPlainLog("fossick", STANDARD_ERROR, env)
  const handbook = Promise.withResolvers<"read" | "not-read">()
  let shown = false
  let ending = false

  const child = (name: string, module: string): Child =>
    new Child({
      name,
      module: fileURLToPath(moduleBeside(import.meta.url, module)),
      env: childEnv,
      // What is for programs is not to stand among log lines, which are JSON too.
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
      // Among lines for programs it is one, too.
      const isWire = json || config.logFormat === "json"
      if (!shown) void showFirstScreen(message, handbook.promise, () => ending, isWire)
      shown = true
    }
  }

  function onCrash(name: string, how: string, restartMs: number): void {
    const seconds = restartMs / 1000
    say("error", `The ${name} process ended unexpectedly (${how}); it starts again in ${seconds} s.`)
  }

  /** Without the API there is no appliance: who started it decides. Without the crawler there are searches. */
  function onGiveUp(name: string, how: string): number | null {
    const often = `The ${name} process ended ${MAX_RESTARTS + 1} times in a row (last: ${how})`
    if (name === api.name) {
      complain(
        "error",
        `${often}. Fossick ends, with exit code 1; what the process wrote before each end says why.`,
      )
      void end(1)
      return null
    }
    const minutes = CRAWLER_AGAIN_MS / 60_000
    say("error", `${often}. Searches go on; nothing is crawled. It is tried again every ${minutes} minutes.`)
    return CRAWLER_AGAIN_MS
  }

  async function end(code: number): Promise<void> {
    if (ending) return
    ending = true
    // A signal may have gone to all processes at once.
    for (const one of [api, crawler]) one.expectEnd()
    // Both at once: what callers wait for, the API does by itself.
    const graceMs = config.shutdownSeconds * 1000 + FORCE_MS
    await Promise.all([api.stop(graceMs), crawler.stop(graceMs)])
    if (code === 0) say("info", "stopped")
    process.exit(code)
  }

  tellDays(say)
  process.on("SIGINT", () => void end(0))
  process.on("SIGTERM", () => void end(0))
  process.on("SIGHUP", () => void end(0))
  whenStarterGone(() => void end(0))
  const isReadOnly = config.readOnly !== "off"
  say("info", isReadOnly ? "starting the API, and no crawler" : "starting the API and the crawler")
  api.start()
  if (!isReadOnly) crawler.start()
  return new Promise(() => undefined)
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

/** With node:http, since the first use of fetch() alone would add a third to this process's memory. */
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
