import { accessSync, constants, mkdirSync } from "node:fs"
import { get } from "node:http"
import { availableParallelism } from "node:os"
import { join } from "node:path"

import { crawlerSettings } from "#crawler/config.ts"
import { engineSettings } from "#engine/config.ts"
import { outliveReader } from "#base/process/lost-reader.ts"
import { checkSettings, environment, readSettings, SettingsError } from "#base/settings.ts"
import { steadyNow } from "#base/steady-time.ts"

import { apiSettings, checkTogether } from "./config.ts"
import { applySources } from "./supervisor/apply-sources.ts"
import { Child } from "./supervisor/child.ts"
import { firstScreen, handbookNews } from "./supervisor/first-screen.ts"
import type { ChildMessage } from "./supervisor/messages.ts"
import { whenStarterGone } from "./supervisor/starter.ts"
import { sellingOf, x402Settings } from "./x402/config.ts"

// `npm start`: the whole appliance, one process that answers and one that crawls, under this one. It holds no
// part of the appliance itself, so that it stays small and has nothing to crash on.

/** A child that was asked to stop is killed this long after the time it may take for itself. */
const FORCE_MS = 5000
/** How long the first screen waits for the crawler, and for the handbook to be there to be asked about. */
const SCREEN_MS = 7000
const POLL_MS = 100

function readEnvironment() {
  const env = environment()
  checkSettings([engineSettings, crawlerSettings, apiSettings, x402Settings], env)
  const config = readSettings({ ...engineSettings, ...crawlerSettings, ...apiSettings }, env)
  checkTogether(config)
  sellingOf(readSettings(x402Settings, env), config.port)
  try {
    mkdirSync(config.dataDir, { recursive: true })
    accessSync(config.dataDir, constants.W_OK)
  } catch (error) {
    throw new SettingsError([`FOSSICK_DATA_DIR must be a folder to write to (${(error as Error).message})`])
  }
  return { env, config }
}

function supervise({ env, config }: ReturnType<typeof readEnvironment>): void {
  const quiet = process.stdout.isTTY && env["FOSSICK_LOG_LEVEL"] === undefined
  const childEnv = {
    // Compiled once, the code starts twice as fast and needs some 20 MB less in each process.
    NODE_COMPILE_CACHE: join(config.dataDir, "compile-cache"),
    // The C library makes 8 heaps for each processor, and what is freed in one is of no use to the others.
    MALLOC_ARENA_MAX: String(Math.max(2, availableParallelism())),
    ...process.env,
    ...(quiet && { FOSSICK_LOG_LEVEL: "warn" }),
  }
  const handbook = Promise.withResolvers<"read" | "not-read">()
  let shown = false
  let ending = false

  const child = (name: string, module: string): Child =>
    new Child({ name, module: join(import.meta.dirname, module), env: childEnv, onMessage, onCrash })
  const api = child("API", "main.ts")
  const crawler = child("crawler", "../crawler/main.ts")

  function onMessage(message: ChildMessage): void {
    if (message.kind === "fatal") {
      process.stderr.write(`${message.message}\n`)
      void end(1)
    } else if (message.kind === "handbook-crawled") {
      handbook.resolve(message.found ? "read" : "not-read")
    } else {
      if (!message.handbook) handbook.resolve("read")
      if (!shown) void showFirstScreen(message, handbook.promise, () => ending)
      shown = true
    }
  }

  function onCrash(name: string, how: string, restartMs: number): void {
    process.stderr.write(
      `The ${name} process ended unexpectedly (${how}); it starts again in ${restartMs / 1000} s.\n`,
    )
  }

  async function end(code: number): Promise<void> {
    if (ending) return
    ending = true
    // A signal may have gone to all processes at once.
    for (const one of [api, crawler]) one.expectEnd()
    // The API first: while it finishes its last requests the crawler may still be of use to them.
    await api.stop(config.shutdownSeconds * 1000 + FORCE_MS)
    await crawler.stop(config.shutdownSeconds * 1000 + FORCE_MS)
    process.exit(code)
  }

  process.on("SIGINT", () => void end(0))
  process.on("SIGTERM", () => void end(0))
  process.on("SIGHUP", () => void end(0))
  whenStarterGone(() => void end(0))
  api.start()
  crawler.start()
}

async function showFirstScreen(
  facts: Extract<ChildMessage, { kind: "ready" }>,
  handbook: Promise<"read" | "not-read">,
  ended: () => boolean,
): Promise<void> {
  const late = steadyNow() + SCREEN_MS
  const left = () => Math.max(0, late - steadyNow())
  let ready = false
  while (!ended() && !(ready = await isReady(facts.localUrl)) && left() > 0) await pause(POLL_MS)
  const state = await Promise.race([handbook, pause(left()).then(() => "being-read" as const)])
  if (ended()) return
  process.stdout.write(firstScreen({ ...facts, ready, handbook: state }))
  if (state !== "being-read") return
  const news = handbookNews[await handbook]
  if (!ended()) process.stdout.write(news)
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

// Its first lines may be all that anybody wants to read.
outliveReader()
try {
  const given = readEnvironment()
  const refusal = applySources(given.config.sourcesFile, process.env)
  if (refusal === null) {
    supervise(given)
  } else {
    process.stderr.write(`${refusal}\n`)
    process.exitCode = 2
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
