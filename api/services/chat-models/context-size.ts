import type { ModelServer } from "#engine/models/servers/model-server.ts"

/** A list of models is some kilobytes, that of a gateway with a thousand of them a megabyte. */
const MAX_BYTES = 8 * 1024 * 1024

export interface ContextAsked {
  /** At the address of the settings, under which `/models` lies. */
  readonly server: Pick<ModelServer, "get">
  /** At the root of the server, where some tell more than OpenAI's API has a place for. */
  readonly root: Pick<ModelServer, "get" | "post">
  readonly model: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

type Json = Readonly<Record<string, unknown>>

/**
 * How many tokens a model may read and write together, as its server reports; null when it does not. The configured
 * size counts before the trained size, because servers cut longer texts, some of them silently.
 */
export async function contextSize({
  server,
  root,
  model,
  timeoutMs,
  signal,
}: ContextAsked): Promise<number | null> {
  const limits = { timeoutMs, maxBytes: MAX_BYTES, signal }
  const ask = async (question: Promise<unknown>): Promise<Json> => {
    try {
      return ((await question) ?? {}) as Json
    } catch {
      signal.throwIfAborted()
      return {}
    }
  }
  // At once: each of them knows some of these addresses, and an answer waits.
  const [models, props, lmStudio, running, shown] = await Promise.all([
    ask(server.get("/models", limits)),
    ask(root.get("/props", limits)),
    ask(root.get("/api/v0/models", limits)),
    ask(root.get("/api/ps", limits)),
    ask(root.post("/api/show", { model }, limits)),
  ])
  const listed = ofModel(models["data"], model)
  const studio = ofModel(lmStudio["data"], model)
  return (
    // vLLM; one slot of llama.cpp, and all of its slots; LM Studio.
    size(listed["max_model_len"]) ??
    size(inner(props, "default_generation_settings")["n_ctx"]) ??
    size(inner(listed, "meta")["n_ctx"]) ??
    size(studio["loaded_context_length"]) ??
    ollamaSize(ofModel(running["models"], model), shown) ??
    // LM Studio before the model is loaded; OpenRouter and Together; Groq; Mistral.
    size(studio["max_context_length"]) ??
    size(listed["context_length"]) ??
    size(listed["context_window"]) ??
    size(listed["max_context_length"])
  )
}

/**
 * For Ollama without a setting on a machine with less than 24 GB of graphics memory; it cuts the beginning of longer
 * texts.
 */
const OLLAMA_DEFAULT = 4096

/** Ollama reports the trained size as well, but uses the configured one. */
function ollamaSize(running: Json, { parameters, model_info: info }: Json): number | null {
  const inUse = size(running["context_length"])
  if (inUse !== null) return inUse
  if (info === undefined && parameters === undefined) return null
  const set = /^num_ctx\s+(\d+)/m.exec(typeof parameters === "string" ? parameters : "")?.[1]
  if (set !== undefined) return Number(set)
  const trained = Object.entries((info ?? {}) as Json).find(([name]) => name.endsWith(".context_length"))?.[1]
  return Math.min(OLLAMA_DEFAULT, size(trained) ?? OLLAMA_DEFAULT)
}

/** A model's entry in a list; if the list has one entry, that one. */
function ofModel(list: unknown, model: string): Json {
  if (!Array.isArray(list)) return {}
  const models = list.filter((one): one is Json => typeof one === "object" && one !== null)
  const names = [model, `${model}:latest`]
  const named = models.find(({ id, name, model: known }) =>
    [id, name, known].some((one) => names.includes(one as string)),
  )
  return named ?? (models.length === 1 ? models[0]! : {})
}

const inner = (of: Json, name: string): Json => (of[name] ?? {}) as Json

const size = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : null
