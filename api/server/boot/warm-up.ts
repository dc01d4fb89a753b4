import type { Logger } from "pino"

import { steadyNow } from "#base/steady-time.ts"
import type { Embedder, Engine } from "#engine"
import { ModelOutage } from "#engine/models/servers/availability.ts"

import { ChatModelError } from "../../services/chat-models/chat-model.ts"
import type { ChatServer } from "../../services/chat-models/chat-server.ts"
import { tryModel } from "../../services/chat-models/try-model.ts"

/** Some text that is cheap to embed. */
export const WARM_UP = "ready?"

/**
 * Tries the language model, so that the operator learns about problems before the first question. This also loads the
 * model.
 */
export async function tryChatModel(
  model: ChatServer,
  name: string,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  try {
    log.info(await tryModel(model, name, stopped))
  } catch (error) {
    if (stopped.aborted) return
    if (!(error instanceof ChatModelError))
      log.error({ err: error }, "the language model could not be tested")
    else
      log.warn(
        { reason: error.message },
        "the language model is not answering: until it does, answers are made from the pages' own sentences",
      )
  }
}

/** Loads the embedding model, which happens when it embeds its first text, and runs a first search, so that no caller has to wait for either. */
export async function warmUp(
  { embedder, engine }: { readonly embedder: Pick<Embedder, "embed">; readonly engine: Engine },
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  log.info("loading the embedding model")
  const since = steadyNow()
  try {
    await embedder.embed([WARM_UP], { priority: "query" })
    log.info({ ms: Math.round(steadyNow() - since) }, "the embedding model was loaded in {ms} ms")
    await engine.search({ text: WARM_UP, limit: 1 })
  } catch (error) {
    if (stopped.aborted) return
    if (error instanceof ModelOutage) log.warn(error.message)
    else log.warn({ err: error }, "the first search failed")
  }
}
