import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { pipeline } from "node:stream/promises"
import { type ModelTraits, PLAIN_TRAITS } from "../../embedder.ts"
import { EngineError } from "../../errors.ts"
import { vocabularyScripts } from "./model/vocabulary-scripts.ts"
import { MODEL_CARD, type ModelCard, readModelCard } from "./model/model-card.ts"
import type { Pooling, WorkerSetup } from "./embed-protocol.ts"

/** Checksums, as written by `sha256sum`, of the files that determine the vectors. */
const SUMS = "SHA256SUMS"
/** Number of digits of the weights' SHA-256 in the model's id. */
const HASH_CHARS = 12

export interface ModelFolder {
  /** Name, quantisation, pooling, prefixes and a hash of the weights: these decide whether vectors can be compared. */
  readonly id: string
  readonly dimensions: number
  readonly traits: ModelTraits
  /** Prepended to a text, depending on the kind of text. */
  readonly prefixes: { readonly question: string; readonly passage: string }
  /** The message that starts a thread. */
  readonly setup: WorkerSetup
}

/**
 * Reads the description in a model folder, without loading the model.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` that names the file that is missing or doesn't match the folder's
 * `SHA256SUMS`.
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const absolute = path.resolve(folder)
  const config = await readJson(absolute, "config.json")
  const card = await cardOf(absolute)
  // tokenizer.json can be several megabytes, so it is parsed only for facts that the folder doesn't state elsewhere.
  const vocabulary = await readJson(absolute, "tokenizer.json", { parse: card.scripts === undefined })
  const tokenizer = await readJson(absolute, "tokenizer_config.json")
  const dimensions = positive(card.dimensions ?? config["hidden_size"] ?? config["dim"] ?? config["d_model"])
  if (dimensions === null) throw unavailable(absolute, "its config.json has no hidden_size")
  const positions = positive(config["max_position_embeddings"])
  const maxTokens = Math.min(positive(tokenizer["model_max_length"]) ?? 512, positions ?? 512)
  const quantized = await exists(path.join(absolute, "onnx", "model_quantized.onnx"))
  const weights = path.join(absolute, "onnx", quantized ? "model_quantized.onnx" : "model.onnx")
  if (!(await exists(weights)))
    throw unavailable(absolute, "it has no onnx/model_quantized.onnx or onnx/model.onnx")
  const pooling = card.pooling ?? (await poolingOf(absolute))
  const kind = quantized ? "quantized" : "full"
  const prefixes = { question: "", passage: "", ...card.prefixes }
  const { question, passage } = prefixes
  const prefixed = question + passage === "" ? "" : `:${JSON.stringify([question, passage])}`
  await refuseDamaged(absolute, "embedding model")
  const hash = (await hashOf(weights)).slice(0, HASH_CHARS)
  const id = `${path.basename(absolute)}:${kind}:${pooling}:${hash}${prefixed}`
  // The graph that does the same computation with fewer operators, for exactly these weights: models/build/06_fuse.py.
  const fused = path.join(absolute, "onnx", `fused-${hash}.onnx`)
  const graph = (await exists(fused)) ? fused : weights
  return {
    id,
    dimensions,
    traits: {
      cosines: card.cosines ?? PLAIN_TRAITS.cosines,
      scripts: card.scripts ?? vocabularyScripts(vocabulary),
    },
    prefixes,
    setup: { folder: absolute, weights, graph, maxTokens, pooling },
  }
}

/**
 * Verifies the files. A changed byte in the weights would turn the model into another one, for which the whole index
 * would be embedded again; a changed byte in the vocabulary would silently produce different vectors. A folder without
 * checksums is accepted as it is.
 *
 * @throws EngineError `MODEL_UNAVAILABLE` when a file in the folder doesn't match its `SHA256SUMS`
 */
export async function refuseDamaged(folder: string, what: string): Promise<void> {
  const sums = await readFile(path.join(folder, SUMS), "utf8").catch(() => "")
  for (const [, sum, file = ""] of sums.matchAll(/^([0-9a-f]{64})[ *]+(.+)$/gm)) {
    const full = path.join(folder, file)
    if (!(await exists(full)) || (await hashOf(full)) === sum) continue
    throw new EngineError(
      "MODEL_UNAVAILABLE",
      `The ${what} in ${folder} is damaged: ${file} does not match ${SUMS}. Restore the folder: the models that ship with Fossick come with \`npm ci\`, or with its package or image.`,
    )
  }
}

/** The folder's own description in Fossick's format; empty if it has none. */
async function cardOf(folder: string): Promise<ModelCard> {
  if (!(await exists(path.join(folder, MODEL_CARD)))) return {}
  const said = await readJson(folder, MODEL_CARD)
  try {
    return readModelCard(said)
  } catch (cause) {
    throw unavailable(folder, `its ${MODEL_CARD} is wrong: ${(cause as Error).message}`, { cause })
  }
}

/** The pooling in the format of sentence-transformers; mean pooling if the folder doesn't specify any. */
async function poolingOf(folder: string): Promise<Pooling> {
  if (!(await exists(path.join(folder, "1_Pooling", "config.json")))) return "mean"
  const config = await readJson(folder, "1_Pooling/config.json")
  return config["pooling_mode_cls_token"] === true ? "cls" : "mean"
}

async function readJson(
  folder: string,
  file: string,
  { parse = true } = {},
): Promise<Record<string, unknown>> {
  if (!parse) {
    if (!(await exists(path.join(folder, file)))) throw unavailable(folder, `it has no ${file}`)
    return {}
  }
  let text
  try {
    text = await readFile(path.join(folder, file), "utf8")
  } catch (cause) {
    const missing = (await exists(folder)) ? `it has no ${file}` : "there is no such folder"
    throw unavailable(folder, missing, { cause })
  }
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (cause) {
    throw unavailable(folder, `its ${file} is not JSON`, { cause })
  }
}

function unavailable(folder: string, what: string, options?: ErrorOptions): EngineError {
  return new EngineError(
    "MODEL_UNAVAILABLE",
    `Cannot use the embedding model in ${folder}: ${what}. Set FOSSICK_MODEL to english, multilingual or a folder in the layout of transformers.js (config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx), or leave it empty.`,
    options,
  )
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

function positive(value: unknown): number | null {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.floor(value) : null
}

/** Hashes of weights, by path, size and modification time: a screen that tracks a change of models asks for them every few seconds. */
const hashes = new Map<string, Promise<string>>()

async function hashOf(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file)
  const key = `${file} ${size} ${mtimeMs}`
  let hash = hashes.get(key)
  if (!hash) hashes.set(key, (hash = hashed(file)))
  return await hash.catch((error: unknown) => {
    hashes.delete(key)
    throw error
  })
}

async function hashed(file: string): Promise<string> {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file, { highWaterMark: 1 << 18 }), hash)
  return hash.digest("hex")
}
