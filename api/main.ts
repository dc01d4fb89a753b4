import { once } from "node:events"
import { flushCompileCache } from "node:module"
import { join } from "node:path"

import { openLog } from "#base/telemetry/log/log.ts"
import { startTracing } from "#base/telemetry/traces/tracing.ts"

import { createApp } from "./app.ts"
import { endWithAdvice } from "./server/boot/advice.ts"
import { knowledgeOf } from "./server/boot/knowledge.ts"
import { listen } from "./server/boot/listen.ts"
import { openFeatures } from "./server/boot/open-features.ts"
import { openIndex } from "./server/boot/open-index.ts"
import { openLoad } from "./server/load/open-load.ts"
import { openState } from "./server/boot/open-state.ts"
import { readinessOf } from "./server/boot/readiness.ts"
import { readAllSettings } from "./server/boot/read-settings.ts"
import { Sales } from "./server/boot/sell.ts"
import { tellReady } from "./server/boot/tell-ready.ts"
import { tryChatModel, warmUp } from "./server/boot/warm-up.ts"
import { features } from "./features.ts"
import { QuestionMeter } from "./operator/history/question-meter.ts"
import { listenersOf, requireFreePorts } from "./server/ports.ts"
import { stopSignal } from "./server/shutdown.ts"

// The process that answers requests. It opens the index read-only; the crawler process writes to it.

/**
 * How long after the start the compiled code is written, so that the next start is quick even after a crash: otherwise
 * only a process that ends normally writes it. Writing takes half a second, once for each version, so it must wait
 * until the first start is complete.
 */
const COMPILED_MS = 15_000
const DOCS_DIR = join(import.meta.dirname, "../docs")
const FACES_DIR = join(import.meta.dirname, "../faces")

async function serve(): Promise<void> {
  const stopped = stopSignal()
  const settings = readAllSettings()
  const { config, crawlerConfig, selling, readOnly } = settings
  const log = openLog("api", settings.env)
  if (readOnly !== null) log.warn(readOnly)
  await requireFreePorts(listenersOf(config, selling.on && readOnly === null ? selling.config : null))

  await using opened = new AsyncDisposableStack()
  opened.use(await startTracing("fossick-api", crawlerConfig))
  const state = await openState(settings, log, stopped, opened)
  if (state === null) return
  const { federation, rereader, unitReader, ...index } = await openIndex(settings, state, log, opened)
  const { thumbnails } = index
  const shared = {
    ...settings,
    ...state,
    ...index,
    unitReader: unitReader.reader,
    ...openLoad(config, opened),
    ...knowledgeOf(state, index.engine),
    questions: new QuestionMeter(),
    log,
  }
  const sales = new Sales()
  const app = await createApp({
    ...shared,
    ...(await openFeatures(features, shared, opened)),
    ...readinessOf(settings, state, { ...index, unitReader, federation }, log, opened),
    ...(federation !== null && { federation }),
    ...(readOnly === null && { rereader }),
    thumbnails,
    sales: () => sales.outcomes(),
    docsDir: DOCS_DIR,
    facesDir: FACES_DIR,
    // Instead of a read-only folder, a copy is used, which is discarded at the end.
    keepsNothing: () => crawlerConfig.readOnly === "folder" || state.room.readOnly !== null,
  })
  const listening = await listen(app, shared.connections, config, {
    closing: opened,
    closeToo: () => sales[Symbol.asyncDispose](),
  })
  const line = await sales.begin(settings, state, { ...index, rereader, unitReader }, shared)
  await tellReady(settings, state, listening, { engine: index.engine, sales: line, log, stopped })
  const { chatModel } = index
  if (chatModel) void tryChatModel(chatModel, config.llmModel, log, stopped)
  void warmUp(index, log, stopped)
  setTimeout(flushCompileCache, COMPILED_MS).unref()
  if (!stopped.aborted) await once(stopped, "abort")
  log.info("stopping: waiting for running requests to finish")
}

try {
  await serve()
  process.exit(0)
} catch (error) {
  endWithAdvice(error)
}
