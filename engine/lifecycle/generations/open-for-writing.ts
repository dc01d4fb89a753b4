import type { Engine } from "../../engine.ts"
import { EngineError } from "../../errors.ts"
import {
  type GenerationContext,
  type FittingEmbedder,
  fittingEmbedder,
  refuseFormat,
} from "./generation-context.ts"
import { onClose } from "./delegate.ts"

/**
 * Opens the current generation, for the one process that writes, with the model that made it: pages crawled while
 * another generation is being built are found in this one.
 *
 * @throws EngineError `INDEX_LOCKED`, `INDEX_FORMAT_TOO_NEW`, `INDEX_FORMAT_TOO_OLD`, `ENGINE_UNAVAILABLE`
 */
export async function openForWriting(
  context: GenerationContext,
  embedding: "on" | "off" = "on",
): Promise<Engine> {
  const { adapter, file, models, onProblem } = context
  for (;;) {
    const generations = await file.read()
    const { current } = generations
    const info = await adapter.info(current)
    if (info) {
      refuseFormat(context, info)
      if (adapter.useOf(info.format) !== "written") {
        throw new EngineError(
          "INDEX_FORMAT_TOO_OLD",
          `The index has format ${info.format}; this Fossick writes ${adapter.format}. The appliance rebuilds it when it starts, and so does \`fossick index upgrade\`.`,
        )
      }
    }
    const fitting = await fittingEmbedder(context, generations, info)
    const { embedder, isMissing } = fitting
    const engine = await openWith(fitting, () =>
      adapter.open(current, {
        mode: "write",
        embedder,
        embedding: isMissing ? "off" : embedding,
        ...(onProblem && { onProblem }),
      }),
    )
    // Before we held the lock, another process could have replaced this generation.
    const now = await file.read()
    if (now.current !== current) {
      await engine[Symbol.asyncDispose]()
      continue
    }
    const { configured, configuredFrom } = models
    if (embedder === configured && configuredFrom !== null && now.models[configured.id] !== configuredFrom) {
      if (configuredFrom !== "") {
        await file.change(({ models: known }) => ({ models: { ...known, [configured.id]: configuredFrom } }))
      }
    }
    return engine
  }
}

/**
 * Opens the current generation, for a process that writes pages alongside the main writer. While it is open, the caller
 * must keep the main writer from replacing it with another generation.
 *
 * @throws EngineError `INDEX_LOCKED` while there is no index in the current format yet, `ENGINE_UNAVAILABLE`
 */
export async function openBeside(context: GenerationContext): Promise<Engine> {
  const { adapter, file, onProblem } = context
  const generations = await file.read()
  const { current } = generations
  const info = await adapter.info(current)
  if (info) refuseFormat(context, info)
  if (!info || adapter.useOf(info.format) !== "written")
    throw new EngineError("INDEX_LOCKED", "Another process is creating the index.")
  const fitting = await fittingEmbedder(context, generations, info)
  return await openWith(fitting, () =>
    adapter.open(current, {
      mode: "write",
      embedder: fitting.embedder,
      isBeside: true,
      ...(onProblem && { onProblem }),
    }),
  )
}

/** Makes the engine close the embedder when it is closed; if the engine can't be opened, the embedder is closed too. */
export async function openWith(fitting: FittingEmbedder, open: () => Promise<Engine>): Promise<Engine> {
  try {
    const engine = await open()
    return onClose(engine, () => fitting[Symbol.asyncDispose]())
  } catch (error) {
    await fitting[Symbol.asyncDispose]()
    throw error
  }
}
