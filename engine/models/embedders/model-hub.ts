import { createWriteStream } from "node:fs"
import { rename, rm, stat } from "node:fs/promises"
import path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { makeFolder } from "#base/folder.ts"
import { noteOutbound } from "#base/outbound/outbound.ts"
import { EngineError } from "../../errors.ts"
import { MODEL_CARD } from "./model/model-card.ts"

const NEEDED = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_quantized.onnx"]
const OPTIONAL = ["special_tokens_map.json", "1_Pooling/config.json", MODEL_CARD]

/**
 * The folder of a model from the hub, downloaded once and kept.
 *
 * Files come from `<hub>/<model>/resolve/main/<file>`, the layout of the Hugging Face hub and its mirrors. An
 * interrupted download leaves nothing behind.
 *
 * @throws EngineError `MODEL_UNAVAILABLE`
 */
export async function fetchModel(from: { hub: string; model: string; cacheDir: string }): Promise<string> {
  if (!/^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(from.model)) {
    throw unavailable(from, "its name is not of the form owner/name")
  }
  const folder = path.resolve(from.cacheDir, from.model)
  if (await stat(folder).catch(() => null)) return folder
  const arriving = `${folder}.${process.pid}.part`
  try {
    for (const file of NEEDED) await fetchFile(from, file, path.join(arriving, file), true)
    for (const file of OPTIONAL) await fetchFile(from, file, path.join(arriving, file), false)
    await rename(arriving, folder)
  } catch (error) {
    await rm(arriving, { recursive: true, force: true })
    // Another process might have fetched the model in the meantime.
    if (await stat(folder).catch(() => null)) return folder
    if (error instanceof EngineError) throw error
    throw unavailable(from, error instanceof Error ? error.message : String(error), { cause: error })
  }
  return folder
}

async function fetchFile(
  from: { hub: string; model: string },
  file: string,
  target: string,
  needed: boolean,
): Promise<void> {
  const response = await fetch(`${from.hub.replace(/\/+$/, "")}/${from.model}/resolve/main/${file}`)
  noteOutbound("model-hub", new URL(from.hub).host)
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    if (needed) throw unavailable(from, `${file}: status ${response.status}`)
    return
  }
  makeFolder(path.dirname(target))
  await pipeline(Readable.fromWeb(response.body), createWriteStream(target))
}

function unavailable(
  from: { hub: string; model: string },
  what: string,
  options?: ErrorOptions,
): EngineError {
  return new EngineError(
    "MODEL_UNAVAILABLE",
    `Cannot fetch the embedding model ${from.model} from ${from.hub}: ${what}. Check FOSSICK_MODEL and FOSSICK_MODEL_HUB, or put the model into a folder and set FOSSICK_MODEL to that folder.`,
    options,
  )
}
